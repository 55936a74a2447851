"""Workspaces in a PostgreSQL database, which any number of servers can share."""

import shutil
import tempfile
import time
from collections.abc import Callable, Hashable
from pathlib import Path
from urllib.parse import quote

from prometheus_client.registry import Collector

from polyadic.config import FILE_NAME, load_settings
from polyadic.errors import SettingsError, StoreBusy, StoreError
from polyadic.server.jobs.postgres_job_store import LOCK_OF_RUNS, PostgresJobStore
from polyadic.server.jobs.postgres_upload_store import PostgresUploadStore
from polyadic.server.problem_details import ProblemError
from polyadic.server.tenants.database_monitor import DatabaseMetrics
from polyadic.server.tenants.folders import changed_at
from polyadic.server.tenants.postgres_tables import Raw, TenantTables
from polyadic.server.tenants.tenant_backend import WorkspaceLocation, is_name
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.errors import translate_errors
from polyadic.storage.postgres.store import PostgresStore

_SECONDS_TO_STOP = 10.0


class PostgresTenants:
    """Implements :class:`polyadic.server.tenants.tenant_backend.TenantBackend` with a database.

    Parameters
    ----------
    address
        Database URL, without the name of a workspace.
    settings
        Folder with the settings and prompts of all workspaces; a subfolder with the name of a workspace overrides it.

    Raises
    ------
    SettingsError
        The address names a workspace.
    StoreError
        The address is invalid, or the database is unavailable, or was used by a newer version.
    """

    def __init__(self, address: str, settings: Path) -> None:
        if "#" in address:
            raise SettingsError("a server always serves all workspaces of a database", "omit # and what follows it")
        self._settings = settings.resolve()
        self._tables = TenantTables(PostgresDsn.of(address).database)
        self.scratch_folder = Path(tempfile.mkdtemp(prefix="polyadic-serve-"))
        self.job_store = PostgresJobStore(self._tables)
        self.upload_store = PostgresUploadStore(self._tables, self.scratch_folder)

    async def begin(self) -> None:
        """Do nothing: temporary files are this server's own, and workspaces are created and deleted atomically."""

    def close(self) -> None:
        self.job_store.close()
        self._tables.close()
        shutil.rmtree(self.scratch_folder, ignore_errors=True)

    def failure(self) -> StoreError | None:
        return self._tables.monitor.failure()

    def collector(self) -> Collector:
        return DatabaseMetrics(self._tables.monitor, lambda: self._tables.pool)

    async def names(self, opens: Callable[[str], bool]) -> list[str]:
        rows = await self._tables.run(lambda raw: raw.execute("SELECT name FROM workspace ORDER BY name").fetchall())
        return [name for (name,) in rows if opens(name) and is_name(name)]

    async def state(self, name: str) -> Hashable | None:
        workspace = await self._tables.run(lambda raw: _workspace_id(raw, name))
        folder = self._folder(name)
        return None if workspace is None else (workspace, folder, changed_at(folder / FILE_NAME))

    def location(self, name: str) -> WorkspaceLocation:
        return WorkspaceLocation(f"{self._tables.database}#{quote(name)}", str(self._folder(name)))

    async def make(self, name: str) -> None:
        # Fails if the settings are invalid; then no workspace must be created.
        load_settings(self._folder(name) / FILE_NAME)
        statement = "INSERT INTO workspace (name) VALUES (%s) ON CONFLICT DO NOTHING"
        if not await self._tables.run(lambda raw: raw.execute(statement, (name,)).rowcount):
            raise ProblemError(409, "workspace-exists", "a workspace with this name exists")

    async def remove(self, name: str) -> None:
        await self._tables.run_in_pool(lambda: self._remove(name))

    def _remove(self, name: str) -> None:
        with translate_errors(self._tables.called), self._tables.connected() as raw:
            workspace = _workspace_id(raw, name)
            if workspace is None:
                return
            # Another server may have started a job in the meantime.
            deadline = time.monotonic() + _SECONDS_TO_STOP
            while raw.execute(f"SELECT {LOCK_OF_RUNS}".encode(), (workspace,)).fetchone() != (True,):
                if time.monotonic() > deadline:
                    raise StoreBusy(f"a job of {name} is running", "wait for it to end, or cancel it")
                time.sleep(0.1)
            store = PostgresStore(PostgresDsn(self._tables.database, name), None)
            try:
                with store.exclusive_session():
                    store.drop()
            finally:
                store.close()

    def _folder(self, name: str) -> Path:
        own = self._settings / name
        return own if own.is_dir() else self._settings

    def __str__(self) -> str:
        return self._tables.called


def _workspace_id(raw: Raw, name: str) -> int | None:
    row = raw.execute("SELECT id FROM workspace WHERE name = %s", (name,)).fetchone()
    return row[0] if row else None
