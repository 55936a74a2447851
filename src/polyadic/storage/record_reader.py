"""Read documents, evidence, decisions, cached replies and the ledger from the tables."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Protocol

from polyadic.errors import NotFound
from polyadic.model.hierarchy import Hierarchy
from polyadic.model.identity import digest
from polyadic.model.resolution import EntityResolution, ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence, Heading, Span
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.records import (
    Counts,
    FailedChunk,
    Fingerprint,
    LedgerEntry,
    NodeType,
    OriginalRecord,
    UsageTotals,
)
from polyadic.storage.sql import ledger, revisions
from polyadic.storage.sql.change_log import present
from polyadic.storage.sql.document_lister import PUBLISHED_DOCUMENTS, DocumentLister
from polyadic.storage.sql.encoding import HEADINGS, load_decision, load_detailed_evidence
from polyadic.storage.sql.hierarchy_records import hierarchy_of
from polyadic.storage.sql.meta import dimension_of, roots_of

_COUNTS = (
    "SELECT (SELECT count(*) FROM document WHERE current IS NOT NULL),"
    " (SELECT coalesce(sum(c.evidence_count), 0) FROM document d JOIN chunk c ON c.revision = d.current),"
    " (SELECT coalesce(sum(evidence), 0) FROM fact), (SELECT count(*) FROM vector)"
)
_ARITIES = (
    "SELECT f.id, f.arity FROM document d JOIN chunk c ON c.revision = d.current JOIN statement s ON s.chunk = c.id"
    " JOIN fact f ON f.id = s.fact"
)
_MAY_BE_EXCLUDED = "it may be excluded by the document filter"


class TableSizes(Protocol):
    """Sizes that an engine knows without counting."""

    @property
    def participations(self) -> int:
        """Number of pairs of a fact and an entity."""

    def size(self, node_type: NodeType) -> int:
        """Return the number of rows of one node type."""


class RecordReader(DocumentLister):
    """Reads documents, evidence, decisions, the hierarchy, cached replies and the ledger of one committed state.

    With a document filter, only the selected documents are there, and no decisions. The ledger and the cached replies
    are always those of the whole store.

    Parameters
    ----------
    sizes
        The sizes of what the reader sees.
    only
        Identifiers of the documents to read; all if None.
    nodes
        With ``only``: returns the table keys of the clusters and communities that rest wholly on these documents.
    """

    def __init__(
        self,
        connection: Connection,
        sizes: TableSizes,
        only: frozenset[str] | None = None,
        nodes: Callable[[], Collection[int]] = frozenset,
    ) -> None:
        super().__init__(connection, only)
        self._sizes = sizes
        self._nodes = nodes

    @property
    def version(self) -> str:
        """Name of what is read: another one after each change of documents or facts, and with each filter."""
        state = present(self._connection)[0]
        return state if self._only is None else digest("filtered", state, *sorted(self._only))

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
        """Count facts by arity."""
        if self._only is None:
            sql = "SELECT arity, count(*) FROM fact GROUP BY arity ORDER BY arity"
            return dict(self._connection.execute(sql).fetchall())
        facts = dict(self._of_documents(_ARITIES))
        return dict(sorted(Counter(facts.values()).items()))

    def roots(self) -> list[str]:
        """Return the folders from which files were indexed, as absolute paths, sorted."""
        return roots_of(self._connection)

    def failures(self) -> list[FailedChunk]:
        """Return chunks of published documents whose extraction failed, in document order."""
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
        """Return the fingerprint of a document's current revision; None if there is none."""
        return revisions.stamps_of(self._connection, self._seen(document_id)).get(document_id)

    def document(self, document_id: str) -> Document:
        row = self._connection.execute(
            f"SELECT {revisions.DOCUMENT} FROM {PUBLISHED_DOCUMENTS} WHERE d.digest = ?",
            (bytes.fromhex(document_id),),
        ).fetchone()
        if row is None or not self._sees(document_id):
            hint = "polyadic status --documents lists them" if self._only is None else _MAY_BE_EXCLUDED
            raise NotFound(f"no document has the identifier {document_id}", hint)
        return revisions.document_of(self._connection, *row)

    def original(self, document_id: str) -> OriginalRecord | None:
        """Return the file that a document was read from; None if there is none, or it is not known."""
        revision = self._revision(document_id)
        of = {} if revision is None else {document_id: revision}
        return revisions.originals_of(self._connection, of).get(document_id)

    def original_content(self, document_id: str) -> bytes | None:
        """Return the content of the file that a document was read from; None if the store keeps no copy."""
        revision = self._revision(document_id)
        return None if revision is None else revisions.original_content(self._connection, revision)

    def evidence(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        """Return the chunks of a document with their evidence, in document order; empty if there is none."""
        revision = self._revision(document_id)
        return [] if revision is None else revisions.chunks_of(self._connection, document_id, revision)

    def detailed_evidence(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Evidence, ...]]:
        """Return the evidence in chunks (by identifier).

        Evidence without roles, values, dates and qualifiers may be left out.
        """
        return {chunk: load_detailed_evidence(data) for chunk, data in self._of_chunks("evidence", chunk_ids)}

    def headings(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Heading, ...]]:
        """Return the headings of the sections that contain each chunk (by identifier), in document order."""
        return {chunk: HEADINGS.load(data) for chunk, data in self._of_chunks("headings", chunk_ids)}

    def resolution(self) -> EntityResolution:
        """Return the entity resolution that the current decisions give."""
        return revisions.resolution_of(self._connection)

    def decisions(self) -> list[tuple[ResolutionDecision, str]]:
        """Return each decision in force with the time it was made (ISO 8601, UTC), oldest first."""
        if self._only is not None:
            # They may contain names that occur only in other documents.
            return []
        rows = self._connection.execute("SELECT content, at FROM decision ORDER BY id")
        return [(load_decision(content), at) for content, at in rows]

    def hierarchy(self) -> Hierarchy:
        """Return all clusters and communities, including stale ones.

        With a document filter, those that depend on any other document are left out.
        """
        return hierarchy_of(self._connection, None if self._only is None else self._nodes())

    def reply(self, key: str) -> tuple[str, bool] | None:
        """Return the cached reply to a ``ModelRequest.key`` and whether it was complete; None if not cached."""
        return ledger.cached_replies(self._connection, [key]).get(key)

    def spent(self) -> UsageTotals:
        """Return the totals of the ledger."""
        return ledger.sums(self._connection)

    def spent_on(self, document_id: str) -> UsageTotals:
        """Return the totals of the calls about one document, even if it has been deleted."""
        return ledger.sums(self._connection, document_id)

    def ledger(self) -> list[LedgerEntry]:
        """Return every paid call, oldest first."""
        return ledger.entries(self._connection)

    def _of_chunks(self, column: str, chunk_ids: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """Yield the identifiers of visible chunks with a column as it is stored."""
        sql = f"SELECT d.digest, c.digest, c.{column} FROM {revisions.PUBLISHED} WHERE c.digest {{any_of}}"
        for document, chunk, stored in select_in(self._connection, sql, [*map(bytes.fromhex, chunk_ids)]):
            if self._sees(document.hex()):
                yield chunk.hex(), stored

    def _revision(self, document_id: str) -> int | None:
        return revisions.current_revision(self._connection, document_id) if self._sees(document_id) else None
