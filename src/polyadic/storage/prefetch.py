"""Prefetch hints: queries that a retrieval method announces so that the store can batch them or run them early.

A store may prefetch more, less or nothing; query results are the same.
"""

from dataclasses import dataclass

from polyadic.storage.records import NodeType, Rows, Vectors


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
