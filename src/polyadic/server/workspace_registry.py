"""Registry of open workspaces: the one place where requests get access to a workspace.

The tenant backend (``tenants/``) knows which workspaces exist. Invalid, unknown and unauthorized names give the same
response, and for unauthorized names nothing is looked up.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Literal
from weakref import WeakValueDictionary

from polyadic.concurrency.event_loop_thread import EventLoopThread
from polyadic.config import EmbeddingSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.embeddings.loading import load_embedder
from polyadic.server.api_keys import LOCAL, ApiKey
from polyadic.server.filtered_workspace import FilteredWorkspace
from polyadic.server.problem_details import ProblemError, filtered_key, no_such_workspace
from polyadic.server.server_limits import ServerLimits
from polyadic.server.tenants.tenant_backend import TenantBackend, WorkspaceLocation, is_name
from polyadic.workspace import Workspace

_SECONDS_TO_LEAVE = 10.0
RequestedAccess = Literal["read", "read-all", "write"]
"""``read`` shows a key with a document filter only these documents; ``read-all`` and ``write`` refuse such a key."""


class SharedEmbedders:
    """Local embedding models, one instance of each for all workspaces, because the weights take much memory."""

    def __init__(self) -> None:
        self._local: dict[EmbeddingSettings, Embedder] = {}

    def load(self, settings: EmbeddingSettings) -> Embedder:
        """Load an embedder as :func:`load_embedder` does, or return the shared one.

        Endpoint models are not shared, because each counts the usage of its workspace.
        """
        if settings.model == "endpoint":
            return load_embedder(settings)
        if settings not in self._local:
            self._local[settings] = load_embedder(settings)
        return self._local[settings]


class _ServedWorkspace(Workspace):
    """A workspace that shares local embedding models with others."""

    def __init__(self, location: WorkspaceLocation, embedders: SharedEmbedders) -> None:
        super().__init__(location.place, folder=location.folder)
        self._embedders = embedders

    @cached_property
    def embedder(self) -> Embedder:
        return self._embedders.load(self.settings.embedding)


@dataclass(slots=True)
class _OpenWorkspace:
    """An open workspace, the number of requests that use it, and its backend state when it was opened."""

    kb: Workspace
    state: Hashable
    users: int = 0
    retired: bool = False


class WorkspaceRegistry:
    """The workspaces of a tenant backend; recently used ones are kept open.

    Parameters
    ----------
    tenants
        Tenant backend.
    work
        Event loop thread on which workspaces run.
    limits
        Maximum number of workspaces, and of those kept open.
    """

    def __init__(self, tenants: TenantBackend, work: EventLoopThread, limits: ServerLimits) -> None:
        self._tenants = tenants
        self._work = work
        self._limits = limits
        self._embedders = SharedEmbedders()
        self._open: OrderedDict[str, _OpenWorkspace] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def open_now(self) -> int:
        return len(self._open)

    @property
    def uses_now(self) -> int:
        """Number of requests that hold a workspace."""
        return sum(opened.users for opened in self._open.values())

    async def names(self, key: ApiKey) -> list[str]:
        """Return the names of the workspaces that a key opens, sorted."""
        return await self._tenants.names(key.opens)

    async def check(self, name: str, key: ApiKey, access: RequestedAccess) -> None:
        """Check that a workspace exists and that a key opens it.

        Raises
        ------
        ProblemError
            It does not exist or the key does not open it (404), or the key is read-only or has a document filter and
            the access is more than this (403).
        """
        if not key.opens(name) or await self._state(name) is None:
            raise no_such_workspace()
        _check(key, access)

    @asynccontextmanager
    async def opened(self, name: str, key: ApiKey, access: RequestedAccess) -> AsyncIterator[Workspace]:
        """Open a workspace for the duration of the context, filtered for a key with a filter.

        Raises as :meth:`check` does.
        """
        if not key.opens(name):
            raise no_such_workspace()
        opened = await self._get(name, key, access)
        opened.users += 1
        try:
            yield FilteredWorkspace(opened.kb, key.where) if key.where else opened.kb
        finally:
            opened.users -= 1
            await self._close_idle(opened)

    async def create(self, name: str, key: ApiKey) -> None:
        """Create a workspace with the default settings of the backend.

        Raises
        ------
        ProblemError
            The key does not open the name (404) or is read-only (403), or the workspace exists (409).
        """
        if not key.opens(name) or not is_name(name):
            raise no_such_workspace()
        _check(key, "write")
        async with self._lock(name):
            if len(await self.names(LOCAL)) >= self._limits.workspaces:
                raise ProblemError(409, "too-many-workspaces", "the server has reached its limit of workspaces")
            await self._tenants.make(name)

    async def delete(self, name: str, key: ApiKey, stop_jobs: Callable[[str], Awaitable[None]]) -> None:
        """Delete a workspace with all its contents. Other files in its folder are kept.

        Parameters
        ----------
        name, key
            As for :meth:`check`.
        stop_jobs
            Stops its jobs, which would otherwise recreate it; called again once no new job can start.

        Raises
        ------
        ProblemError
            As :meth:`check`; or the workspace is still in use after a wait (409).
        """
        await self.check(name, key, "write")
        await stop_jobs(name)
        async with self._lock(name):
            await self._close_when_unused(name)
            await stop_jobs(name)
            if await self._state(name) is None:
                raise no_such_workspace()
            await self._tenants.remove(name)

    async def close(self) -> None:
        """Close all open workspaces."""
        while self._open:
            await self._close(self._open.popitem()[1])
        if self._closing:
            await asyncio.wait(self._closing)

    async def _state(self, name: str) -> Hashable | None:
        return await self._tenants.state(name) if is_name(name) else None

    async def _get(self, name: str, key: ApiKey, access: RequestedAccess) -> _OpenWorkspace:
        async with self._lock(name):
            entry = self._open.get(name)
            state = await self._state(name)
            if entry is not None and entry.state != state:
                # The workspace was replaced or its settings changed; current users keep the old instance.
                del self._open[name]
                entry.retired = True
                await self._close_idle(entry)
                entry = None
            if state is None:
                raise no_such_workspace()
            _check(key, access)
            if entry is None:
                entry = _OpenWorkspace(await asyncio.to_thread(self._load, name), state)
                self._open[name] = entry
            self._open.move_to_end(name)
            return entry

    def _load(self, name: str) -> Workspace:
        kb = _ServedWorkspace(self._tenants.location(name), self._embedders)
        kb.store(make=True)
        return kb

    async def _close_idle(self, opened: _OpenWorkspace) -> None:
        """Close a retired workspace without users, and idle workspaces beyond the limit."""
        if opened.retired and not opened.users:
            await self._close(opened)
        while len(self._open) > self._limits.workspaces_open:
            idle = next((name for name, entry in self._open.items() if not entry.users), None)
            if idle is None:
                return
            await self._close(self._open.pop(idle))

    async def _close_when_unused(self, name: str) -> None:
        """Wait until no request uses a workspace, and close it."""
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

    async def _close(self, opened: _OpenWorkspace) -> None:
        # Shielded from cancellation: a client that disconnects must not leave files open.
        closing = asyncio.create_task(self._work.run(opened.kb.aclose()))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.shield(closing)

    def _lock(self, name: str) -> asyncio.Lock:
        """Return the lock that serializes opening, creating and deleting one workspace."""
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return lock


def _check(key: ApiKey, access: RequestedAccess) -> None:
    if access == "write" and key.access != "write":
        raise ProblemError(403, "read-only-key", "your key has read-only access to this workspace")
    if access != "read" and key.where:
        raise filtered_key()
