"""Ledger of paid model calls, and the response cache."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from polyadic.model.types import Usage
from polyadic.storage.connection import Connection
from polyadic.storage.protocol import CachedReply, LedgerCall, LedgerEntry, UsageTotals
from polyadic.storage.row_changes import Insert
from polyadic.storage.sql.compression import compress, decompress
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.tables import MODEL_CALL, REPLY

_CALL_COLUMNS = ("at", "purpose", "model", "prompt_tokens", "completion_tokens", "money", "seconds", "document")
_CACHE = Insert(REPLY, REPLY.names, replace=("text", "complete"))

# Double-precision sums are exact up to 2^53 and never overflow, whatever usage an endpoint reported.
_SUMS = ", ".join(
    f"coalesce(sum(CAST({number} AS DOUBLE PRECISION)), 0)"
    for number in ("prompt_tokens", "completion_tokens", "money", "seconds")
)


def now() -> str:
    """Return the current time as stored in the tables: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def enter(connection: Connection, call: LedgerCall, reply: CachedReply | None) -> None:
    """Record a call in the open transaction, and cache its reply (key, text, whether complete) if given."""
    enter_all(connection, [(call, reply)])


def enter_all(connection: Connection, calls: Sequence[tuple[LedgerCall | None, CachedReply | None]]) -> None:
    """Record several calls, and cache replies, also those without a call; the last reply to a request is cached."""
    connection.change(
        Insert(MODEL_CALL, _CALL_COLUMNS),
        [
            (now(), call.purpose, call.model, *_numbers(call.usage), call.seconds, _document(call))
            for call, _ in calls
            if call
        ],
    )
    _cache_replies(connection, {key: (text, complete) for key, text, complete in (r for _, r in calls if r)})


def cached_reply(connection: Connection, key: str) -> tuple[str, bool] | None:
    """Return the cached reply to a request and whether it is complete; None if there is none."""
    return cached_replies(connection, [key]).get(key)


def cached_replies(connection: Connection, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
    """Return the cached replies by request key, with whether each is complete; requests without a reply are absent."""
    rows = select_in(
        connection, "SELECT digest, text, complete FROM reply WHERE digest {any_of}", [*map(digest_bytes, keys)]
    )
    return {digest.hex(): (decompress(text), bool(complete)) for digest, text, complete in rows}


def cache_reply(connection: Connection, key: str, text: str, complete: bool) -> None:
    """Cache a reply in the open transaction, replacing an earlier one to the same request."""
    _cache_replies(connection, {key: (text, complete)})


def _cache_replies(connection: Connection, replies: Mapping[str, tuple[str, bool]]) -> None:
    # Sorted, so that concurrent writers lock rows in the same order and do not deadlock.
    connection.change(
        _CACHE,
        [(digest_bytes(key), compress(text), complete) for key, (text, complete) in sorted(replies.items())],
    )


def _document(call: LedgerCall) -> bytes | None:
    return digest_bytes(call.document) if call.document else None


def sums(connection: Connection, document_id: str | None = None) -> UsageTotals:
    """Sum usage and seconds by purpose and model, optionally of one document only."""
    of_one, document = ("", ()) if document_id is None else (" WHERE document = ?", (digest_bytes(document_id),))
    rows = connection.execute(
        f"SELECT purpose, model, count(*), {_SUMS} FROM model_call{of_one} GROUP BY 1, 2 ORDER BY 1, 2", document
    )
    return {
        (purpose, model): (Usage(calls, int(sent), int(received), money), seconds)
        for purpose, model, calls, sent, received, money, seconds in rows
    }


def entries(connection: Connection) -> list[LedgerEntry]:
    """Return all calls in the order in which they were recorded."""
    rows = connection.execute(f"SELECT {', '.join(_CALL_COLUMNS)} FROM model_call ORDER BY id")
    return [
        LedgerEntry(at, LedgerCall(purpose, model, Usage(1, *usage), seconds, document.hex() if document else ""))
        for at, purpose, model, *usage, seconds, document in rows
    ]


def _numbers(usage: Usage) -> Sequence[float]:
    return usage.prompt_tokens, usage.completion_tokens, usage.money
