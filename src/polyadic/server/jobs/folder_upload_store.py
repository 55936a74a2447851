"""Upload store in the folders of the workspaces."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from polyadic.server.jobs.job import Job
from polyadic.server.jobs.upload import Upload

UPLOADS = ".uploads"
"""Subfolder of a workspace for uploads that have not been read yet."""


class FolderUploadStore:
    """Implements :class:`polyadic.server.jobs.upload_store.UploadStore` in the folders of the workspaces."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def new_upload(self, workspace: str, identifier: str = "") -> Upload:
        return self._upload(identifier or secrets.token_hex(16), workspace)

    async def keep(self, upload: Upload, workspace: str) -> None:
        """Do nothing: the upload is already in its final place."""

    async def is_whole(self, job: Job) -> bool:
        return self._upload(job.id, job.workspace).is_whole()

    @asynccontextmanager
    async def fetched(self, job: Job) -> AsyncIterator[Upload]:
        yield self._upload(job.id, job.workspace)

    async def remove(self, identifier: str, workspace: str) -> None:
        await asyncio.to_thread(self._upload(identifier, workspace).remove)

    async def orphans(self) -> list[tuple[str, str]]:
        leftovers = []
        for folder in self._folder.glob(f"[!.]*/{UPLOADS}/*"):
            if not any(part.is_symlink() for part in (folder, *folder.parents[:2])):
                leftovers.append((folder.name, folder.parents[1].name))
        return leftovers

    def _upload(self, identifier: str, workspace: str) -> Upload:
        return Upload(self._folder / workspace / UPLOADS / identifier)
