"""Whether a store is sound: its files, and its facts against their evidence."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from polyadic.derivation import tally
from polyadic.knowledge import Evidence
from polyadic.store.database import rolled_back
from polyadic.store.records import load_evidence

_MOST = 10


def problems_of(connection: sqlite3.Connection) -> list[str]:
    """What is damaged, in a few words each; everything is read once.

    Facts and entities are derived from evidence, so they are counted afresh and compared.
    """
    found = [row[0] for row in connection.execute(f"PRAGMA quick_check({_MOST})") if row[0] != "ok"]
    if found:
        return found
    connection.execute("BEGIN")
    try:
        counts = tally(_evidence(connection))
        facts = {key: (fact.evidence, fact.score) for key, fact in counts.facts.items()}
        entities = {key: (one.evidence, one.score, one.chunks) for key, one in counts.entities.items()}
        stored = connection.execute("SELECT lower(hex(digest)), evidence, score FROM fact")
        found += _differing("facts", facts, {row[0]: row[1:] for row in stored})
        named = connection.execute("SELECT key, evidence, score, chunks FROM entity")
        found += _differing("entities", entities, {row[0]: row[1:] for row in named})
    finally:
        rolled_back(connection)
    return found


def _evidence(connection: sqlite3.Connection) -> Iterator[Sequence[Evidence]]:
    for (text,) in connection.execute(
        "SELECT c.evidence FROM document d JOIN chunk c ON c.revision = d.current WHERE c.evidence IS NOT NULL"
    ):
        yield load_evidence(text)


def _differing(
    what: str, wanted: Mapping[str, tuple[int, ...]], stored: Mapping[str, tuple[int, ...]]
) -> Iterator[str]:
    wrong = sum(wanted.get(key) != stored.get(key) for key in wanted.keys() | stored.keys())
    if wrong:
        yield f"{wrong:,} {what} differ from what their evidence says"
