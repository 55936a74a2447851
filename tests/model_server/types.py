"""The terms of the test server: what it was asked, what it said, and the record of both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

Route = Literal["chat", "embeddings", "rerank"]
JsonMode = Literal["json_schema", "json_object"]


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    text: str
    images: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Asked:
    """One request. ``number`` counts the requests of its route from 1; the names of ``headers`` are in lower case.

    ``schema`` is the JSON schema that the reply must have. ``inputs`` are the texts to embed or to rank, ``messages``
    those of a chat; ``body`` is all that was sent.
    """

    number: int
    model: str
    messages: tuple[Message, ...] = ()
    schema: Mapping[str, Any] | None = None
    json_mode: JsonMode | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    stream: bool = False
    inputs: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def text(self) -> str:
        """What all messages say."""
        return "\n\n".join(message.text for message in self.messages)

    @property
    def last_user_text(self) -> str:
        return next((m.text for m in reversed(self.messages) if m.role == "user"), "")


@dataclass(frozen=True, slots=True)
class Said:
    """One reply. None for a count of tokens: as counted.

    Not for responders in earnest, but for misbehaviour: without ``choices`` the list of choices is empty, without
    ``usage`` none is reported, and ``cut`` aborts the connection in the middle of the reply.
    """

    text: str | None
    finish_reason: str = "stop"
    refusal: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    choices: bool = True
    usage: bool = True
    cut: bool = False


Responder = Callable[[Asked], str | Said | None]
"""Answers a request, or passes it on to the next responder by None."""


@dataclass(frozen=True, slots=True)
class Call:
    """The record of one request. ``status`` is 0 where no whole reply was sent; ``error`` says what went wrong.

    ``asked`` is what was sent; ``prompt_tokens`` are those that were read (fewer, if the server truncates), none if
    the request was turned down. ``at`` is the time of arrival as of ``time.time()``.
    """

    asked: Asked
    status: int
    text: str | None
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    at: float
    error: str = ""
