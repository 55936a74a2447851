"""Language model for batch files: requests are recorded instead of sent; replies come from another file."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polyadic.errors import PolyadicError
from polyadic.llm.language_model import ModelReply, ModelRequest
from polyadic.model.types import Usage

if TYPE_CHECKING:
    from polyadic.llm.endpoint_model import EndpointModel

ReplyLookup = Callable[[str], ModelReply | None]
"""Return the reply to a request (by its key) with its usage; None if there is none yet."""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A request for a batch file: the key of its reply, its purpose, the request body, and the URL as a path."""

    key: str
    purpose: str
    body: dict[str, Any]
    url: str


class ReplyPending(PolyadicError):
    """The reply is not available yet; the requests were recorded for a batch file.

    Parameters
    ----------
    requests
        The requests without a reply.
    """

    def __init__(self, *requests: PendingRequest) -> None:
        super().__init__(
            "the reply is pending in a batch file",
            "run polyadic batch write to export the requests, then polyadic batch read to import the replies",
        )
        self.requests = requests


class BatchModel:
    """A LanguageModel that never calls an endpoint, so it needs no key.

    Parameters
    ----------
    model
        The model of the batch; provides request bodies and token limits.
    lookup
        Returns the replies that have been imported.
    """

    def __init__(self, model: "EndpointModel", lookup: ReplyLookup) -> None:
        self.name = model.name
        self.context_tokens = model.context_tokens
        self.output_tokens = model.output_tokens
        self._model = model
        self._lookup = lookup

    def check(self) -> None:
        """Do nothing: no key is needed."""

    @property
    def throttle_count(self) -> int:
        return 0

    def max_usage(self, request: ModelRequest) -> Usage:
        return self._model.max_usage(request)

    def estimate_usage(self, request: ModelRequest, text: str) -> Usage:
        return self._model.estimate_usage(request, text)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return the imported reply.

        Raises
        ------
        ReplyPending
            There is no reply yet.
        NoReply
            The request does not fit into the model's context.
        """
        key = request.key(self.name)
        reply = self._lookup(key)
        if reply is None:
            raise ReplyPending(PendingRequest(key, request.purpose, self._model.body(request), self._model.batch_url))
        return reply

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        reply = await self.complete(request)
        yield reply.text
        yield reply

    async def close(self) -> None:
        """Do nothing: there are no connections."""
