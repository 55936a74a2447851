"""How many questions are answered at once, whose are next, and for how long one may take."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from polyadic.server.fair_scheduler import FairScheduler
from polyadic.server.limits import ServerLimits
from polyadic.server.problem_details import ProblemError

_RETRY = {"Retry-After": "5"}
_Place = asyncio.Future[None]


class AdmissionController:
    """Lets some questions at once have their turn; others wait, and too many are turned away at once.

    Workspaces have equal shares: who waits for one does not wait for all that were asked another before.

    Parameters
    ----------
    limits
        How many, and how long one may take once it has its turn, waiting for it included.
    """

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._shares = FairScheduler()
        self._places: dict[str, deque[_Place]] = {}
        self.under_way = 0
        self.waiting = 0

    @asynccontextmanager
    async def turn(self, whose: str) -> AsyncIterator[None]:
        """The turn of one question.

        Parameters
        ----------
        whose
            The workspace that is asked.

        Raises
        ------
        Refused
            Too many are waiting (503), or it took too long (504).
        """
        try:
            async with asyncio.timeout(self._limits.request_seconds):
                await self._begun(whose)
                try:
                    yield
                finally:
                    self._end(whose)
        except TimeoutError:
            raise ProblemError(504, "took-too-long", "this took longer than the server allows") from None

    async def _begun(self, whose: str) -> None:
        """Wait for a turn, and begin it."""
        if self.under_way < self._limits.questions_at_once and not self.waiting:
            self._begin(whose)
            return
        self._make_room(whose)
        place: _Place = asyncio.get_running_loop().create_future()
        self._places.setdefault(whose, deque()).append(place)
        self.waiting += 1
        try:
            await place
        except asyncio.CancelledError:
            if place.cancelled():
                self._leave(whose, place)
            elif place.exception() is None:
                # It was given its turn at the moment at which its client went.
                self._end(whose)
            raise

    def _begin(self, whose: str) -> None:
        self.under_way += 1
        self._shares.began(whose)

    def _end(self, whose: str) -> None:
        self.under_way -= 1
        self._shares.ended(whose)
        while self.waiting and self.under_way < self._limits.questions_at_once:
            following = self._shares.next(self._places)
            place = self._places[following][0]
            self._leave(following, place)
            if not place.done():
                self._begin(following)
                place.set_result(None)

    def _make_room(self, whose: str) -> None:
        """Where too many wait, turn the last away of whom most wait, unless that is who has come."""
        if self.waiting < self._limits.questions_waiting:
            return
        refused = ProblemError(503, "too-many-questions", "too many questions are waiting for an answer", _RETRY)
        fullest = max(self._places, key=lambda one: len(self._places[one]), default=whose)
        if len(self._places.get(fullest, ())) <= len(self._places.get(whose, ())) + 1:
            raise refused
        place = self._places[fullest][-1]
        self._leave(fullest, place)
        if not place.done():
            place.set_exception(refused)

    def _leave(self, whose: str, place: _Place) -> None:
        """Wait no longer; whoever was cancelled may have been passed over already."""
        places = self._places.get(whose)
        if places is None or place not in places:
            return
        places.remove(place)
        self.waiting -= 1
        if not places:
            del self._places[whose]
