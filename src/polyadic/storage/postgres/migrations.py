"""Create the tables in a database or migrate those of an earlier version, if server and user offer what that needs."""

from collections.abc import Iterator, Set
from contextlib import contextmanager

from polyadic.errors import StoreError
from polyadic.storage.postgres.keepalive import KeepaliveConnection
from polyadic.storage.postgres.schema import MIGRATIONS, ROLE, SCHEMA, VERSION, schema

_OLDEST_SERVER = 16
_OLDEST_PGVECTOR = "0.7"
_MIGRATING = 0x506F6C79
_LONGEST_WAIT = 30
"""Seconds to wait for readers of the tables that a migration changes."""
# The versions of pgvector in the database and on the server, and the commands for what the user may not create.
_RIGHTS = f"""
SELECT current_database(), current_user,
    (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed,
    (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available,
    array_remove(ARRAY[
        CASE WHEN NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') AND NOT rolsuper AND NOT (creates
            AND EXISTS (SELECT FROM pg_available_extensions e JOIN pg_available_extension_versions v
                ON v.name = e.name AND v.version = e.default_version WHERE e.name = 'vector' AND v.trusted))
            THEN 'CREATE EXTENSION vector' END,
        CASE WHEN NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{ROLE}') AND NOT rolsuper AND NOT rolcreaterole
            THEN 'CREATE ROLE {ROLE} NOLOGIN' END,
        CASE WHEN NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '{SCHEMA}') AND NOT creates
            THEN 'GRANT CREATE ON DATABASE ' || current_database() || ' TO ' || current_user END
    ], NULL) AS missing
FROM pg_roles, has_database_privilege(current_database(), 'CREATE') creates WHERE rolname = current_user
"""
_BEGIN = f"""
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
CREATE TABLE {SCHEMA}.store_version AS SELECT 0::bigint AS number;
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{ROLE}') THEN CREATE ROLE {ROLE} NOLOGIN; END IF;
END $$;
GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE}
"""


def check_version(connection: KeepaliveConnection) -> None:
    """Raise StoreError if the version of the server is too old."""
    version = connection.info.server_version // 10_000
    if version < _OLDEST_SERVER:
        what = f"the server of the database {connection.info.dbname} runs PostgreSQL {version}"
        raise StoreError(f"{what}, but Polyadic needs {_OLDEST_SERVER} or later", "upgrade it, or use another server")


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
            _check_rights(connection)
            connection.execute(_BEGIN.encode())
            scripts = (schema(),)
        connection.execute(f"SET LOCAL search_path = {SCHEMA}, public".encode())
        known = tables(connection)
        with _rows_of_all_workspaces(connection, known):
            for script in scripts:
                connection.execute(script.encode())
        for table in sorted(tables(connection) - known):
            connection.execute("SELECT enable_row_security(%s)", (table,))
        connection.execute("UPDATE store_version SET number = %s", (VERSION,))


def tables(connection: KeepaliveConnection) -> set[str]:
    """Return the names of the tables whose rows belong to workspaces."""
    sql = (
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace'"
        f" WHERE c.relnamespace = '{SCHEMA}'::regnamespace AND c.relkind IN ('r', 'p')"
    )
    rows = connection.execute(sql.encode())
    return {name for (name,) in rows}


def _check_rights(connection: KeepaliveConnection) -> None:
    """Check that the extension is available, and that the user may create what is missing.

    Raises
    ------
    StoreError
        Something cannot be created; the message has the commands for an administrator.
    """
    ((database, user, installed, available, missing),) = connection.execute(_RIGHTS.encode()).fetchall()
    if installed is None and available is None:
        raise StoreError(
            f"the server of the database {database} has no extension vector",
            f"install pgvector {_OLDEST_PGVECTOR} or later on the server"
            f" (Debian: package postgresql-{_OLDEST_SERVER}-pgvector)",
        )
    if _is_old(installed or available):
        what = f"the database {database} has pgvector {installed or available}"
        step = "install a later one first" if _is_old(available) else "ALTER EXTENSION vector UPDATE"
        raise StoreError(f"{what}, but Polyadic needs {_OLDEST_PGVECTOR} or later", f"update it on the server: {step}")
    if missing:
        what = f"{user} may not create all that Polyadic needs in the database {database}"
        raise StoreError(what, f"let a superuser run in this database: {'; '.join(missing)}")


def _is_old(version: str | None) -> bool:
    numbers = [
        [int(part) for part in one.split(".")[:2] if part.isdigit()] for one in (version or "", _OLDEST_PGVECTOR)
    ]
    return numbers[0] < numbers[1]


@contextmanager
def _rows_of_all_workspaces(connection: KeepaliveConnection, names: Set[str]) -> Iterator[None]:
    """Let the owner of the tables read and write the rows of all workspaces meanwhile."""
    for name in sorted(names):
        connection.execute(f"ALTER TABLE {name} NO FORCE ROW LEVEL SECURITY".encode())
    yield
    for name in sorted(names & tables(connection)):
        connection.execute(f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY".encode())


def _version(connection: KeepaliveConnection) -> int:
    """Return the version of the tables; 0 if there are none."""
    sql = "SELECT to_regclass(%s), to_regclass(%s)"
    found, unreleased = connection.execute(sql, (f"{SCHEMA}.store_version", f"{SCHEMA}.version")).fetchall()[0]
    if found:
        ((number,),) = connection.execute(f"SELECT number FROM {SCHEMA}.store_version".encode()).fetchall()
        return int(number)
    if unreleased:
        raise StoreError(
            f"the schema {SCHEMA} of the database was written by a version before the first release, whose tables"
            " are not read any more",
            f"let its owner run DROP SCHEMA {SCHEMA} CASCADE, then index the documents again",
        )
    return 0
