"""A language model that is asked by file: requests are noted instead of sent, and replies come in another file."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polyadic.errors import PolyadicError
from polyadic.llm.language_model import ModelReply, ModelRequest
from polyadic.model.types import Usage

if TYPE_CHECKING:
    from polyadic.llm.endpoint_model import EndpointModel

Recall = Callable[[str], ModelReply | None]
"""The reply to a request (by its key), with what was paid for it; None where it has not come yet."""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A request to be asked by file: the key that its reply will be known by, what it is for, and what is sent."""

    key: str
    purpose: str
    body: dict[str, Any]


class ReplyPending(PolyadicError):
    """What was asked has been noted, and goes on when the replies have come.

    Parameters
    ----------
    requests
        Those without a reply yet.
    """

    def __init__(self, *requests: PendingRequest) -> None:
        super().__init__(
            "the reply is awaited from a batch file", "polyadic batch write asks for it, batch read takes it"
        )
        self.requests = requests


class BatchModel:
    """Implements LanguageModel without ever calling anybody, so it needs no key.

    Parameters
    ----------
    model
        What would be asked: says what is sent and what fits.
    recall
        Knows the replies that have come.
    """

    def __init__(self, model: "EndpointModel", recall: Recall) -> None:
        self.name = model.name
        self.context_tokens = model.context_tokens
        self.output_tokens = model.output_tokens
        self._model = model
        self._recall = recall

    def check(self) -> None:
        """Nothing can be missing."""

    @property
    def slowed(self) -> int:
        return 0

    def most(self, request: ModelRequest) -> Usage:
        return self._model.most(request)

    def counted(self, request: ModelRequest, text: str) -> Usage:
        return self._model.counted(request, text)

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The reply that has come.

        Raises
        ------
        ReplyPending
            It has not.
        NoReply
            The request does not fit into the model's context.
        """
        key = request.key(self.name)
        known = self._recall(key)
        if known is None:
            raise ReplyPending(PendingRequest(key, request.purpose, self._model.body(request)))
        return known

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        reply = await self.ask(request)
        yield reply.text
        yield reply

    async def close(self) -> None:
        """There is nothing to let go of."""
