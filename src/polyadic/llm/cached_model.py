"""Asking a language model so that the same request is never paid for twice."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from weakref import WeakValueDictionary

from polyadic.concurrency.sync import MicroBatcher, run_in_thread, shielded
from polyadic.errors import NoReply
from polyadic.llm.budget import BudgetLedger, BudgetProtocol, SpendingBudget
from polyadic.llm.language_model import LanguageModel, ModelReply, ModelRequest
from polyadic.model.types import Usage


@dataclass(frozen=True, slots=True)
class PaidCall:
    """A call that was paid for, what came of it, and whether its reply is worth remembering."""

    request: ModelRequest
    model: str
    reply: ModelReply
    remember: bool


@dataclass(slots=True)
class _Sought:
    """A request by its key, and the reply to it once that has been looked for."""

    key: str
    known: tuple[str, bool] | None = None


class ResponseCache(Protocol):
    """Where replies are remembered, and paid calls entered in a ledger."""

    def recall(self, keys: Sequence[str]) -> Mapping[str, tuple[str, bool]]:
        """By key the replies to those of these requests that are remembered, and whether each was complete."""

    def note(self, paid: Sequence[PaidCall]) -> None:
        """Enter paid calls, all of them at once, and remember the replies that are worth it."""


class NullCache:
    """Implements Memory where nothing may be written: it remembers nothing."""

    def recall(self, keys: Sequence[str]) -> Mapping[str, tuple[str, bool]]:
        return {}

    def note(self, paid: Sequence[PaidCall]) -> None:
        """Nothing is kept."""


class CachedModel:
    """A language model with a memory and a budget; ``recalled`` counts replies that were remembered.

    ``purse`` keeps the budget; without one it is kept here, as if nobody else spent of it.
    """

    def __init__(
        self,
        model: LanguageModel,
        memory: ResponseCache,
        budget: SpendingBudget | None = None,
        purse: BudgetProtocol | None = None,
    ) -> None:
        self.model = model
        self.recalled = 0
        self._memory = memory
        self._recalling = MicroBatcher(self._recall)
        self._entering = MicroBatcher(self._note)
        self._budget = budget
        self._purse = purse or BudgetLedger(budget or SpendingBudget())
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def spent(self) -> Usage:
        """What was paid so far."""
        return self._purse.spent

    async def ask(self, request: ModelRequest, is_usable: Callable[[ModelReply], bool]) -> ModelReply:
        """The remembered reply, or a new one, which is remembered if it is usable; raises as LanguageModel.ask does."""
        key = request.key(self.model.name)
        # The same request at the same time waits for the reply to the first: texts repeat within a document.
        lock = self._asking.setdefault(key, asyncio.Lock())
        async with lock:
            known = await self._known(key)
            if known:
                self.recalled += 1
                return ModelReply(*known, Usage(), 0.0)
            # Without a budget there is no need to know, and counting takes its time.
            most = self.model.most(request) if self._budget else Usage()
            async with self._purse.room_for(most):
                reply = await self._paid(request)
                await self._enter(request, reply, is_usable(reply))
            return reply

    async def _paid(self, request: ModelRequest) -> ModelReply:
        """A new reply; what was paid for one that is of no use is entered as well."""
        try:
            return await self.model.ask(request)
        except NoReply as problem:
            if problem.usage:
                await self._enter(request, ModelReply("", False, problem.usage, problem.seconds), remember=False)
            raise

    async def _known(self, key: str) -> tuple[str, bool] | None:
        sought = _Sought(key)
        # To its end in any case: what it reads is not closed before.
        await shielded(self._recalling.begun(sought))
        return sought.known

    async def _recall(self, sought: Sequence[_Sought]) -> None:
        """Look for replies in a thread, those to several requests at once: a store may be far away."""
        known = await run_in_thread(self._memory.recall, [one.key for one in sought])
        for one in sought:
            one.known = known.get(one.key)

    async def _note(self, paid: Sequence[PaidCall]) -> None:
        await run_in_thread(self._memory.note, paid)

    async def _enter(self, request: ModelRequest, reply: ModelReply, remember: bool) -> None:
        self._purse.pay(reply.usage)
        # To its end in any case: it has been paid for. Replies that come together are committed together.
        await shielded(self._entering.begun(PaidCall(request, self.model.name, reply, remember)))
