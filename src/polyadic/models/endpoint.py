"""An endpoint that speaks the OpenAI protocol, through the official client, which retries and honours Retry-After."""

import asyncio
import os
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiolimiter import AsyncLimiter

from polyadic.errors import ModelUnavailable
from polyadic.settings import EndpointSettings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_NO_KEY = "none"
_MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class _Session:
    """What is bound to one event loop: connections, and who may go next."""

    client: "AsyncOpenAI"
    gate: asyncio.Semaphore
    requests: AsyncLimiter | None
    tokens: AsyncLimiter | None


class Endpoint:
    """Connections to one endpoint, and its limits; usable from several event loops, of which each has its own.

    Parameters
    ----------
    settings
        Where it is and what it allows.
    section
        Which section of the settings these are, for messages.
    """

    def __init__(self, settings: EndpointSettings, section: str) -> None:
        self.settings = settings
        self.section = section
        self._sessions: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Session] = weakref.WeakKeyDictionary()

    @property
    def address(self) -> str:
        """The base URL, for messages."""
        return self.settings.base_url or os.environ.get("OPENAI_BASE_URL") or "OpenAI's endpoint"

    @property
    def key(self) -> str:
        """The key itself, which must never be shown.

        Raises
        ------
        ModelUnavailable
            The variable that should hold it is not set.
        """
        variable = self.settings.key_variable
        if not variable:
            return _NO_KEY
        if key := os.environ.get(variable, "").strip():
            return key
        raise ModelUnavailable(
            f"no key for {self.address}: the environment variable {variable} is not set",
            f'set it, or key_variable = "" under [{self.section}] if the endpoint needs none',
        )

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator["AsyncOpenAI"]:
        """The client, once there is room for one more call of about so many tokens."""
        session = self._session()
        async with session.gate:
            if session.requests:
                await session.requests.acquire()
            if session.tokens:
                await session.tokens.acquire(min(tokens, session.tokens.max_rate))
            yield session.client

    async def close(self) -> None:
        """Close this loop's connections; the next call opens new ones."""
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        if session:
            await session.client.close()

    def _session(self) -> _Session:
        loop = asyncio.get_running_loop()
        if loop not in self._sessions:
            s = self.settings
            self._sessions[loop] = _Session(
                self._client(),
                asyncio.Semaphore(s.at_once),
                _a_minute(s.requests_per_minute),
                _a_minute(s.tokens_per_minute),
            )
        return self._sessions[loop]

    def _client(self) -> "AsyncOpenAI":
        from openai import AsyncAzureOpenAI, AsyncOpenAI

        s = self.settings
        if s.azure_api_version:
            return AsyncAzureOpenAI(
                azure_endpoint=s.base_url,
                api_version=s.azure_api_version,
                api_key=self.key,
                timeout=s.timeout,
                max_retries=s.retries,
            )
        return AsyncOpenAI(base_url=s.base_url or None, api_key=self.key, timeout=s.timeout, max_retries=s.retries)


def _a_minute(most: int) -> AsyncLimiter | None:
    return AsyncLimiter(most, _MINUTE) if most else None
