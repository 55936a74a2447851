"""What was handed in, as files below the folder of its workspace."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from polyadic.server.jobs.job import Job
from polyadic.server.jobs.upload import Upload

INCOMING = ".incoming"
"""In a workspace: what clients handed in, until it is read."""


class FolderUploadStore:
    """Implements :class:`polyadic.server.jobs.upload_store.UploadStore` below the folder of the workspaces."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def incoming(self, workspace: str) -> Upload:
        return self._of(secrets.token_hex(16), workspace)

    async def keep(self, incoming: Upload, workspace: str) -> None:
        """Nothing: it is where it stays."""

    async def is_whole(self, job: Job) -> bool:
        return self._of(job.id, job.workspace).is_whole()

    @asynccontextmanager
    async def fetched(self, job: Job) -> AsyncIterator[Upload]:
        yield self._of(job.id, job.workspace)

    async def remove(self, identifier: str, workspace: str) -> None:
        await asyncio.to_thread(self._of(identifier, workspace).remove)

    async def left(self) -> list[tuple[str, str]]:
        found = []
        for folder in self._folder.glob(f"[!.]*/{INCOMING}/*"):
            if not any(part.is_symlink() for part in (folder, *folder.parents[:2])):
                found.append((folder.name, folder.parents[1].name))
        return found

    def _of(self, identifier: str, workspace: str) -> Upload:
        return Upload(self._folder / workspace / INCOMING / identifier)
