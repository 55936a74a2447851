"""Read documents, evidence, decisions, cached replies and the ledger from the tables."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

from polyadic.errors import NotFound
from polyadic.model.hierarchy import Hierarchy
from polyadic.model.identity import digest
from polyadic.model.metadata_conditions import parse_key
from polyadic.model.resolution import EntityResolution, ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence, Heading, Span
from polyadic.storage.connection import Connection
from polyadic.storage.protocol import (
    Counts,
    DocumentListing,
    DocumentRecord,
    FailedChunk,
    Fingerprint,
    LedgerEntry,
    NodeType,
    OriginalRecord,
    UsageTotals,
)
from polyadic.storage.records import contains
from polyadic.storage.sql import ledger
from polyadic.storage.sql.change_log import present
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.embedding_model import dimension_of
from polyadic.storage.sql.hierarchy_records import hierarchy_of
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.meta import roots_of
from polyadic.storage.sql.originals import original_content, originals_of
from polyadic.storage.sql.serialization import (
    DOCUMENT,
    chunks_of,
    current_revision,
    document_of,
    load_decision,
    load_detailed_evidence,
    load_headings,
    load_metadata,
    resolution_of,
    stamp_of,
)
from polyadic.storage.sql.spans import PUBLISHED

_RECORDS = (
    "SELECT d.digest, d.source, r.title, r.characters, (SELECT count(*) FROM chunk c WHERE c.revision = r.id),"
    " (SELECT count(DISTINCT s.fact) FROM chunk c JOIN statement s ON s.chunk = c.id WHERE c.revision = r.id),"
    " r.metadata, r.extractor, (SELECT count(*) FROM chunk c WHERE c.revision = r.id AND c.evidence IS NULL)"
    " FROM document d JOIN revision r ON r.id = d.current"
)


_COUNTS = (
    "SELECT (SELECT count(*) FROM document WHERE current IS NOT NULL),"
    " (SELECT coalesce(sum(c.evidence_count), 0) FROM document d JOIN chunk c ON c.revision = d.current),"
    " (SELECT coalesce(sum(evidence), 0) FROM fact), (SELECT count(*) FROM vector)"
)
_ARITIES = (
    "SELECT f.id, f.arity FROM document d JOIN chunk c ON c.revision = d.current JOIN statement s ON s.chunk = c.id"
    " JOIN fact f ON f.id = s.fact WHERE d.digest {any_of}"
)
_MAY_BE_EXCLUDED = "it may be excluded by the document filter"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# The source itself, the rows of a file ("path#row"), or the files of a folder.
_BELOW = " AND (d.source = ? OR substr(d.source, 1, ?) = ? OR substr(d.source, 1, ?) = ?)"


class TableSizes(Protocol):
    """Sizes that an engine knows without counting."""

    @property
    def participations(self) -> int:
        """Number of pairs of a fact and an entity."""

    def size(self, node_type: NodeType) -> int:
        """Return the number of rows of one node type."""


class SqlRecordReader:
    """Implements :class:`polyadic.storage.record_reader.RecordReader` in the open transaction of a connection.

    Parameters
    ----------
    sizes
        The sizes of what the reader sees.
    only
        Identifiers of the documents to read; all if None.
    nodes
        With ``only``: returns the table keys of the clusters and communities that rest wholly on these documents.
    """

    _IN_ORDER = "source"
    """Sort key of document listings."""
    _COLLATION = ""
    """How metadata is compared by code points, if the engine does otherwise by default."""

    def __init__(
        self,
        connection: Connection,
        sizes: TableSizes,
        only: frozenset[str] | None = None,
        nodes: Callable[[], Collection[int]] = frozenset,
    ) -> None:
        self._connection = connection
        self._sizes = sizes
        self._only = only
        self._nodes = nodes

    @property
    def version(self) -> str:
        state = present(self._connection)[0]
        return state if self._only is None else digest("filtered", state, *sorted(self._only))

    # documents and evidence

    def counts(self) -> Counts:
        documents, evidence, with_fact, vectors = map(int, self._connection.execute(_COUNTS).fetchone())
        if self._only is not None:
            statements = [one for document in self._only for _, items in self.evidence(document) for one in items]
            documents, evidence = len(self.documents()), len(statements)
            with_fact = sum(one.fact_id is not None for one in statements)
            # Texts share vectors across documents, so those of some documents cannot be counted quickly.
            vectors = 0
        return Counts(
            documents=documents,
            chunks=self._sizes.size("chunk"),
            evidence=evidence,
            evidence_with_fact=with_fact,
            facts=self._sizes.size("fact"),
            entities=self._sizes.size("entity"),
            participations=self._sizes.participations,
            vectors=vectors,
            dimension=dimension_of(self._connection),
        )

    def arities(self) -> dict[int, int]:
        if self._only is None:
            sql = "SELECT arity, count(*) FROM fact GROUP BY arity ORDER BY arity"
            return dict(self._connection.execute(sql).fetchall())
        facts = dict(select_in(self._connection, _ARITIES, self._digests()))
        return dict(sorted(Counter(facts.values()).items()))

    def roots(self) -> list[str]:
        return roots_of(self._connection)

    def documents(self) -> list[DocumentRecord]:
        rows = (
            self._connection.execute(_RECORDS)
            if self._only is None
            else select_in(self._connection, f"{_RECORDS} WHERE d.digest {{any_of}}", self._digests())
        )
        return sorted(map(_record, rows), key=lambda record: record.source)

    def listed(
        self, after: str | None, limit: int, words: str = "", name_of: Callable[[str], str] = str
    ) -> DocumentListing:
        if self._only is not None:
            return DocumentListing.of(self.documents(), after, limit, words, name_of)
        total, following = self._holding(after, words, name_of) if words else self._following(after, limit + 1)
        rows = select_in(self._connection, f"{_RECORDS} WHERE d.id {{any_of}}", following[:limit])
        records = sorted(map(_record, rows), key=lambda record: record.source)
        return DocumentListing(records, total, len(following) > limit)

    def select(self, sources: Sequence[str], where: Mapping[str, str]) -> frozenset[str]:
        fields = [self._field(*condition) for condition in where.items()]
        has_fields, pairs = "".join(sql for sql, _ in fields), [part for _, pair in fields for part in pair]
        selected: set[str] = set()
        conditions: list[tuple[str, tuple[str | int, ...]]] = [(_BELOW, _below(source)) for source in sources]
        for below, values in conditions or [("", ())]:
            sql = f"SELECT d.digest FROM document d JOIN revision r ON r.id = d.current WHERE TRUE{below}{has_fields}"
            selected.update(digest.hex() for (digest,) in self._connection.execute(sql, (*values, *pairs)))
        return frozenset(selected) if self._only is None else self._only.intersection(selected)

    def extractors(self) -> dict[str, int]:
        if self._only is not None:
            return dict(sorted(Counter(record.extractor for record in self.documents()).items()))
        return dict(
            self._connection.execute(
                "SELECT r.extractor, count(*) FROM document d JOIN revision r ON r.id = d.current GROUP BY 1 ORDER BY 1"
            ).fetchall()
        )

    def failures(self) -> list[FailedChunk]:
        rows = self._connection.execute(
            "SELECT d.digest, d.source, c.digest, c.start, c.stop, c.failure FROM document d"
            " JOIN chunk c ON c.revision = d.current WHERE c.evidence IS NULL ORDER BY d.source, c.start"
        )
        return [
            FailedChunk(source, chunk.hex(), Span(start, stop), why or "")
            for document, source, chunk, start, stop, why in rows
            if self._sees(document.hex())
        ]

    def stamp(self, document_id: str) -> Fingerprint | None:
        return stamp_of(self._connection, document_id) if self._sees(document_id) else None

    def record(self, document_id: str) -> DocumentRecord | None:
        sql = f"{_RECORDS} WHERE d.digest = ?"
        row = self._connection.execute(sql, (digest_bytes(document_id),)).fetchone()
        return _record(row) if row and self._sees(document_id) else None

    def document(self, document_id: str) -> Document:
        row = self._connection.execute(
            f"SELECT {DOCUMENT} FROM document d JOIN revision r ON r.id = d.current WHERE d.digest = ?",
            (digest_bytes(document_id),),
        ).fetchone()
        if row is None or not self._sees(document_id):
            hint = "polyadic status --documents lists them" if self._only is None else _MAY_BE_EXCLUDED
            raise NotFound(f"no document has the identifier {document_id}", hint)
        return document_of(self._connection, *row)

    def original(self, document_id: str) -> OriginalRecord | None:
        revision = self._revision(document_id)
        return None if revision is None else originals_of(self._connection, {document_id: revision}).get(document_id)

    def original_content(self, document_id: str) -> bytes | None:
        revision = self._revision(document_id)
        return None if revision is None else original_content(self._connection, revision)

    def evidence(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        revision = self._revision(document_id)
        return [] if revision is None else chunks_of(self._connection, document_id, revision)

    def detailed_evidence(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Evidence, ...]]:
        return {chunk: load_detailed_evidence(data) for chunk, data in self._of_chunks("evidence", chunk_ids)}

    def headings(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Heading, ...]]:
        return {chunk: load_headings(data) for chunk, data in self._of_chunks("headings", chunk_ids)}

    # decisions and the hierarchy

    def resolution(self) -> EntityResolution:
        return resolution_of(self._connection)

    def decisions(self) -> list[tuple[ResolutionDecision, str]]:
        if self._only is not None:
            # They may contain names that occur only in other documents.
            return []
        rows = self._connection.execute("SELECT content, at FROM decision ORDER BY id")
        return [(load_decision(content), at) for content, at in rows]

    def hierarchy(self) -> Hierarchy:
        return hierarchy_of(self._connection, None if self._only is None else self._nodes())

    # response cache and ledger

    def reply(self, key: str) -> tuple[str, bool] | None:
        return ledger.cached_reply(self._connection, key)

    def spent(self) -> UsageTotals:
        return ledger.sums(self._connection)

    def spent_on(self, document_id: str) -> UsageTotals:
        return ledger.sums(self._connection, document_id)

    def ledger(self) -> list[LedgerEntry]:
        return ledger.entries(self._connection)

    # steps of the above

    def _sees(self, document_id: str) -> bool:
        return self._only is None or document_id in self._only

    def _of_chunks(self, column: str, chunk_ids: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """Yield the identifiers of visible chunks with the value of a column."""
        sql = f"SELECT d.digest, c.digest, c.{column} FROM {PUBLISHED} WHERE c.digest {{any_of}}"
        for document, chunk, value in select_in(self._connection, sql, [*map(digest_bytes, chunk_ids)]):
            if self._sees(document.hex()):
                yield chunk.hex(), value

    def _revision(self, document_id: str) -> int | None:
        return current_revision(self._connection, document_id) if self._sees(document_id) else None

    def _digests(self) -> list[bytes]:
        return [digest_bytes(document) for document in sorted(self._only or ())]

    def _field(self, key: str, value: str) -> tuple[str, tuple[str, str]]:
        """Return the SQL condition on the metadata of a revision ``r``, and its parameters."""
        name, operator = parse_key(key)
        compared = f"substr(m.value, 1, {len(value)})" if operator == "<=" else "m.value"
        field = f"m.key = ? AND {compared}{self._COLLATION} {operator} ?"
        return f" AND EXISTS (SELECT 1 FROM json_each(r.metadata) m WHERE {field})", (name, value)

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

    def _holding(self, after: str | None, words: str, name_of: Callable[[str], str]) -> tuple[int, list[int]]:
        """Return the number of documents with a text in their name or title, and the keys of those after a source."""
        needle = words.casefold()
        rows = self._connection.execute(
            "SELECT d.id, d.source, r.title FROM document d JOIN revision r ON r.id = d.current"
            " WHERE d.current IS NOT NULL ORDER BY d.source"
        )
        # Filtered here, as SQLite folds the case of ASCII only.
        matches = [(key, at) for key, at, title in rows if contains(name_of(at), title, needle)]
        return len(matches), [key for key, at in matches if after is None or at > after]


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


def _record(row: Sequence[Any]) -> DocumentRecord:
    """Make a record of the columns of _RECORDS."""
    digest, source, title, characters, chunks, facts, metadata, extractor, failed = row
    fields = load_metadata(metadata)
    return DocumentRecord(digest.hex(), source, title, characters, chunks, facts, fields, extractor, failed)
