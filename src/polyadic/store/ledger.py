"""The ledger of the SQLite store: every call of a model that was paid for, and the replies that are remembered."""

import sqlite3
from collections.abc import Sequence

from polyadic.knowledge import Usage
from polyadic.store.digests import digest_bytes
from polyadic.store.protocol import Call, Entry, Spent, ToRemember

_CALL = "at, purpose, model, prompt_tokens, completion_tokens, money, seconds, document"


def enter(connection: sqlite3.Connection, call: Call, reply: ToRemember | None) -> None:
    """Within the open transaction enter a call, and keep its reply (key, text, whether complete) where one is given."""
    usage = call.usage
    document = digest_bytes(call.document) if call.document else None
    connection.execute(
        f"INSERT INTO call ({_CALL}) VALUES (strftime('%Y-%m-%dT%H:%M:%fZ'), ?, ?, ?, ?, ?, ?, ?)",
        (call.purpose, call.model, *_numbers(usage), call.seconds, document),
    )
    if reply:
        key, text, complete = reply
        connection.execute("INSERT OR REPLACE INTO reply VALUES (?, ?, ?)", (digest_bytes(key), text, complete))


def sums(connection: sqlite3.Connection, document_id: str | None = None) -> Spent:
    """By purpose and model what was paid, for one document where one is named."""
    of_one = " WHERE document = ?" if document_id is not None else ""
    rows = connection.execute(
        # total() is exact up to 2^53 and never overflows, whatever an endpoint once reported.
        "SELECT purpose, model, count(*), total(prompt_tokens), total(completion_tokens), total(money), total(seconds)"
        f" FROM call{of_one} GROUP BY purpose, model ORDER BY purpose, model",
        () if document_id is None else (digest_bytes(document_id),),
    )
    return {
        (purpose, model): (Usage(calls, int(sent), int(received), money), seconds)
        for purpose, model, calls, sent, received, money, seconds in rows
    }


def entries(connection: sqlite3.Connection) -> list[Entry]:
    """Every call, in the order in which they were entered."""
    return [_entry(*row) for row in connection.execute(f"SELECT {_CALL} FROM call ORDER BY id")]


def _entry(
    at: str,
    purpose: str,
    model: str,
    prompt_tokens: int,
    completion_tokens: int,
    money: float,
    seconds: float,
    document: bytes | None,
) -> Entry:
    about = document.hex() if document else ""
    return Entry(at, Call(purpose, model, Usage(1, prompt_tokens, completion_tokens, money), seconds, about))


def _numbers(usage: Usage) -> Sequence[float]:
    return usage.prompt_tokens, usage.completion_tokens, usage.money
