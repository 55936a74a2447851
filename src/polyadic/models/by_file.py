"""A language model that is asked by file: requests are noted instead of sent, and replies come in another file."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polyadic.errors import PolyadicError
from polyadic.knowledge import Usage
from polyadic.models.language_model import Reply, Request

if TYPE_CHECKING:
    from polyadic.models.endpoint_model import EndpointModel

Recall = Callable[[str], Reply | None]
"""The reply to a request (by its key), with what was paid for it; None where it has not come yet."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A request to be asked by file: the key that its reply will be known by, what it is for, and what is sent."""

    key: str
    purpose: str
    body: dict[str, Any]


class ReplyAwaited(PolyadicError):
    """What was asked has been noted, and goes on when the replies have come.

    Parameters
    ----------
    requests
        Those without a reply yet.
    """

    def __init__(self, *requests: Noted) -> None:
        super().__init__(
            "the reply is awaited from a batch file", "polyadic batch write asks for it, batch read takes it"
        )
        self.requests = requests


class ModelByFile:
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

    def most(self, request: Request) -> Usage:
        return self._model.most(request)

    def counted(self, request: Request, text: str) -> Usage:
        return self._model.counted(request, text)

    async def ask(self, request: Request) -> Reply:
        """The reply that has come.

        Raises
        ------
        ReplyAwaited
            It has not.
        NoReply
            The request does not fit into the model's context.
        """
        key = request.key(self.name)
        known = self._recall(key)
        if known is None:
            raise ReplyAwaited(Noted(key, request.purpose, self._model.body(request)))
        return known

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        reply = await self.ask(request)
        yield reply.text
        yield reply

    async def close(self) -> None:
        """There is nothing to let go of."""
