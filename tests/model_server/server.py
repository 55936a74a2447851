"""The server itself, on a thread of its own."""

import asyncio
import threading
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from aiohttp import web

from polyadic.text.tokens import count_tokens
from tests.model_server.application import application
from tests.model_server.misbehaviour import Misbehaviour
from tests.model_server.records import Records
from tests.model_server.rules import Predicate, Rule, Rules
from tests.model_server.settings import Settings
from tests.model_server.types import Asked, Call, Route

_HOST = "127.0.0.1"
_SECONDS_TO_CLOSE = 1.0


@dataclass(frozen=True)
class _Running:
    thread: threading.Thread
    loop: asyncio.AbstractEventLoop
    closing: asyncio.Event
    port: int


@dataclass(eq=False)
class ModelServer(Settings):
    """An OpenAI-compatible endpoint that says what a test wants.

    ``chat``, ``embeddings`` and ``rankings`` are the records of the routes; ``calls``, ``prompt_tokens`` and the like
    are those of ``chat``.

        with ModelServer([says("Hello.")], key="sk-test") as server:
            server.misbehave(Status(429, retry_after=0.1))
            ask(server.url)
            assert [call.status for call in server.calls] == [429, 200]
    """

    chat: Records = field(default_factory=Records, init=False)
    embeddings: Records = field(default_factory=Records, init=False)
    rankings: Records = field(default_factory=Records, init=False)
    _rules: Rules = field(default_factory=Rules, init=False, repr=False)
    _running: _Running | None = field(default=None, init=False, repr=False)

    @property
    def url(self) -> str:
        """The base URL for OpenAI's clients."""
        return f"{self.azure_url}/v1"

    @property
    def azure_url(self) -> str:
        """The endpoint for Azure's clients; a model's name is that of its deployment."""
        if self._running is None:
            raise RuntimeError("the server does not run: use it in a with statement")
        return f"http://{_HOST}:{self._running.port}"

    @property
    def asked(self) -> list[Asked]:
        """The chat requests in order of arrival, also those without an end yet."""
        return self.chat.asked

    @property
    def calls(self) -> list[Call]:
        return self.chat.calls

    @property
    def prompt_tokens(self) -> int:
        return self.chat.prompt_tokens

    @property
    def completion_tokens(self) -> int:
        return self.chat.completion_tokens

    @property
    def most_at_once(self) -> int:
        return self.chat.most_at_once

    def misbehave(
        self,
        *kinds: Misbehaviour,
        times: int | None = 1,
        when: Predicate | None = None,
        on: Collection[int] | None = None,
        route: Route = "chat",
    ) -> None:
        """Have calls misbehave in these ways, all at once: the next one, or the next ``times`` (None: always).

        ``when`` and ``on`` (numbers of calls, from 1) narrow it down; with ``on`` it happens on each of these. A
        call follows the rule that was given first of those that fit, and no other.
        """
        self._rules.add(Rule(kinds, times if on is None else None, when, on, route))

    def behave(self) -> None:
        """Forget all misbehaviour."""
        self._rules.clear()

    def reset(self) -> None:
        """Forget all misbehaviour and all records; the next call is number 1."""
        self.behave()
        self.chat.reset()
        self.embeddings.reset()
        self.rankings.reset()

    def start(self) -> Self:
        # Reads the vocabulary, which would make the first call slow.
        count_tokens([""])
        ready = Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]]()
        thread = threading.Thread(target=self._run, args=(ready,), name="tests.model_server", daemon=True)
        thread.start()
        self._running = _Running(thread, *ready.result())
        return self

    def stop(self) -> None:
        """Close the server; whoever still waits for a reply loses the connection."""
        if (running := self._running) is not None:
            self._running = None
            running.loop.call_soon_threadsafe(running.closing.set)
            running.thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self, ready: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]]") -> None:
        try:
            asyncio.run(self._serve(ready))
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)

    async def _serve(self, ready: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]]") -> None:
        closing = asyncio.Event()
        app = application(self, self.chat, self.embeddings, self.rankings, self._rules, closing)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=_SECONDS_TO_CLOSE)
        await runner.setup()
        try:
            await web.TCPSite(runner, _HOST, self.port).start()
            ready.set_result((asyncio.get_running_loop(), closing, runner.addresses[0][1]))
            await closing.wait()
        finally:
            await runner.cleanup()
