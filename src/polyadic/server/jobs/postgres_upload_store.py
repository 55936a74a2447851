"""What was handed in, in a database, so that any server over it can read it."""

import asyncio
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from polyadic.server.jobs.job import Job
from polyadic.server.jobs.upload import LIST, Upload
from polyadic.server.problem_details import no_such_workspace
from polyadic.server.tenants.postgres_tables import Raw, TenantTables

_PART = 1 << 20
_AT_ONCE = 2
_PUT = "INSERT INTO handed_in (job, file, part, data, workspace) VALUES (%s, %s, %s, %s, %s)"
_REMOVE = "DELETE FROM handed_in WHERE job = %s"
# What is being handed in at this moment is for no job yet either.
_LEFT = (
    "SELECT DISTINCT h.job, w.name FROM handed_in h JOIN workspace w ON w.id = h.workspace"
    " WHERE h.at < now() - interval '1 hour' AND NOT EXISTS (SELECT FROM job j WHERE j.id = h.job)"
)


class PostgresUploadStore:
    """Implements :class:`polyadic.server.jobs.upload_store.UploadStore` for servers that share a database.

    Parameters
    ----------
    tables
        Where it is kept.
    aside
        A folder of this server alone, for what is on its way in or out.
    """

    def __init__(self, tables: TenantTables, aside: Path) -> None:
        self._tables = tables
        self._aside = aside
        # Large files take long; others are not to wait for a connection meanwhile.
        self._transfers = asyncio.Semaphore(_AT_ONCE)

    def incoming(self, workspace: str) -> Upload:
        return Upload(self._aside / secrets.token_hex(16))

    async def keep(self, incoming: Upload, workspace: str) -> None:
        async with self._transfers:
            await self._tables.run(lambda raw: _keep(raw, incoming.folder, workspace))
        await self._tables.aside(incoming.remove)

    async def is_whole(self, job: Job) -> bool:
        statement = "SELECT 1 FROM handed_in WHERE job = %s AND file = %s"
        found = await self._tables.run(lambda raw: raw.execute(statement, (job.id, LIST)).fetchone())
        return found is not None

    @asynccontextmanager
    async def fetched(self, job: Job) -> AsyncIterator[Upload]:
        folder = self._aside / job.id
        try:
            async with self._transfers:
                await self._tables.run(lambda raw: _fetch(raw, job.id, folder))
            yield Upload(folder)
        finally:
            await self._tables.aside(partial(shutil.rmtree, folder, ignore_errors=True))

    async def remove(self, identifier: str, workspace: str) -> None:
        await self._tables.run(lambda raw: raw.execute(_REMOVE, (identifier,)))

    async def left(self) -> list[tuple[str, str]]:
        return await self._tables.run(lambda raw: [(job, name) for job, name in raw.execute(_LEFT)])


def _keep(raw: Raw, folder: Path, workspace: str) -> None:
    """All of it or nothing."""
    with raw.transaction(), raw.cursor() as cursor:
        row = cursor.execute("SELECT id FROM workspace WHERE name = %s FOR KEY SHARE", (workspace,)).fetchone()
        if row is None:
            raise no_such_workspace()
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = file.relative_to(folder).as_posix()
            for number, part in enumerate(_parts(file)):
                cursor.execute(_PUT, (folder.name, name, number, part, row[0]))


def _parts(file: Path) -> Iterator[bytes]:
    """At least one, so that an empty file is there too."""
    with file.open("rb") as opened:
        yield opened.read(_PART)
        while part := opened.read(_PART):
            yield part


def _fetch(raw: Raw, job: str, folder: Path) -> None:
    """Write out what was handed in for a job, a part at a time."""
    folder.mkdir(parents=True)
    with raw.transaction(), raw.cursor("handed_in", binary=True) as parts:
        parts.itersize = 8
        parts.execute("SELECT file, data FROM handed_in WHERE job = %s ORDER BY file, part", (job,))
        for name, data in parts:
            place = folder / name
            place.parent.mkdir(exist_ok=True)
            with place.open("ab") as file:
                file.write(data)
