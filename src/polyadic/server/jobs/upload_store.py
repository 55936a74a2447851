"""What a server has to know of the place where it keeps what was handed in, until a job has read it."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from polyadic.server.jobs.job import Job
from polyadic.server.jobs.upload import Upload


class UploadStore(Protocol):
    """Files and texts by job. Methods may raise StoreError, where they cannot be kept or had."""

    def incoming(self, workspace: str) -> Upload:
        """A folder, not made yet, for what is being handed in to a workspace; its name is that of the job to be."""

    async def keep(self, incoming: Upload, workspace: str) -> None:
        """Keep what was handed in, and is finished, for good."""

    async def is_whole(self, job: Job) -> bool:
        """Whether what was handed in for a job is there."""

    def fetched(self, job: Job) -> AbstractAsyncContextManager[Upload]:
        """What was handed in for a job, as files of this machine as long as the context lasts."""

    async def remove(self, identifier: str, workspace: str) -> None:
        """Remove what was handed in for a job."""

    async def left(self) -> list[tuple[str, str]]:
        """Identifiers and workspaces of what may have been handed in for no job: a server ended during an upload."""
