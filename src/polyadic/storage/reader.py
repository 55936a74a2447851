"""What every store can tell of one committed state (see protocol.py)."""

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
    Spent,
    Statement,
    Vectors,
)


class Reader(Protocol):
    """Reads one committed state of a store."""

    def expect(self, *expected: Expected) -> None:
        """Say what will be asked for, so that it can be read together (see prefetch.py); no answer hangs on it."""

    # nearest by vector, and by words
    def nearest(self, side: Side, vector: Vectors, k: int) -> Hits:
        """The k rows most similar to a vector of shape (d,); a row with several vectors counts by its best."""

    def nearest_scored(self, side: Literal["entity", "fact"], vector: Vectors, k: int) -> Hits:
        """The k rows with the highest similarity x score (HyperGraphRAG, Eq. 14 and 15); hits carry these products."""

    def similarity(self, side: Side, rows: Rows, vectors: Vectors) -> Vectors:
        """Cosine of each of m vectors, shape (m, d), with each of n rows (the best of its vectors): shape (m, n)."""

    def directions(self, entities: Rows) -> Vectors:
        """Where the vectors of each entity point on the whole, shape (n, d), each row of length 1."""

    def search(self, words: str, k: int) -> Hits:
        """The k chunks that hold these words, by BM25 (higher is better); any text is a legal query."""

    def holding(self, words: Sequence[str], limit: int) -> Links:
        """For each word, by its place among them, chunks that hold it: any ``limit``, if there are more."""

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        """Entity rows by the loose form of any of their names (see identity.loose_name); absent where none."""

    # neighbours over incidence
    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        """Facts in which each entity takes part; of one with more than ``limit``, those most similar to ``toward``.

        That is one vector, shape (d,), or one for each entity, shape (n, d).
        """

    def entities_of(self, facts: Rows) -> Links:
        """Entities of each fact."""

    def chunks_of(self, facts: Rows, limit: int) -> Links:
        """Chunks whose evidence states each fact, at most ``limit`` a fact."""

    def facts_in(self, chunks: Rows, limit: int) -> Links:
        """Facts that the evidence of each chunk states, at most ``limit`` a chunk."""

    def headings(self, chunk_ids: Sequence[str]) -> Mapping[str, tuple[Heading, ...]]:
        """The headings of the sections that chunks, by public identifier, are part of, in the order of the document."""

    def statements(self, chunk_ids: Sequence[str]) -> list[Statement]:
        """The facts that chunks state, by public identifier of the chunk, each with its characters, in their order."""

    def titles_of(self, chunks: Rows) -> Links:
        """The entity that each chunk is about; absent where there is none.

        It is the one that the document's title names, else the one that most of the chunk's facts share.
        """

    def titled(self, entities: Rows, limit: int) -> Links:
        """At most ``limit`` chunks, in document order, that are about each entity (see titles_of)."""

    # statistics of rows
    def size(self, side: Side) -> int:
        """How many rows there are on one side; costs nothing."""

    def all_rows(self, side: Side) -> Rows:
        """Every row of one side, in the order of public identifiers."""

    def degrees(self, side: Side, rows: Rows) -> Rows:
        """Facts of each entity, entities of each fact, or facts of each chunk: how many, shape (n,)."""

    def scores(self, side: Literal["entity", "fact"], rows: Rows) -> Vectors:
        """The score of each row, shape (n,): of entities in (0, 100], of facts in (0, 10]."""

    def spread(self, entities: Rows) -> Rows:
        """In how many chunks each entity occurs, shape (n,)."""

    def tokens(self, side: Literal["fact", "chunk"], rows: Rows) -> Rows:
        """How many tokens the text of each row has, shape (n,)."""

    # fetch, in the order asked
    def entities(self, rows: Rows) -> list[Entity]: ...
    def facts(self, rows: Rows) -> list[Fact]: ...
    def chunks(self, rows: Rows) -> list[Chunk]: ...
    def fact_places(self, facts: Rows) -> list[tuple[SourceSpan, ...]]:
        """Where each fact is stated: one place a span of evidence, in document order; of many the first few."""

    def chunk_places(self, chunks: Rows) -> list[SourceSpan]: ...

    # the catalogue: what there is, and rows by public identifier
    def counts(self) -> Counts: ...
    def arities(self) -> dict[int, int]:
        """How many facts connect how many entities: arity to count."""

    def documents(self) -> list[DocumentRecord]:
        """Every published document, by source."""

    def listed(self, after: str | None, limit: int, words: str = "") -> DocumentListing:
        """At most ``limit`` published documents by source, at a cost that does not grow with those passed over.

        Parameters
        ----------
        after
            The source after which they begin, which need not be there any more; None for the first ones.
        words
            Only documents whose source or title holds this, in upper or lower case; all where it is empty. Sources and
            titles of all documents are then looked at.
        """

    def select(self, sources: Sequence[str], where: Mapping[str, str]) -> frozenset[str]:
        """Identifiers of documents by source and metadata.

        Parameters
        ----------
        sources
            Of each: the document with this source, the rows of the file with this path, all below this folder. All
            documents where none is given.
        where
            Metadata that a document must have, all of them.
        """

    def extractors(self) -> dict[str, int]:
        """How many documents each extractor read, by its name."""

    def failures(self) -> list[FailedChunk]:
        """Chunks of published documents whose extraction failed, in document order."""

    def stamp(self, document_id: str) -> Fingerprint | None:
        """What the current revision of a document was made from; None where there is none."""

    def overlay(self) -> EntityResolution:
        """The decisions on who is who that hold."""

    def decisions(self) -> list[tuple[ResolutionDecision, str]]:
        """Each decision that holds with the time at which it was made (ISO 8601, UTC), in that order."""

    # what language models said
    def reply(self, key: str) -> tuple[str, bool] | None:
        """A reply that is remembered for a request (Request.key), and whether it was complete; None where none is."""

    def spent(self) -> Spent:
        """What the ledger sums to."""

    def spent_on(self, document_id: str) -> Spent:
        """What the calls about one document sum to, also where it is no longer there."""

    def ledger(self) -> list[LedgerEntry]:
        """Every call that was paid for, the first one first."""

    def record(self, document_id: str) -> DocumentRecord | None:
        """A published document without its text; None where there is none."""

    def document(self, document_id: str) -> Document: ...
    def evidence(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        """Chunks of a document with their evidence, in its order; empty where there is none."""

    def chunks_in(self, document_id: str) -> Rows:
        """The chunks of a document, in its order."""

    def identified(self, side: Side, prefix: str, limit: int) -> Rows:
        """Rows whose public identifier begins with ``prefix`` (hexadecimal), at most ``limit``."""

    def keyed(self, keys: Sequence[str]) -> dict[str, int]:
        """Entity rows by entity key; absent where there is none."""

    def containing(self, entities: Rows, limit: int) -> Rows:
        """Facts that contain every one of these entities (Proposition 2), at most ``limit``."""

    # the hierarchy over it all
    def hierarchy(self) -> Hierarchy:
        """All clusters and communities, also what is stale; in a scope nothing that rests on a document outside."""

    def themes(self) -> HierarchyReader:
        """Searches what is not stale of the hierarchy."""
