"""What goes wrong with real endpoints. Each kind acts before the reply is made, or changes what is said."""

import math
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import formatdate

from aiohttp import web

from tests.model_server.errors import ApiError
from tests.model_server.types import Said

Pause = Callable[[float | None], Awaitable[None]]
"""Waits so many seconds; None is until the client gives up or the server closes."""


class Misbehaviour:
    async def act(self, pause: Pause) -> web.Response | None:
        """What happens before anything else; a response ends the call."""
        return None

    def change(self, said: Said) -> Said:
        return said


@dataclass(frozen=True)
class Late(Misbehaviour):
    seconds: float

    async def act(self, pause: Pause) -> None:
        await pause(self.seconds)


@dataclass(frozen=True)
class Never(Misbehaviour):
    """Hangs until the client gives up or the server closes."""

    async def act(self, pause: Pause) -> None:
        await pause(None)


@dataclass(frozen=True)
class Gate(Misbehaviour):
    """Keeps calls waiting until it is opened."""

    opened: threading.Event = field(default_factory=threading.Event)

    async def act(self, pause: Pause) -> None:
        while not self.opened.is_set():
            await pause(0.01)


@dataclass(frozen=True)
class Status(Misbehaviour):
    """An error. ``retry_after`` is in seconds; with ``as_date`` it is sent as an HTTP date, rounded up."""

    status: int
    code: str | None = None
    message: str = ""
    retry_after: float | None = None
    as_date: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    async def act(self, pause: Pause) -> None:
        usual_code, kind, usual_message = _USUAL.get(self.status, (None, "invalid_request_error", "It went wrong."))
        headers = dict(self.headers)
        if self.retry_after is not None:
            headers["Retry-After"] = (
                formatdate(math.ceil(time.time() + self.retry_after), usegmt=True)
                if self.as_date
                else f"{self.retry_after:g}"
            )
        raise ApiError(self.status, self.message or usual_message, self.code or usual_code, type=kind, headers=headers)


_USUAL = {
    429: ("rate_limit_exceeded", "requests", "Rate limit reached for requests. Please try again later."),
    500: (None, "server_error", "The server had an error while processing your request. Sorry about that!"),
    503: (None, "server_error", "The engine is currently overloaded, please try again later."),
}


@dataclass(frozen=True)
class NotJson(Misbehaviour):
    """The page of a proxy instead of a reply."""

    status: int = 200
    page: str = "<html><body><h1>Bad gateway</h1></body></html>"

    async def act(self, pause: Pause) -> web.Response:
        return web.Response(text=self.page, status=self.status, content_type="text/html")


@dataclass(frozen=True)
class Changed(Misbehaviour):
    """Says what this makes of it, for anything that has no kind of its own."""

    how: Callable[[Said], Said]

    def change(self, said: Said) -> Said:
        return self.how(said)


@dataclass(frozen=True)
class Replaced(Misbehaviour):
    """Says this text instead: wrong names of fields, scores as words, control characters."""

    text: str

    def change(self, said: Said) -> Said:
        return replace(said, text=self.text)


class CutConnection(Misbehaviour):
    """Aborts the connection after half of the body, or of the stream."""

    def change(self, said: Said) -> Said:
        return replace(said, cut=True)


class CutStream(CutConnection):
    """Aborts the connection in the middle of the server-sent events."""


class CutText(Misbehaviour):
    """Runs out of tokens in the middle."""

    def change(self, said: Said) -> Said:
        text = said.text or ""
        return replace(said, text=text[: len(text) // 2], finish_reason="length")


class NullContent(Misbehaviour):
    def change(self, said: Said) -> Said:
        return replace(said, text=None)


class EmptyText(Misbehaviour):
    def change(self, said: Said) -> Said:
        return replace(said, text="")


class EmptyChoices(Misbehaviour):
    def change(self, said: Said) -> Said:
        return replace(said, choices=False)


@dataclass(frozen=True)
class Refusal(Misbehaviour):
    text: str = "I'm sorry, I can't assist with that request."

    def change(self, said: Said) -> Said:
        return replace(said, text=None, refusal=self.text)


@dataclass(frozen=True)
class Prose(Misbehaviour):
    """Talks before and after the reply."""

    before: str = "Sure! Here is what I found:"
    after: str = "Let me know if you need anything else."

    def change(self, said: Said) -> Said:
        return replace(said, text=f"{self.before}\n\n{said.text or ''}\n\n{self.after}")


class Fenced(Misbehaviour):
    def change(self, said: Said) -> Said:
        return replace(said, text=f"```json\n{said.text or ''}\n```")


@dataclass(frozen=True)
class Think(Misbehaviour):
    """Thinks aloud first."""

    thought: str = 'The user wants {"facts": []}, let me see.'

    def change(self, said: Said) -> Said:
        return replace(said, text=f"<think>\n{self.thought}\n</think>\n\n{said.text or ''}")


@dataclass(frozen=True)
class Huge(Misbehaviour):
    """Goes on and on."""

    megabytes: float

    def change(self, said: Said) -> Said:
        words = int(self.megabytes * 1_000_000 / 5)
        return replace(said, text="word " * words, completion_tokens=words)


class WithoutUsage(Misbehaviour):
    def change(self, said: Said) -> Said:
        return replace(said, usage=False)
