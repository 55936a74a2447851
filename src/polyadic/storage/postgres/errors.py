"""Translate PostgreSQL errors into one-line store errors with a hint."""

import contextlib
import re
from collections.abc import Iterator

import psycopg
from psycopg import errors
from psycopg_pool import PoolClosed, PoolTimeout

from polyadic.errors import StoreError, StoreInterrupted
from polyadic.storage.postgres.connection_failures import hint_for
from polyadic.storage.postgres.pool import POOL_BY_SESSION, PoolExhausted, ServerUnreachable
from polyadic.storage.postgres.schema_names import ROLE

_CONFLICT = "other processes changed the same rows; run this again"
_RIGHTS = "connect as the user who owns the schema polyadic, or restore its roles and rights: deploy/postgres/roles.sql"
_HINTS: tuple[tuple[type[Exception], str], ...] = (
    (PoolExhausted, "retry later, or send fewer requests at once"),
    (PoolTimeout, "the server responds too slowly; retry later, or send fewer requests"),
    (errors.TooManyConnections, "the server has no connection left: raise its max_connections, or use a pooler"),
    (errors.DiskFull, "free space on the server's disk, then run this again; finished work is kept"),
    (errors.OutOfMemory, "the server ran out of memory; see its log for the cause, then run this again"),
    (errors.InsufficientPrivilege, _RIGHTS),
    # In a schema without rights no table is found.
    (errors.UndefinedTable, _RIGHTS),
    (errors.InvalidSqlStatementName, f"a connection pooler is in front of the server: {POOL_BY_SESSION}"),
    (errors.ReadOnlySqlTransaction, "name the primary server, not a standby"),
    (errors.QueryCanceled, "raise the server's statement_timeout, then run this again"),
    (errors.LockNotAvailable, "other processes are writing; raise the server's lock_timeout, or run this again"),
    (errors.DeadlockDetected, _CONFLICT),
    (errors.SerializationFailure, _CONFLICT),
    (psycopg.OperationalError, "check that the server is running and reachable, then run this again"),
)
_NO_ROLE = f'role "{ROLE}" does not exist'
_PREFIX = re.compile(r"^connection (?:failed|is bad): ")
_DEFAULT_HINT = "run this again; if the error persists, report it as a bug in Polyadic"
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
        raise kind(f"{where} cannot be used ({_first_line(error)})", _hint(error)) from error


def is_lost(error: Exception) -> bool:
    """Return whether an error means that an open connection was lost: it has no code, or one of _LOST_CODES."""
    if isinstance(error, ServerUnreachable | PoolTimeout | PoolClosed | errors.CannotConnectNow) or not isinstance(
        error, psycopg.Error
    ):
        return False
    has_no_code = isinstance(error, psycopg.OperationalError) and not error.sqlstate
    return has_no_code or (error.sqlstate or "").startswith(_LOST_CODES)


def _hint(error: Exception) -> str:
    # What a statement says may name anything, so only errors while connecting are read.
    by_text = hint_for(str(error)) if isinstance(error, psycopg.Error) and not error.sqlstate else ""
    if str(error).startswith(_NO_ROLE):
        by_text = f"CREATE ROLE {ROLE} NOLOGIN, then restore its rights: deploy/postgres/roles.sql does both"
    by_kind = [hint for kind, hint in _HINTS if isinstance(error, kind)]
    return [*filter(None, [by_text]), *by_kind, _DEFAULT_HINT][0]


def _first_line(error: Exception) -> str:
    first = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return _PREFIX.sub("", first)
