"""Create the tables in a database, and migrate those of an earlier version."""

from collections.abc import Iterator, Set
from contextlib import contextmanager

from polyadic.errors import StoreError
from polyadic.storage.postgres.keepalive import KeepaliveConnection
from polyadic.storage.postgres.requirements import check_rights
from polyadic.storage.postgres.schema import MIGRATIONS, VERSION, schema
from polyadic.storage.postgres.schema_names import ROLE, SCHEMA

_MIGRATING = 0x506F6C79
_LONGEST_WAIT = 30
"""Seconds to wait for readers of the tables that a migration changes."""


def migrate(connection: KeepaliveConnection) -> None:
    """Create or migrate the tables in one transaction; of several processes that start at once, one does it.

    Raises
    ------
    StoreError
        The tables were written by a newer version, or before the first release, or the user may not create them.
    """
    if _version(connection) == VERSION:
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        # New readers queue behind this transaction while it waits for current ones, so the wait is bounded.
        connection.execute(f"SET LOCAL lock_timeout = '{_LONGEST_WAIT}s'".encode())
        before = _version(connection)
        if before > VERSION:
            raise StoreError(
                f"the database was written by a newer Polyadic (version {before}, this one knows {VERSION})",
                "upgrade Polyadic",
            )
        scripts = MIGRATIONS[before - 1 :]
        if before == 0:
            check_rights(connection)
            _begin(connection)
            scripts = (schema(),)
        connection.execute(f"SET LOCAL search_path = {SCHEMA}, public".encode())
        known = tables(connection)
        with _rows_of_all_workspaces(connection, known):
            for script in scripts:
                connection.execute(script.encode())
        for table in sorted(tables(connection) - known):
            connection.execute("SELECT enable_row_security(%s)", (table,))
        connection.execute("UPDATE store_version SET number = %s", (VERSION,))


@contextmanager
def _rows_of_all_workspaces(connection: KeepaliveConnection, names: Set[str]) -> Iterator[None]:
    """Let the owner of the tables read and write the rows of all workspaces meanwhile."""
    for name in sorted(names):
        connection.execute(f"ALTER TABLE {name} NO FORCE ROW LEVEL SECURITY".encode())
    yield
    for name in sorted(names & tables(connection)):
        connection.execute(f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY".encode())


def tables(connection: KeepaliveConnection) -> set[str]:
    """Return the names of the tables whose rows belong to workspaces."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace'"
        " WHERE c.relnamespace = %s::regnamespace AND c.relkind IN ('r', 'p')",
        (SCHEMA,),
    )
    return {name for (name,) in rows}


def _begin(connection: KeepaliveConnection) -> None:
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}".encode())
    connection.execute(f"CREATE TABLE {SCHEMA}.store_version (number bigint NOT NULL)".encode())
    connection.execute(f"INSERT INTO {SCHEMA}.store_version VALUES (0)".encode())
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone() is None:
        connection.execute(f"CREATE ROLE {ROLE} NOLOGIN".encode())
    connection.execute(f"GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE}".encode())


def _exists(connection: KeepaliveConnection, table: str) -> bool:
    return connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.{table}",)).fetchone() != (None,)


def _version(connection: KeepaliveConnection) -> int:
    if not _exists(connection, "store_version"):
        if _exists(connection, "version"):
            raise StoreError(
                f"the schema {SCHEMA} of the database was written by a version before the first release, whose tables"
                " are not read any more",
                f"let its owner run DROP SCHEMA {SCHEMA} CASCADE, then index the documents again",
            )
        return 0
    row = connection.execute(f"SELECT number FROM {SCHEMA}.store_version".encode()).fetchone()
    return int(row[0]) if row else 0
