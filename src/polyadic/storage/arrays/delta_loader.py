"""Load the rows of a delta segment from the tables: touched rows that still exist."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.arrays.builder import means, vectors_of
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.incidence import DIGEST, Floats, Integers
from polyadic.storage.protocol import NodeType
from polyadic.storage.sql.half_precision import widened
from polyadic.storage.sql.revisions import PUBLISHED, resolution_of
from polyadic.storage.sql.title_entities import title_entities, titles_of_chunks

ROW = np.dtype(
    [
        ("id", np.int64),  # primary key
        ("digest", DIGEST),
        ("base", np.int64),  # row in the base, -1 if new
        ("score", np.float32),
        ("spread", np.int64),  # entities only: number of chunks
        ("degree", np.int64),
        ("title", np.int64),  # chunks only: primary key of the title entity, -1 if there is none
        ("document", DIGEST),  # chunks only
        ("offset", np.int64),  # chunks only
        ("first_link", np.int64),
        ("links", np.int64),
        ("first_vector", np.int64),
        ("vectors", np.int64),
    ]
)
"""The dtype of delta rows; fields unused by a node type are 0. Links and vectors are ranges of separate arrays."""


@dataclass(frozen=True, slots=True)
class DeltaRows:
    """Delta rows in any order.

    ``links`` are primary keys of the entities of facts, or of the facts of chunks; entities have none.
    """

    rows: NDArray[np.void]
    links: Integers
    vectors: Floats


def read(connection: Connection, node_type: NodeType, ids: Sequence[int]) -> DeltaRows:
    """Load the rows with these primary keys that exist in the connection's state."""
    return {"entity": _entities, "fact": _facts, "chunk": _chunks}[node_type](connection, ids)


def _entities(connection: Connection, ids: Sequence[int]) -> DeltaRows:
    sql = "SELECT id, digest, score, evidence, chunks, facts FROM entity WHERE id {any_of}"
    records = list(select_in(connection, sql, ids))
    rows = _rows(records)
    rows["score"] = means(_column(records, 2), _column(records, 3))
    rows["spread"], rows["degree"] = _column(records, 4), _column(records, 5)
    return DeltaRows(rows, np.zeros(0, dtype=np.int64), _vectors(connection, "entity", rows))


def _facts(connection: Connection, ids: Sequence[int]) -> DeltaRows:
    records = list(select_in(connection, "SELECT id, digest, score, evidence FROM fact WHERE id {any_of}", ids))
    rows = _rows(records)
    rows["score"] = means(_column(records, 2), _column(records, 3))
    links = _links(connection, "SELECT fact, entity FROM participation WHERE fact {any_of}", rows)
    return DeltaRows(rows, links, _vectors(connection, "fact", rows))


def _chunks(connection: Connection, ids: Sequence[int]) -> DeltaRows:
    sql = f"SELECT c.id, c.digest, d.digest, c.start FROM {PUBLISHED} WHERE c.id {{any_of}}"
    records = list(select_in(connection, sql, ids))
    rows = _rows(records)
    rows["document"], rows["offset"] = [row[2] for row in records], _column(records, 3)
    titled = titles_of_chunks(connection, rows["id"].tolist())
    named = title_entities(connection, resolution_of(connection), titled)
    rows["title"] = [named[chunk] for chunk in rows["id"].tolist()]
    links = _links(connection, "SELECT DISTINCT chunk, fact FROM statement WHERE chunk {any_of}", rows)
    return DeltaRows(rows, links, _vectors(connection, "chunk", rows))


def _rows(records: Sequence[tuple[Any, ...]]) -> NDArray[np.void]:
    rows = np.zeros(len(records), dtype=ROW)
    rows["id"], rows["digest"] = _column(records, 0), [row[1] for row in records]
    return rows


def _column(records: Sequence[tuple[Any, ...]], index: int) -> Integers:
    return np.array([row[index] for row in records], dtype=np.int64)


def _links(connection: Connection, sql: str, rows: NDArray[np.void]) -> Integers:
    linked: dict[int, list[int]] = defaultdict(list)
    for owner, target in select_in(connection, sql, rows["id"].tolist()):
        linked[owner].append(target)
    lists = [linked[row] for row in rows["id"].tolist()]
    rows["links"] = rows["degree"] = [len(targets) for targets in lists]
    rows["first_link"] = np.cumsum(rows["links"]) - rows["links"]
    return np.array([target for targets in lists for target in targets], dtype=np.int64)


def _vectors(connection: Connection, node_type: NodeType, rows: NDArray[np.void]) -> Floats:
    rows["vectors"], vectors = vectors_of(connection, node_type, rows["id"].tolist())
    rows["first_vector"] = np.cumsum(rows["vectors"]) - rows["vectors"]
    return widened(vectors)
