"""What a server and a database user must offer before tables are created, each named if it is missing."""

from dataclasses import dataclass

from polyadic.errors import StoreError
from polyadic.storage.postgres.keepalive import KeepaliveConnection
from polyadic.storage.postgres.schema_names import ROLE, SCHEMA

OLDEST_SERVER = 16
OLDEST_PGVECTOR = (0, 7)

_SQL = """
SELECT current_user, current_database(),
    r.rolsuper, r.rolsuper OR r.rolcreaterole, has_database_privilege(current_database(), 'CREATE'),
    EXISTS (SELECT FROM pg_namespace WHERE nspname = %(schema)s),
    EXISTS (SELECT FROM pg_roles WHERE rolname = %(role)s),
    (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
    a.default_version,
    coalesce((SELECT v.trusted FROM pg_available_extension_versions v
        WHERE v.name = a.name AND v.version = a.default_version), false)
FROM pg_roles r LEFT JOIN pg_available_extensions a ON a.name = 'vector' WHERE r.rolname = current_user
"""


@dataclass(frozen=True, slots=True)
class _Rights:
    """What a database has, and what its user may create."""

    user: str
    database: str
    is_superuser: bool
    creates_roles: bool
    creates_schemas: bool
    has_schema: bool
    has_role: bool
    installed: str | None
    available: str | None
    is_trusted: bool


def check_version(connection: KeepaliveConnection) -> None:
    """Check the version of the server.

    Raises
    ------
    StoreError
        It is too old.
    """
    version = connection.info.server_version // 10_000
    if version < OLDEST_SERVER:
        what = f"the server of the database {connection.info.dbname} runs PostgreSQL {version}"
        raise StoreError(f"{what}, but Polyadic needs {OLDEST_SERVER} or later", "upgrade it, or use another server")


def check_rights(connection: KeepaliveConnection) -> None:
    """Check that the extension is available, and that the user may create what is missing.

    Raises
    ------
    StoreError
        Something cannot be created; the message has the commands for an administrator.
    """
    row = connection.execute(_SQL, {"schema": SCHEMA, "role": ROLE}).fetchone()
    assert row is not None  # noqa: S101 - there is always a current user
    rights = _Rights(*row)
    _check_extension(rights)
    if commands := "; ".join(_missing(rights)):
        what = f"{rights.user} may not create all that Polyadic needs in the database {rights.database}"
        raise StoreError(what, f"let a superuser run in this database: {commands}")


def _check_extension(rights: _Rights) -> None:
    oldest = ".".join(map(str, OLDEST_PGVECTOR))
    if rights.installed is None and rights.available is None:
        raise StoreError(
            f"the server of the database {rights.database} has no extension vector",
            f"install pgvector {oldest} or later on the server (Debian: package postgresql-{OLDEST_SERVER}-pgvector)",
        )
    if _is_old(rights.installed or rights.available or ""):
        what = f"the database {rights.database} has pgvector {rights.installed or rights.available}"
        step = "ALTER EXTENSION vector UPDATE" if not _is_old(rights.available or "") else "install a later one first"
        raise StoreError(f"{what}, but Polyadic needs {oldest} or later", f"update it on the server: {step}")


def _is_old(version: str) -> bool:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < OLDEST_PGVECTOR


def _missing(rights: _Rights) -> list[str]:
    """Return the commands for what the user may not create."""
    commands = []
    may_install = rights.is_superuser or (rights.is_trusted and rights.creates_schemas)
    if rights.installed is None and not may_install:
        commands.append("CREATE EXTENSION vector")
    if not rights.has_role and not rights.creates_roles:
        commands.append(f"CREATE ROLE {ROLE} NOLOGIN")
    if not rights.has_schema and not rights.creates_schemas:
        commands.append(f"GRANT CREATE ON DATABASE {rights.database} TO {rights.user}")
    return commands
