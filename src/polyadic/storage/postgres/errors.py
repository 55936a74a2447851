"""Translate PostgreSQL errors into one-line store errors with a hint what to do."""

import contextlib
import re
from collections.abc import Iterator

import psycopg
from psycopg import errors
from psycopg_pool import PoolClosed, PoolTimeout

from polyadic.errors import StoreError, StoreInterrupted
from polyadic.storage.postgres.schema import ROLE

POOL_BY_SESSION = "let it pool by session (PgBouncer: pool_mode = session)"


class PoolExhausted(PoolTimeout):
    """All connections that the process may open are in use."""


class ServerUnreachable(psycopg.OperationalError):
    """The server accepts no connection."""


# Errors while connecting have no SQLSTATE, so their texts are searched for these patterns, in this order. A hint may
# refer to the groups of its pattern.
_LASTING = {
    r'database "(.*)" does not exist': r"create the database first (CREATE DATABASE \1), or name an existing one",
    "password authentication failed|no password supplied": (
        "correct the password in ~/.pgpass, PGPASSWORD or the address, or the user"
    ),
    r'FATAL: +role "(.*)" does not exist': r"create the user \1 on the server, or name another (PGUSER)",
    "(?:peer|ident) authentication failed": (
        "run this as the system user of that name, or name a host, whose pg_hba.conf asks for a password"
    ),
    "pg_hba.conf": (
        "allow this user, database and host in pg_hba.conf on the server; if it has only lines with hostssl, set"
        " sslmode=require"
    ),
    r'permission denied for database "(.*)"': r"let its owner run: GRANT CONNECT ON DATABASE \1 TO the user",
    r"invalid \S+ value|bad value for|invalid (?:port|integer)|unrecognized configuration|could not match": (
        "correct this parameter in the address, in the environment (PG...) or in the service file"
    ),
    "does not support SSL": ("set ssl = on on the server, or sslmode=prefer in the address if the network is trusted"),
    "SSL|certificate|private key file": (
        "check sslmode, sslrootcert, sslcert and sslkey: the certificate of the server must be signed by an authority"
        " in sslrootcert and name its host"
    ),
    "definition of service|service file": (
        "correct service= or PGSERVICE, and the file ~/.pg_service.conf or PGSERVICEFILE"
    ),
    "No space left on device": "free space on the server's disk, then run this again",
}
_PASSING = {
    'too many connections for (role|database) "(.*)"': r"raise its limit: ALTER \1 \2 CONNECTION LIMIT ...",
    "too many clients|remaining connection slots": (
        "the server has no connection left: raise its max_connections, or use a pooler"
    ),
    "failed to resolve host|could not translate host name": (
        "check the host in the address or PGHOST: no DNS server knows it now"
    ),
    "No such file or directory": "start the server on this machine, or name its host in the address or PGHOST",
    "the database system is": "run this again when the server accepts connections",
    "timeout expired": "check the host, the port and firewalls between, then run this again",
}
"""Failures that may be over within seconds."""

_CONFLICT = "other processes changed the same rows; run this again"
_RIGHTS = "connect as the user who owns the schema polyadic, or restore its roles and rights: deploy/postgres/roles.sql"
_HINTS: dict[type[Exception], str] = {
    PoolExhausted: "retry later, or send fewer requests at once",
    PoolTimeout: "the server responds too slowly; retry later, or send fewer requests",
    errors.TooManyConnections: "the server has no connection left: raise its max_connections, or use a pooler",
    errors.DiskFull: "free space on the server's disk, then run this again; finished work is kept",
    errors.OutOfMemory: "the server ran out of memory; see its log for the cause, then run this again",
    errors.InsufficientPrivilege: _RIGHTS,
    # In a schema without rights no table is found.
    errors.UndefinedTable: _RIGHTS,
    errors.InvalidSqlStatementName: f"a connection pooler is in front of the server: {POOL_BY_SESSION}",
    errors.ReadOnlySqlTransaction: "name the primary server, not a standby",
    errors.QueryCanceled: "raise the server's statement_timeout, then run this again",
    errors.LockNotAvailable: "other processes are writing; raise the server's lock_timeout, or run this again",
    errors.DeadlockDetected: _CONFLICT,
    errors.SerializationFailure: _CONFLICT,
    psycopg.OperationalError: "check that the server is running and reachable, then run this again",
    Exception: "run this again; if the error persists, report it as a bug in Polyadic",
}
_NO_ROLE = f'role "{ROLE}" does not exist'
_PREFIX = re.compile(r"^connection (?:failed|is bad): ")
_LOST_CODES = ("57P", "08", "25P03")
"""Prefixes of SQLSTATE codes: server shutdown, connection failure, idle session timeout."""
_INTERRUPTED = (errors.DeadlockDetected, errors.SerializationFailure, errors.LockNotAvailable)


@contextlib.contextmanager
def translate_errors(where: object) -> Iterator[None]:
    """Translate PostgreSQL errors raised within the context.

    Raises
    ------
    StoreInterrupted
        The work was not done, and may succeed if it is repeated.
    StoreError
        All other errors.
    """
    try:
        yield
    except (psycopg.Error, PoolTimeout) as error:
        kind = StoreInterrupted if is_lost(error) or isinstance(error, _INTERRUPTED) else StoreError
        first_line = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise kind(f"{where} cannot be used ({_PREFIX.sub('', first_line)})", _hint(error)) from error


def is_lost(error: Exception) -> bool:
    """Return whether an error means that an open connection was lost: it has no code, or one of _LOST_CODES."""
    if isinstance(error, ServerUnreachable | PoolTimeout | PoolClosed | errors.CannotConnectNow) or not isinstance(
        error, psycopg.Error
    ):
        return False
    has_no_code = isinstance(error, psycopg.OperationalError) and not error.sqlstate
    return has_no_code or (error.sqlstate or "").startswith(_LOST_CODES)


def is_lasting(failure: Exception) -> bool:
    """Return whether waiting for a connection is of no use."""
    if isinstance(failure, ServerUnreachable):
        return any(re.search(pattern, str(failure), re.IGNORECASE) for pattern in _LASTING)
    return not isinstance(failure, PoolTimeout)


def _hint(error: Exception) -> str:
    text = str(error)
    if text.startswith(_NO_ROLE):
        return f"CREATE ROLE {ROLE} NOLOGIN, then restore its rights: deploy/postgres/roles.sql does both"
    # What a statement says may name anything, so only errors while connecting are read.
    if isinstance(error, psycopg.Error) and not error.sqlstate:
        for pattern, hint in {**_LASTING, **_PASSING}.items():
            if match := re.search(pattern, text, re.IGNORECASE):
                return match.expand(hint)
    return next(hint for kind, hint in _HINTS.items() if isinstance(error, kind))
