"""Response cache in the store of a workspace."""

from collections.abc import Mapping, Sequence

from polyadic.llm.cached_model import PaidCall
from polyadic.llm.replies.parser import LONGEST_REPLY
from polyadic.storage.protocol import CachedReply, LedgerCall, Store
from polyadic.storage.retry import with_retries


class StoreResponseCache:
    """A ResponseCache in a store; cached replies contain text from documents, so access needs the same rights."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, keys: Sequence[str]) -> Mapping[str, tuple[str, bool]]:
        return with_retries(self._store.replies, keys)

    def note(self, paid: Sequence[PaidCall]) -> None:
        """Record calls in one committed transaction, because they are paid for even if the run fails."""
        self._store.record_calls([(_call(call), _reply(call) if call.remember else None) for call in paid])


def _call(paid: PaidCall) -> LedgerCall:
    return LedgerCall(paid.request.purpose, paid.model, paid.reply.usage, paid.reply.seconds, paid.request.about)


def _reply(paid: PaidCall) -> CachedReply:
    # Text beyond LONGEST_REPLY is never parsed; one more character shows that the reply was longer.
    return paid.request.key(paid.model), paid.reply.text[: LONGEST_REPLY + 1], paid.reply.complete
