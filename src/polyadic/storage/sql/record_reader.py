"""Read documents, evidence, decisions, cached replies and the ledger from the tables."""

import re
from collections.abc import Mapping, Sequence

from polyadic.errors import NotFound
from polyadic.model.hierarchy import Hierarchy
from polyadic.model.resolution import EntityResolution, ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence, Span
from polyadic.storage.connection import Connection
from polyadic.storage.protocol import (
    DocumentListing,
    DocumentRecord,
    FailedChunk,
    Fingerprint,
    LedgerEntry,
    UsageTotals,
)
from polyadic.storage.sql import ledger
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.hierarchy_records import hierarchy_of
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.serialization import (
    chunks_of,
    current_revision,
    load_decision,
    load_metadata,
    load_pages,
    overlay_of,
    stamp_of,
)
from polyadic.storage.sql.texts import text_of

_RECORDS = (
    "SELECT d.digest, d.source, r.title, r.characters, r.metadata, r.extractor,"
    " (SELECT count(*) FROM chunk c WHERE c.revision = r.id AND c.evidence IS NULL),"
    " (SELECT count(*) FROM chunk c WHERE c.revision = r.id),"
    " (SELECT count(DISTINCT s.fact) FROM chunk c JOIN statement s ON s.chunk = c.id WHERE c.revision = r.id)"
    " FROM document d JOIN revision r ON r.id = d.current"
)


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# The source itself, the rows of a file ("path#row"), or the files of a folder.
_BELOW = " AND (d.source = ? OR substr(d.source, 1, ?) = ? OR substr(d.source, 1, ?) = ?)"


