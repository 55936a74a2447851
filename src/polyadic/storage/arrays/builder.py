"""Build the arrays of a state from the tables."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from polyadic.storage.arrays.base import Base
from polyadic.storage.arrays.loader import decided_titles, load
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.pq_index import LEAST, PQIndex
from polyadic.storage.arrays.segments import NO_LINKS, Segment
from polyadic.storage.arrays.state import with_topics
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Incidence
from polyadic.storage.records import NODE_TYPES, NodeType
from polyadic.storage.sql.half_precision import Halves
from polyadic.storage.sql.meta import dimension_of

_BLOCK_ROWS = 8_192
_IN_ORDER: Mapping[NodeType, str] = {
    "entity": "SELECT id FROM entity ORDER BY digest",
    "fact": "SELECT id FROM fact ORDER BY digest",
    "chunk": "SELECT c.id FROM document d JOIN chunk c ON c.revision = d.current ORDER BY c.digest",
}


def build(connection: Connection, folder: Path | None = None) -> Base:
    """Read the arrays from the tables in the connection's transaction.

    Vectors are written to the folder; without one they are kept in memory.
    """
    segments = {node_type: _segment(connection, node_type, folder) for node_type in NODE_TYPES}
    participation = _links(segments["fact"], segments["entity"])
    statements = _links(segments["chunk"], segments["fact"])
    bare = {node_type: replace(segment, links=NO_LINKS) for node_type, segment in segments.items()}
    return with_topics(Base.of(bare, participation, statements))


def _segment(connection: Connection, node_type: NodeType, folder: Path | None) -> Segment:
    """Load all rows of one node type block by block, so that their vectors need not fit into memory."""
    ids = [row for (row,) in connection.execute(_IN_ORDER[node_type])]
    decided = decided_titles(connection) if node_type == "chunk" else {}
    loaded: list[Segment] = []

    def blocks() -> Iterator[Halves]:
        for start in range(0, max(len(ids), 1), _BLOCK_ROWS):
            block = load(connection, node_type, ids[start : start + _BLOCK_ROWS], decided)
            loaded.append(replace(block, vectors=Matrix.empty()))
            yield block.vectors.array

    matrix = Matrix.of_blocks(blocks(), dimension_of(connection), folder, f"{node_type}_matrix")
    columns = {name: np.concatenate([block.columns[name] for block in loaded]) for name in loaded[0].columns}
    columns["vector"] = np.cumsum(columns["vectors"]) - columns["vectors"]
    codes = PQIndex.of(matrix.array) if len(matrix) >= LEAST else None
    links = np.concatenate([block.links for block in loaded])
    return Segment(columns, np.argsort(columns["id"]), matrix, codes, links=links)


def _links(sources: Segment, targets: Segment) -> Incidence:
    """Return the incidence between the positions of two segments, of which the first has the links."""
    first, second = sources.links.T
    return Incidence.of(sources.find(first), targets.find(second), len(sources))
