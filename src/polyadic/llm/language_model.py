"""Protocol for language models, with their requests and replies."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, Protocol

from polyadic.model.identity import digest
from polyadic.model.types import Usage


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat request; ``images``, as PNG, follow its text."""

    role: Literal["system", "user", "assistant"]
    text: str
    images: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplySchema:
    """A named JSON schema for a reply, in strict form: no optional and no additional properties."""

    name: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a language model. ``purpose`` is a keyword: ``extract``, ``answer``, ...

    ``about`` is the identifier of the document that the request is about, for the ledger; empty if there is none.
    """

    purpose: str
    messages: tuple[ChatMessage, ...]
    schema: ReplySchema | None = None
    about: str = ""

    def key(self, model: str) -> str:
        """Return the cache key of this request to this model: the same words give the same key.

        ``about`` is not part of the key, because documents may share text, and the reply is paid for once.

        >>> question = (ChatMessage("user", "Why?"),)
        >>> ModelRequest("answer", question).key("m") == ModelRequest("extract", question).key("m")
        True
        """
        turns = [
            part
            for message in self.messages
            for part in (message.role, message.text, *(sha256(image).hexdigest() for image in message.images))
        ]
        return digest("request", model, self.schema.name if self.schema else "", *turns)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The reply to a request: ``complete`` unless it was cut off at the maximum length; ``seconds`` until complete."""

    text: str
    complete: bool
    usage: Usage
    seconds: float


class LanguageModel(Protocol):
    """A language model.

    Attributes
    ----------
    name
        Name recorded in evidence and answers.
    context_tokens
        Maximum number of tokens of a request and its reply together.
    output_tokens
        Number of these that are reserved for the reply.
    """

    name: str
    context_tokens: int
    output_tokens: int

    @property
    def throttle_count(self) -> int:
        """How often the call rate was reduced because the endpoint reported too many calls."""
        ...

    def check(self) -> None:
        """Check the configuration without a call: whether the key is available.

        Raises
        ------
        ModelUnavailable
            The environment variable for the key is not set.
        """
        ...

    def max_usage(self, request: ModelRequest) -> Usage:
        """Return the maximum cost of a request.

        Raises
        ------
        NoReply
            The request does not fit into the model's context.
        """
        ...

    def estimate_usage(self, request: ModelRequest, text: str) -> Usage:
        """Estimate the cost of a reply with this text, without the endpoint."""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Send a request and return the complete reply.

        Raises
        ------
        ModelUnavailable
            The endpoint, the key or the model is unavailable: every other request would fail as well.
        NoReply
            This request got no usable reply; others may.
        """
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """Yield pieces of the reply as they arrive, then the complete reply; raises as :meth:`complete`."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