class SqlRecordReader:
    """The part of :class:`polyadic.storage.protocol.Reader` that only reads tables, in the open transaction."""

    _IN_ORDER = "source"
    """Sort key of document listings."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def arities(self) -> dict[int, int]:
        return dict(
            self._connection.execute("SELECT arity, count(*) FROM fact GROUP BY arity ORDER BY arity").fetchall()
        )

    def documents(self) -> list[DocumentRecord]:
        return [_record(*row) for row in self._connection.execute(f"{_RECORDS} ORDER BY d.source")]

    def listed(self, after: str | None, limit: int, words: str = "") -> DocumentListing:
        total, following = self._holding(after, words) if words else self._following(after, limit + 1)
        rows = select_in(self._connection, f"{_RECORDS} WHERE d.id {{any_of}}", following[:limit])
        records = sorted((_record(*row) for row in rows), key=lambda record: record.source)
        return DocumentListing(records, total, len(following) > limit)

    def select(self, sources: Sequence[str], where: Mapping[str, str]) -> frozenset[str]:
        has_fields = " AND EXISTS (SELECT 1 FROM json_each(r.metadata) m WHERE m.key = ? AND m.value = ?)" * len(where)
        pairs = [part for pair in where.items() for part in pair]
        selected: set[str] = set()
        conditions: list[tuple[str, tuple[str | int, ...]]] = [(_BELOW, _below(source)) for source in sources]
        for below, values in conditions or [("", ())]:
            sql = f"SELECT d.digest FROM document d JOIN revision r ON r.id = d.current WHERE TRUE{below}{has_fields}"
            selected.update(digest.hex() for (digest,) in self._connection.execute(sql, (*values, *pairs)))
        return frozenset(selected)

    def extractors(self) -> dict[str, int]:
        return dict(
            self._connection.execute(
                "SELECT r.extractor, count(*) FROM document d JOIN revision r ON r.id = d.current GROUP BY 1 ORDER BY 1"
            ).fetchall()
        )

    def failures(self) -> list[FailedChunk]:
        rows = self._connection.execute(
            "SELECT d.source, c.digest, c.start, c.stop, c.failure FROM document d"
            " JOIN chunk c ON c.revision = d.current WHERE c.evidence IS NULL ORDER BY d.source, c.start"
        )
        return [
            FailedChunk(source, chunk.hex(), Span(start, stop), why or "") for source, chunk, start, stop, why in rows
        ]

    def stamp(self, document_id: str) -> Fingerprint | None:
        return stamp_of(self._connection, document_id)

    def record(self, document_id: str) -> DocumentRecord | None:
        sql = f"{_RECORDS} WHERE d.digest = ?"
        row = self._connection.execute(sql, (digest_bytes(document_id),)).fetchone()
        return None if row is None else _record(*row)

    def document(self, document_id: str) -> Document:
        row = self._connection.execute(
            "SELECT r.id, d.source, r.title, r.metadata, r.pages FROM document d JOIN revision r ON r.id = d.current"
            " WHERE d.digest = ?",
            (digest_bytes(document_id),),
        ).fetchone()
        if row is None:
            raise NotFound(f"no document has the identifier {document_id}", "polyadic status --documents lists them")
        revision, source, title, metadata, pages = row
        text = text_of(self._connection, revision)
        return Document(source, title, text, load_metadata(metadata), load_pages(pages))

    def evidence(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        revision = current_revision(self._connection, document_id)
        return [] if revision is None else chunks_of(self._connection, document_id, revision)

    # steps of the above

    def _following(self, after: str | None, limit: int) -> tuple[int, list[int]]:
        """Return the number of documents, and the keys of those after a source."""
        (total,) = self._connection.execute("SELECT count(*) FROM document WHERE current IS NOT NULL").fetchone()
        comparison, bound = ("", "") if after is None else _after(after)
        later, values = self._later(comparison, bound) if comparison else ("", [])
        sql = f"SELECT id FROM document WHERE current IS NOT NULL{later} ORDER BY {self._IN_ORDER} LIMIT ?"
        return total, [key for (key,) in self._connection.execute(sql, (*values, limit))]

    def _later(self, comparison: str, bound: str) -> tuple[str, list[str]]:
        """Return the SQL condition that compares a document's source with a bound, and its parameters."""
        return f" AND source {comparison} ?", [bound]

    def _holding(self, after: str | None, words: str) -> tuple[int, list[int]]:
        """Return the number of documents with a text in their source or title, and the keys of those after a source."""
        needle = words.casefold()
        rows = self._connection.execute(
            "SELECT d.id, d.source, r.title FROM document d JOIN revision r ON r.id = d.current"
            " WHERE d.current IS NOT NULL ORDER BY d.source"
        )
        # Filtered here, as SQLite folds the case of ASCII only.
        matches = [(key, at) for key, at, title in rows if needle in at.casefold() or needle in title.casefold()]
        return len(matches), [key for key, at in matches if after is None or at > after]

    # entity resolution

    def overlay(self) -> EntityResolution:
        return overlay_of(self._connection)

    def decisions(self) -> list[tuple[ResolutionDecision, str]]:
        rows = self._connection.execute("SELECT content, at FROM decision ORDER BY id")
        return [(load_decision(content), at) for content, at in rows]

    # the hierarchy

    def hierarchy(self) -> Hierarchy:
        return hierarchy_of(self._connection)

    # response cache and ledger

    def reply(self, key: str) -> tuple[str, bool] | None:
        return ledger.cached_reply(self._connection, key)

    def spent(self) -> UsageTotals:
        return ledger.sums(self._connection)

    def spent_on(self, document_id: str) -> UsageTotals:
        return ledger.sums(self._connection, document_id)

    def ledger(self) -> list[LedgerEntry]:
        return ledger.entries(self._connection)


def _below(source: str) -> tuple[str | int, ...]:
    rows, folder = f"{source}#", f"{source.rstrip('/')}/"
    return source, len(rows), rows, len(folder), folder


def _after(source: str) -> tuple[str, str]:
    """Return the comparison operator and the bound that select sources after this one.

    A pagination cursor from a client may contain a lone surrogate, which no engine accepts and no source contains. It
    is replaced by U+E000, the first character after all surrogates.

    >>> _after("a"), _after("a\\ud800b") == (">=", "a\\ue000")
    (('>', 'a'), True)
    """
    half = _LONE_SURROGATE.search(source)
    return (">", source) if half is None else (">=", f"{source[: half.start()]}\ue000")


def _record(
    digest: bytes,
    source: str,
    title: str,
    characters: int,
    metadata: str,
    extractor: str,
    failed: int,
    chunks: int,
    facts: int,
) -> DocumentRecord:
    fields = load_metadata(metadata)
    return DocumentRecord(digest.hex(), source, title, characters, chunks, facts, fields, extractor, failed)
