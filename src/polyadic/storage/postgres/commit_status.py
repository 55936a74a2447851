"""Commit a transaction, and find out its outcome if the connection is lost during the commit."""

import contextlib

import psycopg

from polyadic.errors import StoreError
from polyadic.storage.postgres.backoff import WAITED, pauses
from polyadic.storage.postgres.errors import is_lost
from polyadic.storage.postgres.keepalive import BackendSession
from polyadic.storage.postgres.pool import DatabasePool, Raw


class _UnknownStatus(Exception):
    """The transaction is still in progress on the server."""


def commit(raw: Raw, pool: DatabasePool, where: object) -> None:
    """Commit the transaction of a connection; if the connection is lost meanwhile, ask the server for the outcome.

    Raises
    ------
    psycopg.Error
        The transaction was not committed.
    StoreError
        The outcome is unknown.
    """
    # None for a transaction that changed nothing: its outcome does not matter.
    ((transaction_id,),) = raw.execute("SELECT pg_current_xact_id_if_assigned()::text").fetchall()
    try:
        raw.execute("COMMIT")
    except psycopg.Error as error:
        if not is_lost(error):
            raise
        if transaction_id is not None and not _was_committed(pool, transaction_id, raw.session, where):
            raise


def _was_committed(pool: DatabasePool, transaction_id: str, session: BackendSession | None, where: object) -> bool:
    for _ in pauses(WAITED):
        with contextlib.suppress(psycopg.Error, _UnknownStatus):
            # End the lost session first: it must not commit after its status was read.
            pool.end(session)
            return _status(pool, transaction_id)
    raise StoreError(
        f"the connection to {where} was lost during a commit, and its outcome is unknown",
        "run this again when the server is reachable; it skips what was committed",
    )


def _status(pool: DatabasePool, transaction_id: str) -> bool:
    with contextlib.closing(pool.aside()) as connection:
        ((status,),) = connection.execute("SELECT pg_xact_status(%s::xid8)", (transaction_id,)).fetchall()
    if status not in ("committed", "aborted"):
        raise _UnknownStatus
    return bool(status == "committed")
