"""Load rows of one node type from the tables."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.model.aggregation import SCORE_UNIT
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.segments import Segment
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.incidence import DIGEST, Integers, positions_of
from polyadic.storage.records import NodeType
from polyadic.storage.sql.half_precision import Halves, kept
from polyadic.storage.sql.meta import dimension_of
from polyadic.storage.sql.revisions import PUBLISHED, resolution_of
from polyadic.storage.sql.title_entities import title_entities, titled_documents

_DIGESTS = ("digest", "document")
_ROWS: Mapping[NodeType, tuple[Sequence[str], str]] = {
    "entity": (
        ("id", "digest", "score", "evidence", "chunks", "degree"),
        "SELECT id, digest, score, evidence, chunks, facts FROM entity WHERE id {any_of}",
    ),
    "fact": (
        ("id", "digest", "score", "evidence"),
        "SELECT id, digest, score, evidence FROM fact WHERE id {any_of}",
    ),
    "chunk": (
        ("id", "digest", "document", "offset", "title"),
        # "John Ince (actor)" is about John Ince, unless an entity has the full title as its name.
        "SELECT c.id, c.digest, d.digest, c.start, coalesce((SELECT id FROM entity WHERE digest = r.title_entity),"
        f" (SELECT id FROM entity WHERE digest = r.bare_title_entity), -1) FROM {PUBLISHED} WHERE c.id {{any_of}}",
    ),
}
"""The columns to load, and the query for them."""
_LINKS: Mapping[NodeType, str] = {
    "fact": "SELECT fact, entity FROM participation WHERE fact {any_of}",
    "chunk": "SELECT DISTINCT chunk, fact FROM statement WHERE chunk {any_of}",
}
_VECTORS: Mapping[NodeType, str] = {
    "entity": "SELECT s.entity, v.data FROM attribute_value s JOIN vector v ON v.id = s.vector"
    " WHERE s.vector IS NOT NULL AND s.entity {any_of} ORDER BY s.entity, s.value_digest",
    "fact": "SELECT f.id, v.data FROM fact f JOIN vector v ON v.id = f.vector WHERE f.id {any_of}",
    "chunk": "SELECT w.chunk, v.data FROM passage_window w JOIN vector v ON v.id = w.vector"
    " WHERE w.chunk {any_of} ORDER BY w.chunk, w.ordinal",
}


def load(connection: Connection, node_type: NodeType, ids: Sequence[int], decided: Mapping[int, int]) -> Segment:
    """Load the rows with these primary keys that exist, in this order.

    Parameters
    ----------
    decided
        See :func:`decided_titles`.
    """
    columns = _columns(connection, node_type, ids)
    known: Integers = columns["id"]
    if node_type == "chunk":
        titles = zip(known.tolist(), columns["title"].tolist(), strict=True)
        columns["title"] = np.array([decided.get(chunk, title) for chunk, title in titles], dtype=np.int64)
    else:
        means = columns["score"] / (np.maximum(columns.pop("evidence"), 1) * SCORE_UNIT)
        columns["score"] = means.astype(np.float32)
    links = _links(connection, node_type, known)
    columns.setdefault("degree", np.bincount(positions_of(known, links[:, 0]), minlength=len(known)))
    columns["vectors"], vectors = _vectors(connection, node_type, known.tolist())
    columns["vector"] = np.cumsum(columns["vectors"]) - columns["vectors"]
    return Segment(columns, np.argsort(known), Matrix(vectors), links=links)


def decided_titles(connection: Connection) -> dict[int, int]:
    """Return, by chunk, the entity that the title of its document names, where a resolution decision is about it.

    Both are primary keys; the entity is -1 if there is none.
    """
    resolution = resolution_of(connection)
    touched = {key for decision in resolution.decisions for key in decision.touched}
    return title_entities(connection, resolution, titled_documents(connection, touched)) if touched else {}


def _columns(connection: Connection, node_type: NodeType, ids: Collection[int]) -> dict[str, NDArray[Any]]:
    names, sql = _ROWS[node_type]
    records = {record[0]: record for record in select_in(connection, sql, list(ids))}
    values = list(zip(*(records[i] for i in ids if i in records), strict=True)) or [()] * len(names)
    types = (DIGEST if name in _DIGESTS else np.int64 for name in names)
    return {name: np.array(column, dtype) for name, column, dtype in zip(names, values, types, strict=True)}


def _links(connection: Connection, node_type: NodeType, ids: Integers) -> Integers:
    found = select_in(connection, _LINKS[node_type], ids.tolist()) if node_type in _LINKS else ()
    return np.array(list(found), dtype=np.int64).reshape(-1, 2)


def _vectors(connection: Connection, node_type: NodeType, ids: Sequence[int]) -> tuple[Integers, Halves]:
    """Return the number of vectors of each row, and all vectors row by row, shape (n, d)."""
    vectors: dict[int, list[bytes]] = defaultdict(list)
    for owner, vector in select_in(connection, _VECTORS[node_type], ids):
        vectors[owner].append(vector)
    lists = [vectors[row] for row in ids]
    sizes = np.array([len(of_row) for of_row in lists], dtype=np.int64)
    return sizes, kept([vector for of_row in lists for vector in of_row], dimension_of(connection))
