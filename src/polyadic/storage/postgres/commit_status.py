"""Committing, and finding out whether a change was committed of which the server could not say so any more."""

import contextlib

import psycopg

from polyadic.errors import StoreError
from polyadic.storage.postgres.backoff import WAITED, pauses
from polyadic.storage.postgres.errors import is_lost
from polyadic.storage.postgres.keepalive import BackendSession
from polyadic.storage.postgres.pool import DatabasePool, Raw


class _Unsettled(Exception):
    """It cannot be told yet."""


def commit(raw: Raw, pool: DatabasePool, where: object) -> None:
    """Commit the transaction of a connection; done means done, also where the connection is lost at this moment.

    Raises
    ------
    psycopg.Error
        It was not committed.
    StoreError
        Nobody can tell.
    """
    # Nothing where nothing was changed: then it does not matter.
    ((change,),) = raw.execute("SELECT pg_current_xact_id_if_assigned()::text").fetchall()
    try:
        raw.execute("COMMIT")
    except psycopg.Error as error:
        if not is_lost(error):
            raise
        if change is not None and not _was_committed(pool, change, raw.session, where):
            raise


def _was_committed(pool: DatabasePool, change: str, session: BackendSession | None, where: object) -> bool:
    for _ in pauses(WAITED):
        with contextlib.suppress(psycopg.Error, _Unsettled):
            # What the lost session still has to do it will not do any more, so that the answer stays true.
            pool.end(session)
            return _status(pool, change)
    raise StoreError(
        f"the connection to {where} was lost while a change was being committed, and whether it was cannot be told",
        "run this again when the server can be reached; what is there already is found",
    )


def _status(pool: DatabasePool, change: str) -> bool:
    with contextlib.closing(pool.aside()) as connection:
        ((status,),) = connection.execute("SELECT pg_xact_status(%s::xid8)", (change,)).fetchall()
    if status not in ("committed", "aborted"):
        raise _Unsettled
    return bool(status == "committed")
