"""Workspaces of a database: open, list and delete them."""

from contextlib import closing
from dataclasses import dataclass, replace

from polyadic.errors import NotFound
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.errors import translate_errors
from polyadic.storage.postgres.pool import SharedPool
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.protocol import Store


class PostgresLocation(PostgresDsn):
    """Implements :class:`polyadic.storage.url.StoreLocation`."""

    def exists(self) -> bool:
        return self.name in _names(self)

    def open(self, embedder: str | None) -> Store:
        return PostgresStore(self, embedder)


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
    with translate_errors(database), SharedPool(database.database):
        return [_summary(replace(database, name=name)) for name in _names(database)]


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
    workspace = PostgresLocation.of(address)
    if not workspace.exists():
        raise NotFound(f"there is no workspace in {workspace}", "polyadic workspaces list shows those that there are")
    summary = _summary(workspace)
    with closing(PostgresStore(workspace, None)) as store, store.exclusive_session():
        store.drop()
    return summary


def _names(address: PostgresDsn) -> list[str]:
    with translate_errors(address), SharedPool(address.database) as pool, pool.connection() as connection:
        return [name for (name,) in connection.execute("SELECT name FROM workspace ORDER BY name").fetchall()]


def _summary(workspace: PostgresDsn) -> WorkspaceSummary:
    with closing(PostgresStore(workspace, None)) as store, store.read() as reader:
        counts = reader.records.counts()
    return WorkspaceSummary(workspace.name, counts.documents, counts.facts)
