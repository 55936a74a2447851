"""Upload store in a PostgreSQL database, readable by all servers that share it."""

import asyncio
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from polyadic.server.jobs.job import Job
from polyadic.server.jobs.uploads import LIST, Upload
from polyadic.server.problem_details import no_such_workspace
from polyadic.server.tenants.postgres_tables import Raw, TenantTables

_PART_BYTES = 1 << 20
_MAX_TRANSFERS = 2
_PUT = "INSERT INTO upload (job, file, part, data, workspace) VALUES (%s, %s, %s, %s, %s)"
_REMOVE = "DELETE FROM upload WHERE job = %s"
# Uploads in progress have no job yet either, hence the age limit.
_LEFT = (
    "SELECT DISTINCT u.job, w.name FROM upload u JOIN workspace w ON w.id = u.workspace"
    " WHERE u.at < now() - interval '1 hour' AND NOT EXISTS (SELECT FROM job j WHERE j.id = u.job)"
)


class PostgresUploadStore:
    """Implements :class:`polyadic.server.jobs.uploads.UploadStore` for servers that share a database.

    Parameters
    ----------
    tables
        The server's tables.
    scratch_folder
        Temporary folder of this server for uploads on their way in or out.
    """

    def __init__(self, tables: TenantTables, scratch_folder: Path) -> None:
        self._tables = tables
        self._scratch_folder = scratch_folder
        # Large transfers take long; limiting them keeps connections free for other work.
        self._transfers = asyncio.Semaphore(_MAX_TRANSFERS)

    def new_upload(self, workspace: str, identifier: str = "") -> Upload:
        return Upload(self._scratch_folder / (identifier or secrets.token_hex(16)))

    async def keep(self, upload: Upload, workspace: str) -> None:
        async with self._transfers:
            await self._tables.run(lambda raw: _keep(raw, upload.folder, workspace))
        await self._tables.run_in_pool(upload.remove)

    async def is_whole(self, job: Job) -> bool:
        statement = "SELECT 1 FROM upload WHERE job = %s AND file = %s"
        row = await self._tables.run(lambda raw: raw.execute(statement, (job.id, LIST)).fetchone())
        return row is not None

    @asynccontextmanager
    async def fetched(self, job: Job) -> AsyncIterator[Upload]:
        folder = self._scratch_folder / job.id
        try:
            async with self._transfers:
                await self._tables.run(lambda raw: _fetch(raw, job.id, folder))
            yield Upload(folder)
        finally:
            await self._tables.run_in_pool(partial(shutil.rmtree, folder, ignore_errors=True))

    async def remove(self, identifier: str, workspace: str) -> None:
        await self._tables.run(lambda raw: raw.execute(_REMOVE, (identifier,)))

    async def orphans(self) -> list[tuple[str, str]]:
        return await self._tables.run(lambda raw: [(job, name) for job, name in raw.execute(_LEFT)])


def _keep(raw: Raw, folder: Path, workspace: str) -> None:
    """Store all files in one transaction."""
    with raw.transaction(), raw.cursor() as cursor:
        row = cursor.execute("SELECT id FROM workspace WHERE name = %s FOR KEY SHARE", (workspace,)).fetchone()
        if row is None:
            raise no_such_workspace()
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = file.relative_to(folder).as_posix()
            for number, part in enumerate(_parts(file)):
                cursor.execute(_PUT, (folder.name, name, number, part, row[0]))


def _parts(file: Path) -> Iterator[bytes]:
    """Yield the parts of a file, at least one, so that empty files are stored too."""
    with file.open("rb") as opened:
        yield opened.read(_PART_BYTES)
        while part := opened.read(_PART_BYTES):
            yield part


def _fetch(raw: Raw, job: str, folder: Path) -> None:
    """Write the files of a job's upload to a folder, part by part."""
    folder.mkdir(parents=True)
    with raw.transaction(), raw.cursor("upload", binary=True) as parts:
        parts.itersize = 8
        parts.execute("SELECT file, data FROM upload WHERE job = %s ORDER BY file, part", (job,))
        for name, data in parts:
            place = folder / name
            place.parent.mkdir(exist_ok=True)
            with place.open("ab") as file:
                file.write(data)
