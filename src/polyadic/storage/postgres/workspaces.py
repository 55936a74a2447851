"""List and delete the workspaces of a database."""

from contextlib import closing
from dataclasses import dataclass, replace

from polyadic.errors import NotFound
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.errors import translate_errors
from polyadic.storage.postgres.location import PostgresLocation
from polyadic.storage.postgres.pool import POOLS
from polyadic.storage.postgres.store import PostgresStore


@dataclass(frozen=True, slots=True)
class WorkspaceSummary:
    """A workspace of a database, and the numbers of its documents and facts."""

    name: str
    documents: int
    facts: int


def workspaces(address: str) -> list[WorkspaceSummary]:
    """Return the workspaces of a database by name.

    Parameters
    ----------
    address
        Database URL; the name of a workspace in it is ignored.

    Raises
    ------
    StoreError
        The address is invalid, or the database cannot be used.
    """
    database = PostgresDsn.of(address)
    with translate_errors(database), POOLS.used(database.database) as pool:
        with pool.connection() as raw:
            rows = raw.execute("SELECT name FROM workspace ORDER BY name").fetchall()
        return [_summary(replace(database, name=name)) for (name,) in rows]


def drop(address: str) -> WorkspaceSummary:
    """Delete a workspace with all its contents and jobs; return what it held.

    Raises
    ------
    NotFound
        There is no such workspace.
    StoreBusy
        Another process is writing to it.
    StoreError
        The address is invalid, or the database cannot be used.
    """
    workspace = PostgresDsn.of(address)
    if not PostgresLocation(workspace).exists():
        raise NotFound(f"there is no workspace in {workspace}", "polyadic workspaces list shows those that there are")
    summary = _summary(workspace)
    with closing(PostgresStore(workspace, None)) as store, store.exclusive_session():
        store.drop()
    return summary


def _summary(workspace: PostgresDsn) -> WorkspaceSummary:
    with closing(PostgresStore(workspace, None)) as store, store.read() as reader:
        counts = reader.records.counts()
    return WorkspaceSummary(workspace.name, counts.documents, counts.facts)
