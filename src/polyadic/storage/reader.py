"""Protocol for reading one committed state of a store."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from polyadic.model.hierarchy import Hierarchy
from polyadic.model.resolution import EntityResolution, ResolutionDecision
from polyadic.model.types import Chunk, Document, Entity, Evidence, Fact, Heading, SourceSpan
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.prefetch import Expected
from polyadic.storage.records import (
    Counts,
    DocumentListing,
    DocumentRecord,
    FailedChunk,
    Fingerprint,
    Hits,
    LedgerEntry,
    Links,
    Rows,
    Side,
    Statement,
    UsageTotals,
    Vectors,
)


class Reader(Protocol):
    """A read transaction on one committed state of a store.

    A *side* is one of entity, fact and chunk. A *row* is the number of an item of one side, valid in this transaction
    only. *Links* are pairs of rows.
    """

    def prefetch(self, *expected: Expected) -> None:
        """Announce queries to come so that the store can prefetch them; results do not depend on it."""

    # Vector and full-text search
    def nearest(self, side: Side, vector: Vectors, k: int) -> Hits:
        """Return the k rows most similar to a vector of shape (d,).

        If a row has several vectors, the most similar one counts.
        """

    def nearest_by_score(self, side: Literal["entity", "fact"], vector: Vectors, k: int) -> Hits:
        """Return the k rows with the highest similarity x score (HyperGraphRAG, Eq. 14 and 15), with these products."""

    def similarity(self, side: Side, rows: Rows, vectors: Vectors) -> Vectors:
        """Compute the cosine of m vectors, shape (m, d), with n rows (the best of each row's vectors): shape (m, n)."""

    def directions(self, entities: Rows) -> Vectors:
        """Return the normalized sum of each entity's vectors, shape (n, d)."""

    def search(self, words: str, k: int) -> Hits:
        """Return the k chunks that match these words best by BM25 (higher is better); any text is a valid query."""

    def chunks_with_words(self, words: Sequence[str], limit: int) -> Links:
        """Return, for each word, up to ``limit`` chunks that contain it, in no particular order.

        The sources of the links are positions in ``words``.
        """

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        """Return entity rows by loose name (see ``identity.loose_name``); names without an entity are absent."""

    # Incidence
    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        """Return the facts of each entity; of more than ``limit``, those most similar to ``toward``.

        Parameters
        ----------
        entities
            Entity rows, shape (n,).
        limit
            Maximum number of facts per entity.
        toward
            One vector, shape (d,), or one per entity, shape (n, d).
        """

    def entities_of(self, facts: Rows) -> Links:
        """Return the entities of each fact."""

    def chunks_of(self, facts: Rows, limit: int) -> Links:
        """Return the chunks whose evidence states each fact, at most ``limit`` per fact."""

    def facts_in(self, chunks: Rows, limit: int) -> Links:
        """Return the facts that the evidence of each chunk states, at most ``limit`` per chunk."""

    def headings(self, chunk_ids: Sequence[str]) -> Mapping[str, tuple[Heading, ...]]:
        """Return the headings of the sections that contain each chunk (by identifier), in document order."""

    def statements(self, chunk_ids: Sequence[str]) -> list[Statement]:
        """Return the facts that chunks (by identifier) state, each with its character span, in document order."""

    def topic_entities_of(self, chunks: Rows) -> Links:
        """Return the topic entity of each chunk; chunks without one are absent.

        It is the entity that the document's title names, else the one that takes part in most of the chunk's facts (see
        storage/arrays/topic_entities.py).
        """

    def chunks_about(self, entities: Rows, limit: int) -> Links:
        """Return at most ``limit`` chunks about each entity (see :meth:`topic_entities_of`), in document order."""

    # Row statistics
    def size(self, side: Side) -> int:
        """Return the number of rows on one side, in constant time."""

    def all_rows(self, side: Side) -> Rows:
        """Return every row of one side, ordered by public identifier."""

    def degrees(self, side: Side, rows: Rows) -> Rows:
        """Count the facts of each entity, the entities of each fact or the facts of each chunk, shape (n,)."""

    def scores(self, side: Literal["entity", "fact"], rows: Rows) -> Vectors:
        """Return the score of each row, shape (n,): entities in (0, 100], facts in (0, 10]."""

    def chunk_frequency(self, entities: Rows) -> Rows:
        """Count the chunks in which each entity occurs, shape (n,)."""

    def tokens(self, side: Literal["fact", "chunk"], rows: Rows) -> Rows:
        """Count the tokens in the text of each row, shape (n,)."""

    # Records, in the order of the rows given
    def entities(self, rows: Rows) -> list[Entity]: ...
    def facts(self, rows: Rows) -> list[Fact]: ...
    def chunks(self, rows: Rows) -> list[Chunk]: ...
    def fact_places(self, facts: Rows) -> list[tuple[SourceSpan, ...]]:
        """Return the source spans that state each fact, in document order; only the first few of many."""

    def chunk_places(self, chunks: Rows) -> list[SourceSpan]: ...

    # Catalogue, and rows by public identifier
    def counts(self) -> Counts: ...
    def arities(self) -> dict[int, int]:
        """Count facts by arity."""

    def documents(self) -> list[DocumentRecord]:
        """Return all published documents, ordered by source."""

    def listed(self, after: str | None, limit: int, words: str = "") -> DocumentListing:
        """List at most ``limit`` published documents by source; the cost does not grow with the documents skipped.

        Parameters
        ----------
        after
            Pagination cursor: the source to start after, which need not exist any more; None for the first page.
        words
            Only documents whose source or title contains this, ignoring case; all if it is empty. This scans the
            sources and titles of all documents.
        """

    def select(self, sources: Sequence[str], where: Mapping[str, str]) -> frozenset[str]:
        """Return identifiers of documents by source and metadata.

        Parameters
        ----------
        sources
            Each selects the document with this source, the rows of the file with this path, and everything below this
            folder. All documents if empty.
        where
            Metadata values that a document must all have.
        """

    def extractors(self) -> dict[str, int]:
        """Count documents by the name of their extractor."""

    def failures(self) -> list[FailedChunk]:
        """Return chunks of published documents whose extraction failed, in document order."""

    def stamp(self, document_id: str) -> Fingerprint | None:
        """Return the fingerprint of a document's current revision; None if there is none."""

    def overlay(self) -> EntityResolution:
        """Return the entity resolution that the current decisions give."""

    def decisions(self) -> list[tuple[ResolutionDecision, str]]:
        """Return each decision in force with the time it was made (ISO 8601, UTC), oldest first."""

    # Response cache and ledger
    def reply(self, key: str) -> tuple[str, bool] | None:
        """Return the cached reply to a ``ModelRequest.key`` and whether it was complete; None if not cached."""

    def spent(self) -> UsageTotals:
        """Return the totals of the ledger."""

    def spent_on(self, document_id: str) -> UsageTotals:
        """Return the totals of the calls about one document, even if it has been deleted."""

    def ledger(self) -> list[LedgerEntry]:
        """Return every paid call, oldest first."""

    def record(self, document_id: str) -> DocumentRecord | None:
        """Return a published document without its text; None if there is none."""

    def document(self, document_id: str) -> Document: ...
    def evidence(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        """Return the chunks of a document with their evidence, in document order; empty if there is none."""

    def chunks_in(self, document_id: str) -> Rows:
        """Return the chunks of a document, in document order."""

    def identified(self, side: Side, prefix: str, limit: int) -> Rows:
        """Return at most ``limit`` rows whose public identifier begins with ``prefix`` (hexadecimal)."""

    def keyed(self, keys: Sequence[str]) -> dict[str, int]:
        """Return entity rows by entity key; unknown keys are absent."""

    def containing(self, entities: Rows, limit: int) -> Rows:
        """Return at most ``limit`` facts that contain all of these entities (HyperGraphRAG, Proposition 2)."""

    # Hierarchy
    def hierarchy(self) -> Hierarchy:
        """Return all clusters and communities, including stale ones.

        With a document filter, those that depend on any other document are left out.
        """

    def hierarchy_reader(self) -> HierarchyReader:
        """Open a reader of the parts of the hierarchy that are not stale."""
