"""Ledger of paid model calls, and the response cache."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from polyadic.model.types import Usage
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.records import CachedReply, LedgerCall, LedgerEntry, UsageTotals
from polyadic.storage.sql.encoding import compress, decompress
from polyadic.storage.sql.tables import MODEL_CALL, REPLY
from polyadic.storage.table import Insert, Selection

_INSERT = Insert(MODEL_CALL)
_CALL = Selection(MODEL_CALL, "purpose", "model", "seconds")
_USAGE = Selection(MODEL_CALL, "prompt_tokens", "completion_tokens", "money")
# Double-precision sums are exact up to 2^53 and never overflow, whatever usage an endpoint reported.
_SUMS = ", ".join(
    f"coalesce(sum(CAST({number} AS DOUBLE PRECISION)), 0)"
    for number in ("prompt_tokens", "completion_tokens", "money", "seconds")
)


def now() -> str:
    """Return the current time as stored in the tables: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def enter(connection: Connection, calls: Sequence[tuple[LedgerCall | None, CachedReply | None]]) -> None:
    """Record calls in the open transaction, and cache replies, also those without a call."""
    connection.change(
        _INSERT,
        [
            _INSERT.row({"at": now(), "document": bytes.fromhex(call.document) or None, **_fields(call)})
            for call, _ in calls
            if call
        ],
    )
    cache_replies(connection, [reply for _, reply in calls if reply])


def cache_replies(connection: Connection, replies: Sequence[CachedReply]) -> None:
    """Cache replies in the open transaction; the last reply to a request replaces all earlier ones."""
    last = {key: (text, complete) for key, text, complete in replies}
    # Sorted, so that concurrent writers lock rows in the same order and do not deadlock.
    connection.change(
        Insert(REPLY, replace=("text", "complete")),
        [(bytes.fromhex(key), compress(text), complete) for key, (text, complete) in sorted(last.items())],
    )


def cached_replies(connection: Connection, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
    """Return the cached replies by request key, with whether each is complete; requests without a reply are absent."""
    sql = "SELECT digest, text, complete FROM reply WHERE digest {any_of}"
    rows = select_in(connection, sql, [*map(bytes.fromhex, keys)])
    return {digest.hex(): (decompress(text), bool(complete)) for digest, text, complete in rows}


def sums(connection: Connection, document_id: str | None = None) -> UsageTotals:
    """Sum usage and seconds by purpose and model, optionally of one document only."""
    of_one, document = ("", ()) if document_id is None else (" WHERE document = ?", (bytes.fromhex(document_id),))
    rows = connection.execute(
        f"SELECT purpose, model, count(*), {_SUMS} FROM model_call{of_one} GROUP BY 1, 2 ORDER BY 1, 2", document
    )
    return {
        (purpose, model): (Usage(calls, int(sent), int(received), money), seconds)
        for purpose, model, calls, sent, received, money, seconds in rows
    }


def entries(connection: Connection) -> list[LedgerEntry]:
    """Return all calls in the order in which they were recorded."""
    columns = f"at, document, {_CALL.of('c')}, {_USAGE.of('c')}"
    rows = connection.execute(f"SELECT {columns} FROM model_call c ORDER BY id")
    return [
        LedgerEntry(at, LedgerCall(purpose, model, Usage(1, *usage), seconds, document.hex() if document else ""))
        for at, document, purpose, model, seconds, *usage in rows
    ]


def _fields(call: LedgerCall) -> dict[str, Any]:
    return _CALL.dump(call) | _USAGE.dump(call.usage)
