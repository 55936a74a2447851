"""What can be the matter with a database, told in one line: what happened, where, and what to do."""

import contextlib
import re
from collections.abc import Iterator

import psycopg
from psycopg import errors
from psycopg_pool import PoolClosed, PoolTimeout

from polyadic.errors import StoreError, StoreInterrupted
from polyadic.storage.postgres.pool import PoolExhausted, ServerUnreachable

_MAKE_DATABASE = "make the database first, or name one that is there"
_SEE_TO_USER = "see to the user and the password in the address"
_NO_CONNECTION_LEFT = "the server has no connection left: raise its max_connections, or use a pooler"
_SAME = "others were changing the same; run this again"
_HINTS: tuple[tuple[type[Exception], str], ...] = (
    (PoolExhausted, "try again when others have been answered, or ask it less at once"),
    (PoolTimeout, "the server answers too slowly; try again, or ask it less"),
    (errors.TooManyConnections, _NO_CONNECTION_LEFT),
    (errors.DiskFull, "make room on the server's disk, then run this again; nothing that was finished is lost"),
    (errors.OutOfMemory, "the server has too little memory for this, its log says of what; then run this again"),
    (errors.InsufficientPrivilege, "the user needs the right to create a schema in the database, or one who has it"),
    (errors.UndefinedFile, "install pgvector on the server"),
    (errors.ReadOnlySqlTransaction, "name the server that is written to, not a standby"),
    (errors.QueryCanceled, "let the server take longer (statement_timeout), then run this again"),
    (errors.LockNotAvailable, "others are writing; let the server wait longer (lock_timeout), or run this again"),
    (errors.DeadlockDetected, _SAME),
    (errors.SerializationFailure, _SAME),
    (psycopg.OperationalError, "see that the server runs and can be reached, then run this again"),
)
# While a connection is made there is no code for what is the matter, only words.
_WORDS = (
    (re.compile(r'database ".*" does not exist'), _MAKE_DATABASE),
    (re.compile(r'authentication failed|role ".*" does not exist|no password supplied'), _SEE_TO_USER),
    (re.compile("too many clients|remaining connection slots"), _NO_CONNECTION_LEFT),
    (re.compile("No space left on device"), "make room on the server's disk, then run this again"),
)
_SECRET = re.compile(r"(?<=://)[^@/]*(?=@)|(?<=password=)[^&\s\"']*")
_DEFAULT_HINT = "run this again; if it comes again, it is an error of Polyadic's"
_LOST = ("57P", "08", "25P03")
"""Codes: a server that stops, a link that fails, a session that did nothing for longer than the server allows."""
_INTERRUPTED = (errors.DeadlockDetected, errors.SerializationFailure, errors.LockNotAvailable)


@contextlib.contextmanager
def translate_errors(where: object) -> Iterator[None]:
    """Errors of PostgreSQL within, told as what is the matter with the store and what to do.

    Raises
    ------
    StoreInterrupted
        What was begun within was not done, and might be if it were done again.
    StoreError
        All else.
    """
    try:
        yield
    except (psycopg.Error, PoolTimeout) as error:
        kind = StoreInterrupted if is_lost(error) or isinstance(error, _INTERRUPTED) else StoreError
        raise kind(f"{where} cannot be used ({_said(error)})", _hint(error)) from error


def is_lost(error: Exception) -> bool:
    """Whether an error is the end of a connection that was there: without a code, or with one that says so."""
    if isinstance(error, ServerUnreachable | PoolTimeout | PoolClosed | errors.CannotConnectNow) or not isinstance(
        error, psycopg.Error
    ):
        return False
    has_no_code = isinstance(error, psycopg.OperationalError) and not error.sqlstate
    return has_no_code or (error.sqlstate or "").startswith(_LOST)


def _hint(error: Exception) -> str:
    by_words = [hint for words, hint in _WORDS if words.search(str(error))]
    by_kind = [hint for kind, hint in _HINTS if isinstance(error, kind)]
    return [*by_words, *by_kind, _DEFAULT_HINT][0]


def _said(error: Exception) -> str:
    """The first line; an address that libpq cannot read it repeats with the password in it."""
    first = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return _SECRET.sub("***", first)
