"""Replies of language models, remembered in the store that they fill."""

from polyadic.construction.replies.read import LONGEST_REPLY
from polyadic.models.language_model import Reply, Request
from polyadic.store.protocol import Call, Store


class StoreMemory:
    """Implements Memory; to be used by whoever may remember replies, which hold what documents say."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def recall(self, key: str) -> tuple[str, bool] | None:
        with self._store.read() as reader:
            return reader.reply(key)

    def note(self, request: Request, model: str, reply: Reply, remember: bool) -> None:
        """Committed at once: whatever happens to the run, this call has been paid for."""
        # What is never read is not kept either; one character more tells that there was more.
        kept = (request.key(model), reply.text[: LONGEST_REPLY + 1], reply.complete) if remember else None
        self._store.note_call(Call(request.purpose, model, reply.usage, reply.seconds, request.about), kept)
