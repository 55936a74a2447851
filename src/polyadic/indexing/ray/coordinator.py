"""What all workers of a run share: one rate limit, one budget, and that it is over for all when it is for one.

The council is one small actor. What several calls of a worker wait for together is asked for together, and the next is
asked when the answer is there; so the busier the council is, the more is decided in one message.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Any, Generic, Literal, TypeVar

from polyadic.config import EndpointSettings
from polyadic.llm.budget import SpendingBudget
from polyadic.llm.rate_limiter import RateLimits
from polyadic.model.types import Usage

T = TypeVar("T")
Kind = Literal["requests", "tokens"]

# How long the council makes others wait for an answer while it hands out what is allowed in a minute; and how many
# wishes there are in one message.
_SECONDS_A_TURN, _WISHES = 0.05, 256
_BEAT, _SILENT = 10.0, 60.0
"""Seconds: who has calls under way says so this often; who has not for so long has been killed."""
_BETWEEN_SUMS = 0.25
"""Seconds from one message to the next that say only what was paid, where nobody waits for what is left of a budget."""


class Coordinator:
    """Decides for all; run as one actor, whose methods are called by messages.

    Parameters
    ----------
    settings
        Of the endpoint that is asked.
    budget
        For all together; None: no limit.
    """

    def __init__(self, settings: EndpointSettings, budget: SpendingBudget | None) -> None:
        self._limits = RateLimits.of(settings)
        self._budget = budget or SpendingBudget()
        self._spent = Usage()
        self._set_aside: dict[str, list[Usage]] = {}
        self._heard: dict[str, float] = {}
        self._changed = asyncio.Event()
        self._stopped = ""

    async def take(self, kind: Kind, amounts: Sequence[float]) -> int:
        """Hand out to the first of these, as many as there is enough for by and by; returns how many, at least one."""
        takes = self._limits.requests if kind == "requests" else self._limits.tokens
        if takes is None:
            return len(amounts)
        began, granted = monotonic(), 0
        for amount in amounts:
            await takes.take(amount)
            granted += 1
            if monotonic() - began > _SECONDS_A_TURN:
                break
        return granted

    async def set_aside(self, worker: str, wanted: Sequence[Usage]) -> int:
        """Set aside the most that each of the first of these calls can cost, as far as there is enough for.

        Returns
        -------
        int
            How many; 0 says that there is not enough for one, and nothing under way that might leave something over.
        """
        while True:
            self._count_killed()
            granted = 0
            while granted < len(wanted) and self._budget.allows(self._bound, wanted[granted]):
                self._set_aside.setdefault(worker, []).append(wanted[granted])
                granted += 1
            if granted or not any(self._set_aside.values()):
                self._hear(worker)
                return granted
            self._changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _BEAT)

    async def settle(self, worker: str, paid: Usage, returned: Sequence[Usage]) -> None:
        """Enter what calls have cost, and take back what was set aside for those that are over."""
        self._hear(worker)
        self._spent += paid
        kept = self._set_aside.get(worker, [])
        for one in returned:
            # Of who was silent for long nothing is left to take back: it counts as spent.
            if one in kept:
                kept.remove(one)
        self._changed.set()

    async def stop(self, why: str) -> None:
        """Begin nothing new; the first reason is the one to act upon."""
        self._stopped = self._stopped or why

    async def stopped(self) -> str:
        """Why nothing new is to be begun; empty while all goes on."""
        return self._stopped

    async def spent(self) -> Usage:
        """What all calls have cost."""
        return self._spent

    @property
    def _bound(self) -> Usage:
        return sum((one for kept in self._set_aside.values() for one in kept), self._spent)

    def _hear(self, worker: str) -> None:
        self._heard[worker] = monotonic()

    def _count_killed(self) -> None:
        """What was set aside by who has been killed may have been paid, so it counts as spent."""
        for worker, kept in self._set_aside.items():
            if kept and monotonic() - self._heard[worker] > _SILENT:
                self._spent = sum(kept, self._spent)
                kept.clear()


class _Line(Generic[T]):
    """Those of one worker who wait for the same; asked for together, they go in the order in which they came."""

    def __init__(self, ask: Callable[[Sequence[T]], Awaitable[int]]) -> None:
        self._ask = ask
        self._waiting: list[tuple[T, asyncio.Future[bool]]] = []
        self._asking: asyncio.Task[None] | None = None

    async def turn(self, wish: T) -> bool:
        """Wait for what is wished for; whether it is to be had."""
        granted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((wish, granted))
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask_all())
        return await granted

    async def _ask_all(self) -> None:
        try:
            while self._waiting:
                asked = self._waiting[:_WISHES]
                count = await self._ask([wish for wish, _ in asked])
                answered = asked[: max(count, 1)]
                del self._waiting[: len(answered)]
                for _, granted in answered:
                    if not granted.done():
                        granted.set_result(count > 0)
        except Exception as error:
            left, self._waiting = self._waiting, []
            for _, granted in left:
                if not granted.done():
                    granted.set_exception(error)
        finally:
            self._asking = None


class SharedRateLimiter:
    """Implements Takes for one event loop of a worker: what is handed out is handed out to all workers."""

    def __init__(self, council: Any, kind: Kind) -> None:
        async def ask(amounts: Sequence[float]) -> int:
            granted: int = await council.take.remote(kind, amounts)
            return granted

        self._line = _Line(ask)

    async def take(self, amount: float = 1.0) -> None:
        await self._line.turn(amount)


def shared_limits(council: Any, settings: EndpointSettings) -> RateLimits:
    """The limits that the settings name, kept by all workers together."""
    return RateLimits(
        SharedRateLimiter(council, "requests") if settings.requests_per_minute else None,
        SharedRateLimiter(council, "tokens") if settings.tokens_per_minute else None,
    )


class SharedBudget:
    """Implements Pays for one worker; what it pays it pays out of the budget of all.

    Parameters
    ----------
    council
        The actor that keeps the budget.
    worker
        A name that no other worker has.
    budget
        None: nothing is set aside, and the council is told what was paid.
    """

    def __init__(self, council: Any, worker: str, budget: SpendingBudget | None) -> None:
        async def ask(wanted: Sequence[Usage]) -> int:
            granted: int = await council.set_aside.remote(worker, wanted)
            return granted

        self.spent = Usage()
        self._council = council
        self._worker = worker
        self._budget = budget
        self._line = _Line(ask)
        self._paid = Usage()
        self._returned: list[Usage] = []
        self._under_way = 0
        self._news = asyncio.Event()
        self._telling: asyncio.Task[None] | None = None

    def pay(self, usage: Usage) -> None:
        """Enter what a call has cost."""
        self.spent += usage
        self._paid += usage
        self._tell()

    @asynccontextmanager
    async def room_for(self, most: Usage) -> AsyncIterator[None]:
        """As :meth:`polyadic.llm.budget.BudgetLedger.room_for`, with whatever others have under way."""
        if self._budget is None:
            yield
            return
        if not await self._line.turn(most):
            raise self._budget.used_up(await self._council.spent.remote())
        self._under_way += 1
        self._tell()
        try:
            yield
        finally:
            self._under_way -= 1
            self._returned.append(most)
            self._tell()

    def _tell(self) -> None:
        self._news.set()
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell_all())

    async def _tell_all(self) -> None:
        """Tell the council what is new, and as long as calls are under way that they are."""
        while self._under_way or self._news.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), _BEAT)
            self._news.clear()
            paid, returned = self._paid, self._returned
            self._paid, self._returned = Usage(), []
            await self._council.settle.remote(self._worker, paid, returned)
            if self._budget is None:
                await asyncio.sleep(_BETWEEN_SUMS)
