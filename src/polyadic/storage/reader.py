"""Protocol for reading one committed state of a store, and the prefetch hints that it takes.

A store may prefetch more, less or nothing; query results are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from polyadic.model.types import Entity, Fact, SourceSpan
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.record_reader import RecordReader
from polyadic.storage.records import DegreeWay, Hits, Links, LinkWay, NodeType, Rows, Statement, Vectors


@dataclass(frozen=True, eq=False, slots=True)
class NearestPrefetch:
    """Hint for ``Reader.nearest``, or ``nearest_by_score``, with a vector of shape (d,)."""

    node_type: NodeType
    vector: Vectors
    k: int
    scored: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class NeighbourPrefetch:
    """Hint for the neighbourhood of facts: their entities, at most ``limit`` chunks per fact, and topic entities.

    Topic entities are those of the facts' chunks and of ``chunks``. It includes the statistics of all these rows and
    the vectors of the facts.
    """

    facts: Rows
    limit: int
    chunks: Rows


@dataclass(frozen=True, eq=False, slots=True)
class ChunkFactsPrefetch:
    """Hint for the facts in chunks, at most ``limit`` per chunk, and their entities."""

    chunks: Rows
    limit: int


@dataclass(frozen=True, eq=False, slots=True)
class QuotePrefetch:
    """Hint for the text of facts, and the source spans of facts and chunks."""

    facts: Rows
    chunks: Rows


Expected = NearestPrefetch | NeighbourPrefetch | ChunkFactsPrefetch | QuotePrefetch


class Reader(Protocol):
    """A read transaction on one committed state of a store.

    A *node type* is one of entity, fact and chunk. A *row* is the number of an item of one node type, valid in this
    transaction only. *Links* are pairs of rows.

    Each method says what its cost grows with. Unless it says otherwise, that is the number of rows given and returned,
    and not the size of the store; in a database, one query or none if the values were prefetched.
    """

    @property
    def records(self) -> RecordReader:
        """Documents, evidence, decisions, replies and the ledger of the same state; opening it reads nothing."""

    def hierarchy_reader(self) -> HierarchyReader:
        """Open a reader of the parts of the hierarchy that are not stale.

        The first one after a change of the hierarchy reads all of its clusters and communities; others read nothing.
        """

    def prefetch(self, *expected: Expected) -> None:
        """Announce queries to come so that the store can prefetch them; results do not depend on it."""

    # Vector and full-text search
    def nearest(self, node_type: NodeType, vector: Vectors, k: int, by_score: bool = False) -> Hits:
        """Return the k rows most similar to a vector of shape (d,), best first; ties by public identifier.

        If a row has several vectors, the most similar one counts. The cost grows with the vectors of the node type,
        by a few bytes for each, or with the logarithm of their number, as the index of the engine has it; the results
        are approximate for large node types.

        Parameters
        ----------
        by_score
            For entities and facts: rank by similarity x score (HyperGraphRAG, Eq. 14 and 15), and return the products.
        """

    def similarity(self, node_type: NodeType, rows: Rows, vectors: Vectors) -> Vectors:
        """Compute the cosine of m vectors, shape (m, d), with n rows (the best of each row's vectors): shape (m, n).

        The vectors of the n rows are read, and m * n cosines computed.
        """

    def directions(self, node_type: NodeType, rows: Rows) -> Vectors:
        """Return the normalized sum of the vectors of each of n rows, shape (n, d)."""

    def main_vectors(self, entities: Rows) -> Vectors:
        """Return the vector of the best-supported name and description of each of n entities, shape (n, d)."""

    def search(self, words: str, k: int) -> Hits:
        """Return the k chunks that match these words best by BM25 (higher is better); any text is a valid query.

        The cost grows with the chunks that contain any of the words; with a document filter, with the selected chunks.
        """

    def chunks_with_words(self, words: Sequence[str], limit: int) -> Links:
        """Return, for each word, up to ``limit`` chunks that contain it, in no particular order.

        The sources of the links are positions in ``words``.
        """

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        """Return entity rows by loose name (see ``identity.loose_name``); names without an entity are absent."""

    # Incidence
    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        """Return the facts of each entity; of more than ``limit``, those most similar to ``toward``.

        The cost grows with the facts of the entities, as those of hubs are compared.

        Parameters
        ----------
        entities
            Entity rows, shape (n,).
        limit
            Maximum number of facts per entity.
        toward
            One vector, shape (d,), or one per entity, shape (n, d).
        """

    def links(self, way: LinkWay, rows: Rows, limit: int | None = None) -> Links:
        """Return the neighbours of each row, at most ``limit`` each; rows without any are absent.

        Parameters
        ----------
        way
            Which neighbours: ``fact_entities``, ``fact_chunks`` (whose evidence states a fact), ``chunk_facts``,
            ``chunk_topic`` (the topic entity of a chunk: the one that the document's title names, else the one that
            takes part in most of the chunk's facts, see storage/arrays/topic_entities.py) or ``topic_chunks`` (the
            chunks about an entity, in document order).
        rows
            Rows of the node type that comes first in ``way``, shape (n,).
        """

    def containing(self, entities: Rows, limit: int) -> Rows:
        """Return at most ``limit`` facts that contain all of these entities (HyperGraphRAG, Proposition 2).

        They are ordered by public identifier; the cost grows with the facts of the rarest entity.
        """

    def statements(self, chunk_ids: Sequence[str]) -> list[Statement]:
        """Return the facts that chunks (by identifier) state, each with its character span, in document order."""

    # Row statistics
    def size(self, node_type: NodeType) -> int:
        """Return the number of rows of one node type, in constant time."""

    def rows(self, node_type: NodeType, prefix: str = "", limit: int | None = None) -> Rows:
        """Return the rows of one node type, ordered by public identifier; at most ``limit``.

        ``prefix`` are hexadecimal digits with which the identifiers begin.
        """

    def chunks_in(self, document_id: str) -> Rows:
        """Return the chunks of a document, in document order."""

    def degrees(self, way: DegreeWay, rows: Rows) -> Rows:
        """Count the neighbours of each row, shape (n,): ``entity_facts``, ``entity_chunks``, and so on.

        The counts are stored, so hubs cost no more than other rows.
        """

    def scores(self, node_type: Literal["entity", "fact"], rows: Rows) -> Vectors:
        """Return the score of each row, shape (n,): entities in (0, 100], facts in (0, 10]."""

    def tokens(self, node_type: Literal["fact", "chunk"], rows: Rows) -> Rows:
        """Count the tokens in the text of each row, shape (n,); the counts are stored."""

    # Records, in the order of the rows given
    def entities(self, rows: Rows) -> list[Entity]:
        """Return each of n entities, without its facts."""

    def facts(self, rows: Rows) -> list[Fact]:
        """Return each of n facts, with the names of its entities."""

    def fact_places(self, facts: Rows) -> list[tuple[SourceSpan, ...]]:
        """Return the source spans that state each fact, in document order; only the first few of many.

        The cost of a quotation does not depend on the length of its document.
        """

    def chunk_places(self, chunks: Rows) -> list[SourceSpan]:
        """Return the source span of each chunk; its quote is the chunk's text."""
