"""Language model with a response cache, also in the store, and a budget: the same request is never paid for twice."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from weakref import WeakValueDictionary

from polyadic.concurrency.micro_batcher import MicroBatcher
from polyadic.concurrency.run_in_thread import run_in_thread, shielded
from polyadic.errors import NoReply
from polyadic.llm.budget import BudgetLedger, BudgetProtocol, SpendingBudget
from polyadic.llm.language_model import LanguageModel, ModelReply, ModelRequest
from polyadic.llm.replies.parser import LONGEST_REPLY
from polyadic.model.types import Usage
from polyadic.storage.protocol import CachedReply, LedgerCall, Store
from polyadic.storage.retry import with_retries


@dataclass(frozen=True, slots=True)
class PaidCall:
    """A paid call, its reply, and whether the reply is worth caching."""

    request: ModelRequest
    model: str
    reply: ModelReply
    remember: bool


@dataclass(slots=True)
class _CacheLookup:
    """A request key and, after the lookup, the cached reply."""

    key: str
    known: tuple[str, bool] | None = None


class ResponseCache(Protocol):
    """A cache of a model's replies, and a ledger of paid calls."""

    def get(self, keys: Sequence[str]) -> Mapping[str, tuple[str, bool]]:
        """Return the cached replies to these requests by key, each with whether it was complete."""

    def note(self, paid: Sequence[PaidCall]) -> None:
        """Record paid calls in one transaction, and cache the replies marked ``remember``."""


class NullCache:
    """A ResponseCache for read-only use: it stores nothing."""

    def get(self, keys: Sequence[str]) -> Mapping[str, tuple[str, bool]]:
        return {}

    def note(self, paid: Sequence[PaidCall]) -> None:
        """Store nothing."""


class CachedModel:
    """A language model with a response cache and a budget; ``cache_hits`` counts cached replies that were used.

    ``ledger`` is that of a budget shared with other models, not of paid calls, which ``cache`` records; without it,
    ``budget`` is enforced for this model alone.
    """

    def __init__(
        self,
        model: LanguageModel,
        cache: ResponseCache,
        budget: SpendingBudget | None = None,
        ledger: BudgetProtocol | None = None,
    ) -> None:
        self.model = model
        self.cache_hits = 0
        self._cache = cache
        self._lookup_batcher = MicroBatcher(self._look_up)
        self._write_batcher = MicroBatcher(self._note)
        self._budget = budget
        self._ledger = ledger or BudgetLedger(budget or SpendingBudget())
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def spent(self) -> Usage:
        """Return the cost so far."""
        return self._ledger.spent

    async def complete(self, request: ModelRequest, is_usable: Callable[[ModelReply], bool]) -> ModelReply:
        """Return the cached reply, or request one and cache it if it is usable.

        Parameters
        ----------
        request
            The request to look up or send.
        is_usable
            Whether a new reply is worth caching.

        Raises
        ------
        PolyadicError
            What ``LanguageModel.complete`` raises.
        """
        key = request.key(self.model.name)
        # Concurrent identical requests wait for the first reply: texts repeat within a document.
        lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock:
            known = await self._lookup(key)
            if known:
                self.cache_hits += 1
                return ModelReply(*known, Usage(), 0.0)
            # Without a budget the estimate is not needed, and counting tokens takes time.
            most = self.model.max_usage(request) if self._budget else Usage()
            async with self._ledger.room_for(most):
                reply = await self._paid(request)
                await self._enter(request, reply, is_usable(reply))
            return reply

    async def _paid(self, request: ModelRequest) -> ModelReply:
        """Request a new reply; also record the cost of a reply that is not usable."""
        try:
            return await self.model.complete(request)
        except NoReply as problem:
            if problem.usage:
                await self._enter(request, ModelReply("", False, problem.usage, problem.seconds), remember=False)
            raise

    async def _lookup(self, key: str) -> tuple[str, bool] | None:
        lookup = _CacheLookup(key)
        # Shielded from cancellation, so that the store is not closed while it is read.
        await shielded(self._lookup_batcher.begun(lookup))
        return lookup.known

    async def _look_up(self, lookups: Sequence[_CacheLookup]) -> None:
        """Look up several replies at once, in a thread: the store may be remote."""
        known = await run_in_thread(self._cache.get, [lookup.key for lookup in lookups])
        for lookup in lookups:
            lookup.known = known.get(lookup.key)

    async def _note(self, paid: Sequence[PaidCall]) -> None:
        await run_in_thread(self._cache.note, paid)

    async def _enter(self, request: ModelRequest, reply: ModelReply, remember: bool) -> None:
        self._ledger.pay(reply.usage)
        # Shielded from cancellation, because the call is paid for. Replies that arrive together are committed together.
        await shielded(self._write_batcher.begun(PaidCall(request, self.model.name, reply, remember)))


class StoreResponseCache:
    """A ResponseCache in a store; cached replies contain text from documents, so access needs the same rights."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, keys: Sequence[str]) -> Mapping[str, tuple[str, bool]]:
        return with_retries(self._store.replies, keys)

    def note(self, paid: Sequence[PaidCall]) -> None:
        """Record calls in one committed transaction, because they are paid for even if the run fails."""
        self._store.record_calls(
            [(_ledger_call(call), _cached_reply(call) if call.remember else None) for call in paid]
        )


def _ledger_call(paid: PaidCall) -> LedgerCall:
    return LedgerCall(paid.request.purpose, paid.model, paid.reply.usage, paid.reply.seconds, paid.request.about)


def _cached_reply(paid: PaidCall) -> CachedReply:
    # Text beyond LONGEST_REPLY is never parsed; one more character shows that the reply was longer.
    return paid.request.key(paid.model), paid.reply.text[: LONGEST_REPLY + 1], paid.reply.complete
