"""From names to open workspaces: the one place where a request comes to what it may see.

Which there are the site knows (``sites/``). A name that is ill-formed, that no workspace has, or that the key does not
open gives the same answer, and of the last nothing is looked up.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakValueDictionary

from polyadic.config import EmbeddingSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.embeddings.loading import load_embedder
from polyadic.server.api_keys import LOCAL, Access, ApiKey
from polyadic.server.limits import ServerLimits
from polyadic.server.loop_thread import LoopThread
from polyadic.server.problem_details import ProblemError, no_such_workspace
from polyadic.server.tenants.names import is_name
from polyadic.server.tenants.tenant_backend import TenantBackend, WorkspaceLocation
from polyadic.workspace import Workspace

_SECONDS_TO_LEAVE = 10.0


class SharedEmbedders:
    """The embedding models of this machine, one of each for all workspaces: their weights take a lot of memory."""

    def __init__(self) -> None:
        self._local: dict[EmbeddingSettings, Embedder] = {}

    def load(self, settings: EmbeddingSettings) -> Embedder:
        """As :func:`load_embedder`; an endpoint's model is each workspace's own, as it keeps an account."""
        if settings.model == "endpoint":
            return load_embedder(settings)
        if settings not in self._local:
            self._local[settings] = load_embedder(settings)
        return self._local[settings]


class _Served(Workspace):
    """A workspace that shares the models of this machine with others."""

    def __init__(self, at: WorkspaceLocation, embedders: SharedEmbedders) -> None:
        super().__init__(at.place, folder=at.folder)
        self._embedders = embedders

    @cached_property
    def embedder(self) -> Embedder:
        return self._embedders.load(self.settings.embedding)


@dataclass(slots=True)
class _Open:
    """An open workspace, how many use it, and what its site said of it when it was opened."""

    kb: Workspace
    state: Hashable
    users: int = 0
    retired: bool = False


class WorkspaceRegistry:
    """The workspaces of a site; those used last are kept open.

    Parameters
    ----------
    site
        Where they are.
    work
        Where they work.
    limits
        How many there may be, and how many are kept open.
    """

    def __init__(self, site: TenantBackend, work: LoopThread, limits: ServerLimits) -> None:
        self._site = site
        self._work = work
        self._limits = limits
        self._embedders = SharedEmbedders()
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def open_now(self) -> int:
        return len(self._open)

    @property
    def uses_now(self) -> int:
        """How many requests hold a workspace."""
        return sum(opened.users for opened in self._open.values())

    async def names(self, key: ApiKey) -> list[str]:
        """The workspaces that a key opens, by name."""
        return await self._site.names(key.opens)

    async def check(self, name: str, key: ApiKey, access: Access) -> None:
        """See to it that there is a workspace of this name, and that a key opens it.

        Raises
        ------
        Refused
            There is none, or the key opens none of this name (404); it opens it for reading only (403).
        """
        if not key.opens(name) or await self._state(name) is None:
            raise no_such_workspace()
        _check(key, access)

    @asynccontextmanager
    async def opened(self, name: str, key: ApiKey, access: Access) -> AsyncIterator[Workspace]:
        """A workspace that stays open as long as the context lasts; raises as :meth:`check` does."""
        if not key.opens(name):
            raise no_such_workspace()
        opened = await self._get(name, key, access)
        opened.users += 1
        try:
            yield opened.kb
        finally:
            opened.users -= 1
            await self._tidy(opened)

    async def create(self, name: str, key: ApiKey) -> None:
        """Make a workspace, set up as the site says.

        Raises
        ------
        Refused
            The key does not open the name (404) or only for reading (403), or there is one already (409).
        """
        if not key.opens(name) or not is_name(name):
            raise no_such_workspace()
        _check(key, "write")
        async with self._lock(name):
            if len(await self.names(LOCAL)) >= self._limits.workspaces:
                raise ProblemError(409, "too-many-workspaces", "the server holds no more workspaces")
            await self._site.make(name)

    async def delete(self, name: str, key: ApiKey, stop_jobs: Callable[[str], Awaitable[None]]) -> None:
        """Delete a workspace with all that it holds. What else lies in its folder stays where it is.

        Parameters
        ----------
        name, key
            As for :meth:`check`.
        stop_jobs
            Stops its jobs, which would make it anew; called once more when nobody can begin any.

        Raises
        ------
        Refused
            As :meth:`check`; or it is in use and not left in time (409).
        """
        await self.check(name, key, "write")
        await stop_jobs(name)
        async with self._lock(name):
            await self._left_alone(name)
            await stop_jobs(name)
            if await self._state(name) is None:
                raise no_such_workspace()
            await self._site.remove(name)

    async def close(self) -> None:
        """Close all that are open."""
        while self._open:
            await self._close(self._open.popitem()[1])
        if self._closing:
            await asyncio.wait(self._closing)

    async def _state(self, name: str) -> Hashable | None:
        return await self._site.state(name) if is_name(name) else None

    async def _get(self, name: str, key: ApiKey, access: Access) -> _Open:
        async with self._lock(name):
            found = self._open.get(name)
            state = await self._state(name)
            if found is not None and found.state != state:
                # It is another one, or was set up in another way since; whoever uses it now ends with the old one.
                del self._open[name]
                found.retired = True
                await self._tidy(found)
                found = None
            if state is None:
                raise no_such_workspace()
            _check(key, access)
            if found is None:
                found = _Open(await asyncio.to_thread(self._load, name), state)
                self._open[name] = found
            self._open.move_to_end(name)
            return found

    def _load(self, name: str) -> Workspace:
        kb = _Served(self._site.whereabouts(name), self._embedders)
        kb.store(make=True)
        return kb

    async def _tidy(self, opened: _Open) -> None:
        """Close what has been retired and is used by nobody any more, and the idle ones that are too many."""
        if opened.retired and not opened.users:
            await self._close(opened)
        while len(self._open) > self._limits.workspaces_open:
            idle = next((name for name, one in self._open.items() if not one.users), None)
            if idle is None:
                return
            await self._close(self._open.pop(idle))

    async def _left_alone(self, name: str) -> None:
        """Wait until nobody uses a workspace, and close it."""
        opened = self._open.pop(name, None)
        if opened is None:
            return
        deadline = asyncio.get_running_loop().time() + _SECONDS_TO_LEAVE
        while opened.users:
            if asyncio.get_running_loop().time() > deadline:
                self._open[name] = opened
                raise ProblemError(409, "workspace-busy", "the workspace is in use", {"Retry-After": "5"})
            await asyncio.sleep(0.02)
        await self._close(opened)

    async def _close(self, opened: _Open) -> None:
        # Also where whoever waits for it is cancelled: a client that goes must not leave files open.
        closing = asyncio.create_task(self._work.run(opened.kb.aclose()))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.shield(closing)

    def _lock(self, name: str) -> asyncio.Lock:
        """Opening, making and deleting one workspace happen one after the other."""
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return lock


def _check(key: ApiKey, access: Access) -> None:
    if access == "write" and key.access != "write":
        raise ProblemError(403, "read-only-key", "your key opens this workspace for reading only")
