"""Admission control: how many questions run at once, which waits next, and how long one may take."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from polyadic.server.fair_scheduler import FairScheduler
from polyadic.server.problem_details import ProblemError
from polyadic.server.server_limits import ServerLimits

_RETRY = {"Retry-After": "5"}
_Waiter = asyncio.Future[None]


class AdmissionController:
    """Runs a limited number of questions at once, queues others and refuses requests when the queue is full.

    Workspaces share the slots fairly: a question for one workspace does not wait for all earlier ones of another.

    Parameters
    ----------
    limits
        Number of running and waiting questions, and the time limit of a question including its wait.
    """

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._shares = FairScheduler()
        self._waiters: dict[str, deque[_Waiter]] = {}
        self.under_way = 0
        self.waiting = 0

    @asynccontextmanager
    async def turn(self, whose: str) -> AsyncIterator[None]:
        """Hold a slot for one question.

        Parameters
        ----------
        whose
            Name of the workspace.

        Raises
        ------
        ProblemError
            Too many questions are waiting (503), or this one took too long (504).
        """
        try:
            async with asyncio.timeout(self._limits.request_seconds):
                await self._acquire(whose)
                try:
                    yield
                finally:
                    self._release(whose)
        except TimeoutError:
            raise ProblemError(504, "took-too-long", "the request took longer than the server allows") from None

    async def _acquire(self, whose: str) -> None:
        """Wait for a slot and take it."""
        if self.under_way < self._limits.questions_at_once and not self.waiting:
            self._begin(whose)
            return
        self._make_room(whose)
        waiter: _Waiter = asyncio.get_running_loop().create_future()
        self._waiters.setdefault(whose, deque()).append(waiter)
        self.waiting += 1
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                self._leave(whose, waiter)
            elif waiter.exception() is None:
                # The slot was granted at the moment the client disconnected.
                self._release(whose)
            raise

    def _begin(self, whose: str) -> None:
        self.under_way += 1
        self._shares.began(whose)

    def _release(self, whose: str) -> None:
        self.under_way -= 1
        self._shares.ended(whose)
        while self.waiting and self.under_way < self._limits.questions_at_once:
            next_workspace = self._shares.next(self._waiters)
            waiter = self._waiters[next_workspace][0]
            self._leave(next_workspace, waiter)
            if not waiter.done():
                self._begin(next_workspace)
                waiter.set_result(None)

    def _make_room(self, whose: str) -> None:
        """If the queue is full, refuse the last question of the workspace with the most waiting, or the new one."""
        if self.waiting < self._limits.questions_waiting:
            return
        refused = ProblemError(503, "too-many-questions", "too many questions are waiting: retry later", _RETRY)
        longest = max(self._waiters, key=lambda name: len(self._waiters[name]), default=whose)
        if len(self._waiters.get(longest, ())) <= len(self._waiters.get(whose, ())) + 1:
            raise refused
        waiter = self._waiters[longest][-1]
        self._leave(longest, waiter)
        if not waiter.done():
            waiter.set_exception(refused)

    def _leave(self, whose: str, waiter: _Waiter) -> None:
        """Remove a waiter from the queue; a cancelled one may have been removed already."""
        queue = self._waiters.get(whose)
        if queue is None or waiter not in queue:
            return
        queue.remove(waiter)
        self.waiting -= 1
        if not queue:
            del self._waiters[whose]
