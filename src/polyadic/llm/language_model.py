"""What a language model is asked, and what comes back; any model stands behind one small protocol."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from polyadic.model.identity import digest
from polyadic.model.types import Usage


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ReplySchema:
    """A JSON schema, named, that a reply has to follow; in the strict form: nothing optional, nothing further."""

    name: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a language model. ``purpose`` says what for, in a word: ``extract``, ``answer``, ...

    ``about`` is the identifier of the document that it is about, for the ledger; empty where it is about none.
    """

    purpose: str
    messages: tuple[ChatMessage, ...]
    schema: ReplySchema | None = None
    about: str = ""

    def key(self, model: str) -> str:
        """What a reply to this request from this model is remembered by: the same words, the same key.

        Two documents may hold the same words, so ``about`` is no part of it: the reply is paid for once.

        >>> question = (ChatMessage("user", "Why?"),)
        >>> ModelRequest("answer", question).key("m") == ModelRequest("extract", question).key("m")
        True
        """
        turns = [part for message in self.messages for part in (message.role, message.text)]
        return digest("request", model, self.schema.name if self.schema else "", *turns)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back: ``complete`` unless it was cut off at the longest reply allowed. Times in seconds."""

    text: str
    complete: bool
    usage: Usage
    seconds: float


class LanguageModel(Protocol):
    """One language model.

    Attributes
    ----------
    name
        What evidence and answers say they were made by.
    context_tokens
        How many tokens a request and its reply may have together.
    output_tokens
        How many of these are kept for the reply.
    """

    name: str
    context_tokens: int
    output_tokens: int

    @property
    def slowed(self) -> int:
        """How often it was asked more slowly from then on, because the endpoint said that these were too many calls."""
        ...

    def check(self) -> None:
        """What can be known without a call: whether the key is there.

        Raises
        ------
        ModelUnavailable
            The environment variable that should hold it is not set.
        """
        ...

    def most(self, request: ModelRequest) -> Usage:
        """The most that a request can cost.

        Raises
        ------
        NoReply
            It does not fit into the model's context.
        """
        ...

    def counted(self, request: ModelRequest, text: str) -> Usage:
        """What a reply of this text costs, as far as it can be counted without the endpoint."""
        ...

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The reply, once it is whole.

        Raises
        ------
        ModelUnavailable
            The endpoint, the key or the model is not to be had: no other request will fare better.
        NoReply
            This request got no usable reply; another may.
        """
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The reply in pieces as they come, and then the whole; raises as :meth:`ask` does."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
