"""What a method will ask a store for: said ahead, it may be read together, or looked for while something else is done.

A store may read more or less of it at once, or nothing; what it then answers is the same.
"""

from dataclasses import dataclass

from polyadic.storage.records import Rows, Side, Vectors


@dataclass(frozen=True, eq=False, slots=True)
class NearestPrefetch:
    """``Reader.nearest``, or ``nearest_scored``, of a vector of shape (d,)."""

    side: Side
    vector: Vectors
    k: int
    scored: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class NeighbourPrefetch:
    """What is around facts: entities, at most ``limit`` chunks of each, what these and further ``chunks`` are about.

    The numbers of all that, and the vectors of the facts.
    """

    facts: Rows
    limit: int
    chunks: Rows


@dataclass(frozen=True, eq=False, slots=True)
class ChunkFactsPrefetch:
    """The facts in chunks, at most ``limit`` a chunk, and their entities."""

    chunks: Rows
    limit: int


@dataclass(frozen=True, eq=False, slots=True)
class QuotePrefetch:
    """What facts say, and where these facts and chunks stand."""

    facts: Rows
    chunks: Rows


Expected = NearestPrefetch | NeighbourPrefetch | ChunkFactsPrefetch | QuotePrefetch
