"""Replies of language models, remembered in the store that they fill."""

from collections.abc import Mapping, Sequence

from polyadic.llm.cached_model import PaidCall
from polyadic.llm.replies.parser import LONGEST_REPLY
from polyadic.storage.protocol import LedgerCall, Store, ToRemember
from polyadic.storage.retry import with_retries


class StoreResponseCache:
    """Implements Memory; to be used by whoever may remember replies, which hold what documents say."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def recall(self, keys: Sequence[str]) -> Mapping[str, tuple[str, bool]]:
        return with_retries(self._store.replies, keys)

    def note(self, paid: Sequence[PaidCall]) -> None:
        """Committed at once: whatever happens to the run, these calls have been paid for."""
        self._store.note_calls([(_call(one), _kept(one) if one.remember else None) for one in paid])


def _call(paid: PaidCall) -> LedgerCall:
    return LedgerCall(paid.request.purpose, paid.model, paid.reply.usage, paid.reply.seconds, paid.request.about)


def _kept(paid: PaidCall) -> ToRemember:
    # What is never read is not kept either; one character more tells that there was more.
    return paid.request.key(paid.model), paid.reply.text[: LONGEST_REPLY + 1], paid.reply.complete
