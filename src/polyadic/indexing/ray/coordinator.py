"""Coordinate the workers of a run: shared rate limits, shared budget and a common stop.

The coordinator is one small actor. Each worker collects the requests of its calls and sends them in one message, and
the next message when the reply has arrived; so the busier the coordinator is, the more requests a message carries.
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

# Maximum time in seconds that one request for rate-limit capacity may take, and maximum number of requests per message.
_GRANT_SECONDS, _MAX_REQUESTS = 0.05, 256
_BEAT, _SILENT = 10.0, 60.0
"""Seconds between heartbeats of a worker with calls in progress, and without one until it counts as killed."""
_BETWEEN_SUMS = 0.25
"""Seconds between reports of usage when there is no budget."""


class Coordinator:
    """Keep the rate limits, the budget and the stop reason of a run; runs as one Ray actor.

    Parameters
    ----------
    settings
        Settings of the model endpoint.
    budget
        Budget of all workers together; None: no limit.
    """

    def __init__(self, settings: EndpointSettings, budget: SpendingBudget | None) -> None:
        self._limits = RateLimits.of(settings)
        self._budget = budget or SpendingBudget()
        self._spent = Usage()
        self._set_aside: dict[str, list[Usage]] = {}
        self._last_seen: dict[str, float] = {}
        self._changed = asyncio.Event()
        self._stopped = ""

    async def take(self, kind: Kind, amounts: Sequence[float]) -> int:
        """Grant rate-limit capacity to the first of these requests; return how many were granted, at least one."""
        limiter = self._limits.requests if kind == "requests" else self._limits.tokens
        if limiter is None:
            return len(amounts)
        began, granted = monotonic(), 0
        for amount in amounts:
            await limiter.take(amount)
            granted += 1
            if monotonic() - began > _GRANT_SECONDS:
                break
        return granted

    async def set_aside(self, worker: str, wanted: Sequence[Usage]) -> int:
        """Reserve the maximum cost of the first of these calls, as far as the budget allows.

        Returns
        -------
        int
            Number of calls granted; 0 if the budget does not cover one and no call in progress could free some of it.
        """
        while True:
            self._count_killed()
            granted = 0
            while granted < len(wanted) and self._budget.allows(self._committed, wanted[granted]):
                self._set_aside.setdefault(worker, []).append(wanted[granted])
                granted += 1
            if granted or not any(self._set_aside.values()):
                self._mark_alive(worker)
                return granted
            self._changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _BEAT)

    async def settle(self, worker: str, paid: Usage, returned: Sequence[Usage]) -> None:
        """Record the cost of calls and release the reservations of completed ones."""
        self._mark_alive(worker)
        self._spent += paid
        reserved = self._set_aside.get(worker, [])
        for one in returned:
            # The reservations of a worker that was silent for too long have been counted as spent.
            if one in reserved:
                reserved.remove(one)
        self._changed.set()

    async def stop(self, why: str) -> None:
        """Tell all workers to start nothing new; the first reason is kept."""
        self._stopped = self._stopped or why

    async def stopped(self) -> str:
        """Return why the run was stopped; empty if it was not."""
        return self._stopped

    async def spent(self) -> Usage:
        """Return the usage of all calls."""
        return self._spent

    @property
    def _committed(self) -> Usage:
        return sum((one for reserved in self._set_aside.values() for one in reserved), self._spent)

    def _mark_alive(self, worker: str) -> None:
        self._last_seen[worker] = monotonic()

    def _count_killed(self) -> None:
        """Count the reservations of killed workers as spent, because their calls may have been charged."""
        for worker, reserved in self._set_aside.items():
            if reserved and monotonic() - self._last_seen[worker] > _SILENT:
                self._spent = sum(reserved, self._spent)
                reserved.clear()


class _RequestQueue(Generic[T]):
    """FIFO queue of one worker's requests for the same resource, sent to the coordinator in batches."""

    def __init__(self, ask: Callable[[Sequence[T]], Awaitable[int]]) -> None:
        self._send = ask
        self._waiting: list[tuple[T, asyncio.Future[bool]]] = []
        self._sending: asyncio.Task[None] | None = None

    async def turn(self, wish: T) -> bool:
        """Wait until the request is decided; return whether it was granted."""
        granted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((wish, granted))
        if self._sending is None:
            self._sending = asyncio.create_task(self._send_all())
        return await granted

    async def _send_all(self) -> None:
        try:
            while self._waiting:
                asked = self._waiting[:_MAX_REQUESTS]
                count = await self._send([wish for wish, _ in asked])
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
            self._sending = None


class SharedRateLimiter:
    """Rate limiter for one event loop of a worker, whose capacity is shared with all workers."""

    def __init__(self, coordinator: Any, kind: Kind) -> None:
        async def ask(amounts: Sequence[float]) -> int:
            granted: int = await coordinator.take.remote(kind, amounts)
            return granted

        self._queue = _RequestQueue(ask)

    async def take(self, amount: float = 1.0) -> None:
        await self._queue.turn(amount)


def shared_limits(coordinator: Any, settings: EndpointSettings) -> RateLimits:
    """Create the configured rate limits, shared by all workers."""
    return RateLimits(
        SharedRateLimiter(coordinator, "requests") if settings.requests_per_minute else None,
        SharedRateLimiter(coordinator, "tokens") if settings.tokens_per_minute else None,
    )


class SharedBudget:
    """Budget ledger of one worker, which draws on the budget of all workers.

    Parameters
    ----------
    coordinator
        The coordinator actor.
    worker
        Unique name of the worker.
    budget
        None: nothing is reserved; usage is only reported to the coordinator.
    """

    def __init__(self, coordinator: Any, worker: str, budget: SpendingBudget | None) -> None:
        async def ask(wanted: Sequence[Usage]) -> int:
            granted: int = await coordinator.set_aside.remote(worker, wanted)
            return granted

        self.spent = Usage()
        self._coordinator = coordinator
        self._worker = worker
        self._budget = budget
        self._queue = _RequestQueue(ask)
        self._paid = Usage()
        self._returned: list[Usage] = []
        self._in_progress = 0
        self._changed = asyncio.Event()
        self._reporting: asyncio.Task[None] | None = None

    def pay(self, usage: Usage) -> None:
        """Record the cost of a call."""
        self.spent += usage
        self._paid += usage
        self._report()

    @asynccontextmanager
    async def room_for(self, most: Usage) -> AsyncIterator[None]:
        """Reserve as :meth:`polyadic.llm.budget.BudgetLedger.room_for`; calls of other workers count as well."""
        if self._budget is None:
            yield
            return
        if not await self._queue.turn(most):
            raise self._budget.used_up(await self._coordinator.spent.remote())
        self._in_progress += 1
        self._report()
        try:
            yield
        finally:
            self._in_progress -= 1
            self._returned.append(most)
            self._report()

    def _report(self) -> None:
        self._changed.set()
        if self._reporting is None or self._reporting.done():
            self._reporting = asyncio.create_task(self._report_all())

    async def _report_all(self) -> None:
        """Report news to the coordinator, and send heartbeats while calls are in progress."""
        while self._in_progress or self._changed.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _BEAT)
            self._changed.clear()
            paid, returned = self._paid, self._returned
            self._paid, self._returned = Usage(), []
            await self._coordinator.settle.remote(self._worker, paid, returned)
            if self._budget is None:
                await asyncio.sleep(_BETWEEN_SUMS)
