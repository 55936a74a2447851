"""Connections to an OpenAI-compatible endpoint through the official client, which retries failed calls."""

import asyncio
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyadic.config import EndpointSettings
from polyadic.errors import ModelUnavailable
from polyadic.llm.adaptive_concurrency import AdaptiveConcurrencyLimiter
from polyadic.llm.rate_limiter import RateLimiterProtocol, RateLimits

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_NO_KEY = "none"
# Connecting to a running server takes less than this, however long its replies take.
_TO_CONNECT = 10.0
_LONGEST_QUOTE = 200
_CREDENTIALS = re.compile(r"^(\w+://)?[^/]*@")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class _Session:
    """State bound to one event loop: the client and its limiters."""

    client: "AsyncOpenAI"
    gate: asyncio.Semaphore
    tokens: RateLimiterProtocol | None


class Endpoint:
    """Connections to one endpoint and its limits; usable from several event loops, each with its own session.

    Parameters
    ----------
    settings
        Address and limits of the endpoint.
    section
        Section of the settings, for messages.
    limits
        Creates the rate limits of a session; by default those of the settings, for each event loop separately.

    Attributes
    ----------
    throttle_count
        How often concurrency was reduced because the endpoint reported too many calls.
    """

    def __init__(
        self, settings: EndpointSettings, section: str, limits: Callable[[EndpointSettings], RateLimits] = RateLimits.of
    ) -> None:
        self.settings = settings
        self.section = section
        self._limits = limits
        self.throttle_count = 0
        self._lives: dict[asyncio.AbstractEventLoop, AsyncGenerator[_Session, None]] = {}
        self._sessions: dict[asyncio.AbstractEventLoop, _Session] = {}

    @property
    def address(self) -> str:
        """The base URL for messages, without credentials and query, which may be secret.

        >>> Endpoint(EndpointSettings(base_url="http://ada:secret@host/v1?key=secret"), "model").address
        'http://host/v1'
        """
        return _CREDENTIALS.sub(r"\1", self._url).partition("?")[0] or "OpenAI's endpoint"

    @property
    def key(self) -> str:
        """The API key, which must never be shown.

        Raises
        ------
        ModelUnavailable
            The environment variable is not set, or its value cannot be a key.
        """
        variable = self.settings.key_variable
        if not variable:
            return _NO_KEY
        # A user may have put the key itself into key_variable: it must not appear in a message.
        shown = variable if _VARIABLE.fullmatch(variable) else "that key_variable names"
        key = os.environ.get(variable, "").strip()
        if not key:
            raise ModelUnavailable(
                f"no key for {self.address}: the environment variable {shown} is not set",
                f'set it, or key_variable = "" under [{self.section}] if the endpoint needs none',
            )
        if not (key.isascii() and key.isprintable()):
            what = f"the environment variable {shown} holds characters that are not valid in a key"
            raise ModelUnavailable(what, "set it to the key and nothing else")
        return key

    def quoted(self, message: str) -> str:
        """Format a message of the endpoint: on one line, shortened, and with the key masked."""
        key = os.environ.get(self.settings.key_variable, "").strip()
        line = " ".join((message.replace(key, "***") if key else message).split())
        return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 1] + "…"

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator["AsyncOpenAI"]:
        """Yield the client once the limits allow another call of about ``tokens`` tokens."""
        session = await self._session()
        async with session.gate:
            if session.tokens:
                await session.tokens.take(tokens)
            yield session.client

    async def close(self) -> None:
        """Close the connections of this event loop; the next call opens new ones."""
        life = self._lives.get(asyncio.get_running_loop())
        if life:
            await life.aclose()

    async def _session(self) -> _Session:
        loop = asyncio.get_running_loop()
        if loop not in self._sessions:
            for ended in [other for other in list(self._sessions) if other.is_closed()]:
                self._forget(ended)
            life = self._lives[loop] = self._live(loop)
            self._sessions[loop] = await anext(life)
        return self._sessions[loop]

    async def _live(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[_Session, None]:
        """Yield the session of one event loop.

        It is an asynchronous generator because an event loop closes open generators on shutdown: connections end with
        their loop, even if ``close`` is never called.
        """
        at_once, limits = self.settings.at_once, self._limits(self.settings)
        try:
            client = self._client(AdaptiveConcurrencyLimiter(at_once, limits.requests, self._slow_down))
            try:
                yield _Session(client, asyncio.Semaphore(at_once), limits.tokens)
            finally:
                await client.close()
        finally:
            self._forget(loop)

    def _slow_down(self) -> None:
        self.throttle_count += 1

    def _forget(self, loop: asyncio.AbstractEventLoop) -> None:
        self._sessions.pop(loop, None)
        self._lives.pop(loop, None)

    @property
    def _url(self) -> str:
        return (self.settings.base_url or os.environ.get("OPENAI_BASE_URL", "")).strip()

    def _client(self, pace: AdaptiveConcurrencyLimiter) -> "AsyncOpenAI":
        """Create the client; raise ModelUnavailable if the address or the proxy settings are invalid."""
        from openai import AsyncAzureOpenAI, AsyncOpenAI, Timeout

        from polyadic.llm.throttled_client import ThrottledClient

        s, key = self.settings, self.key
        timeout = Timeout(s.timeout, connect=min(s.timeout, _TO_CONNECT))
        if s.azure_api_version and not self._url:
            what = "azure_api_version is set, but base_url is not"
            raise ModelUnavailable(what, f"set base_url under [{self.section}], such as https://NAME.openai.azure.com")
        try:
            http = ThrottledClient(pace, s.timeout)
            if s.azure_api_version:
                return AsyncAzureOpenAI(
                    azure_endpoint=self._url,
                    api_version=s.azure_api_version,
                    api_key=key,
                    timeout=timeout,
                    max_retries=s.retries,
                    http_client=http,
                )
            return AsyncOpenAI(
                base_url=self._url or None, api_key=key, timeout=timeout, max_retries=s.retries, http_client=http
            )
        except Exception as error:
            # No call was made yet, so a setting is wrong: address, proxy or certificate file.
            what = f"no connection to {self.address} can be set up ({type(error).__name__})"
            next_step = f"check base_url under [{self.section}], and HTTP_PROXY, HTTPS_PROXY, SSL_CERT_FILE if set"
            raise ModelUnavailable(what, next_step) from None
