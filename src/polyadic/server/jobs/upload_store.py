"""Protocol of the storage for uploads, which are kept until a job has read them."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from polyadic.server.jobs.job import Job
from polyadic.server.jobs.upload import Upload


class UploadStore(Protocol):
    """Uploaded files and texts by job. Methods raise StoreError if the storage is unavailable."""

    def new_upload(self, workspace: str, identifier: str = "") -> Upload:
        """Return a new upload for a workspace.

        Its folder does not exist yet; its name, ``identifier`` or a random one, becomes the id of the job.
        """

    async def keep(self, upload: Upload, workspace: str) -> None:
        """Store a finished upload permanently."""

    async def is_whole(self, job: Job) -> bool:
        """Return whether the complete upload of a job is available."""

    def fetched(self, job: Job) -> AbstractAsyncContextManager[Upload]:
        """Provide the upload of a job as local files for the duration of the context."""

    async def remove(self, identifier: str, workspace: str) -> None:
        """Delete the upload of a job."""

    async def orphans(self) -> list[tuple[str, str]]:
        """Return job ids and workspaces of uploads that may have no job, because a server stopped during the upload."""
