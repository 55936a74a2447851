"""Build the arrays of a state from the tables."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from polyadic.model.aggregation import SCORE_UNIT
from polyadic.storage.arrays.base_segment import BaseSegment
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.pq_index import LEAST, PQIndex
from polyadic.storage.arrays.protocol import Way
from polyadic.storage.arrays.snapshot import ArraySnapshot
from polyadic.storage.arrays.topic_entities import contested, with_topics
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.incidence import DIGEST, Digests, Floats, Incidence, Integers, starts_of
from polyadic.storage.records import NODE_TYPES, NodeType
from polyadic.storage.sql.half_precision import Halves, kept
from polyadic.storage.sql.meta import dimension_of
from polyadic.storage.sql.revisions import resolution_of
from polyadic.storage.sql.title_entities import title_entities, titled_documents

_BLOCK_ROWS, _VECTOR_BLOCK_ROWS = 65_536, 8_192
_VECTORS: Mapping[NodeType, str] = {
    "entity": "SELECT s.entity, v.data FROM attribute_value s JOIN vector v ON v.id = s.vector"
    " WHERE s.vector IS NOT NULL AND s.entity {any_of} ORDER BY s.entity, s.value_digest",
    "fact": "SELECT f.id, v.data FROM fact f JOIN vector v ON v.id = f.vector WHERE f.id {any_of}",
    "chunk": "SELECT w.chunk, v.data FROM passage_window w JOIN vector v ON v.id = w.vector"
    " WHERE w.chunk {any_of} ORDER BY w.chunk, w.ordinal",
}
_CHUNKS = "FROM document d JOIN chunk c ON c.revision = d.current ORDER BY c.digest"
_DIGESTS = {
    "entity": "SELECT digest FROM entity ORDER BY digest",
    "fact": "SELECT digest FROM fact ORDER BY digest",
    "chunk": f"SELECT c.digest {_CHUNKS}",
}

Keep = Callable[[str, Iterable[Halves], int], Matrix]
"""Assembles the blocks of a named array of this width."""


def build(connection: Connection, keep: Keep) -> BaseSegment:
    """Read the arrays from the tables in the connection's transaction."""
    chunks, chunk_order, titles, offsets = _columns(
        connection,
        "SELECT c.id, row_number() OVER (ORDER BY d.digest, c.start), coalesce(e.id, -1), c.start FROM document d"
        " JOIN revision r ON r.id = d.current JOIN chunk c ON c.revision = r.id"
        # "John Ince (actor)" is about John Ince, unless an entity has the full title as its name.
        " LEFT JOIN entity e ON e.id = coalesce((SELECT id FROM entity WHERE digest = r.title_entity),"
        " (SELECT id FROM entity WHERE digest = r.bare_title_entity)) ORDER BY c.digest",
        4,
    )
    snapshot = with_topics(_snapshot(connection, chunks, chunk_order, titles))
    loaded = {node_type: _vectors(connection, node_type, keys, keep) for node_type, keys in snapshot.keys.items()}
    vectors = {node_type: matrix for node_type, (_, matrix) in loaded.items()}
    return BaseSegment(
        snapshot,
        digests={node_type: _digests(connection, _DIGESTS[node_type]) for node_type in NODE_TYPES},
        sorting={node_type: np.argsort(keys) for node_type, keys in snapshot.keys.items()},
        chunk_documents=_digests(connection, f"SELECT d.digest {_CHUNKS}"),
        chunk_offsets=offsets,
        contested=contested(snapshot),
        vectors=vectors,
        vector_starts={node_type: starts for node_type, (starts, _) in loaded.items() if node_type != "fact"},
        codes={node_type: PQIndex.of(matrix.array) for node_type, matrix in vectors.items() if len(matrix) >= LEAST},
    )


def vectors_of(connection: Connection, node_type: NodeType, ids: Sequence[int]) -> tuple[Integers, Halves]:
    """Return the number of vectors of each row (primary keys), and all vectors row by row, shape (n, d)."""
    vectors: dict[int, list[bytes]] = defaultdict(list)
    for owner, vector in select_in(connection, _VECTORS[node_type], ids):
        vectors[owner].append(vector)
    lists = [vectors[row] for row in ids]
    sizes = np.array([len(row_vectors) for row_vectors in lists], dtype=np.int64)
    return sizes, kept([vector for row_vectors in lists for vector in row_vectors], dimension_of(connection))


def means(totals: Integers, evidence: Integers) -> Floats:
    """Compute mean scores from the sums in the tables."""
    scores: Floats = (totals / (np.maximum(evidence, 1) * SCORE_UNIT)).astype(np.float32)
    return scores


def _snapshot(connection: Connection, chunks: Integers, order: Integers, titles: Integers) -> ArraySnapshot:
    """Build the snapshot, without topic entities; ``titles`` are the keys of the entities that titles name."""
    entities, *entity_totals, counts = _columns(
        connection, "SELECT id, score, evidence, chunks FROM entity ORDER BY digest", 4
    )
    facts, *fact_totals = _columns(connection, "SELECT id, score, evidence FROM fact ORDER BY digest", 3)
    participants = _pairs(connection, "SELECT fact, entity FROM participation", facts, entities)
    statements = _pairs(connection, "SELECT DISTINCT fact, chunk FROM statement", facts, chunks)
    title_rows = _titles(connection, entities, chunks, titles)
    incidence: dict[Way, Incidence] = {
        "fact_entities": Incidence.of(*participants, len(facts)),
        "entity_facts": Incidence.of(*participants[::-1], len(entities)),
        "fact_chunks": Incidence.of(*statements, len(facts)),
        "chunk_facts": Incidence.of(*statements[::-1], len(chunks)),
    }
    return ArraySnapshot(
        keys={"entity": entities, "fact": facts, "chunk": chunks},
        row_scores={"entity": means(*entity_totals), "fact": means(*fact_totals)},
        chunk_counts=counts,
        chunk_order=order,
        titles=title_rows,
        topics=title_rows,
        chunks_by_topic=Incidence(np.zeros(len(entities) + 1, dtype=np.int64), np.zeros(0, dtype=np.int64)),
        incidence=incidence,
    )


def _columns(connection: Connection, sql: str, width: int) -> Integers:
    blocks = [np.array(rows, dtype=np.int64) for rows in _in_blocks(connection, sql)]
    return np.concatenate([np.zeros((0, width), dtype=np.int64), *blocks]).T.copy()


def _digests(connection: Connection, sql: str) -> Digests:
    blocks = [np.array([digest for (digest,) in rows], dtype=DIGEST) for rows in _in_blocks(connection, sql)]
    return np.concatenate([np.zeros(0, dtype=DIGEST), *blocks])


def _pairs(connection: Connection, sql: str, lefts: Integers, rights: Integers) -> tuple[Integers, Integers]:
    """Read pairs of keys as pairs of their positions."""
    left, right = _columns(connection, sql, 2)
    return _positions(lefts, left), _positions(rights, right)


def _in_blocks(connection: Connection, sql: str) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a query in blocks, to limit the memory for Python objects."""
    cursor = connection.execute(sql)
    while rows := cursor.fetchmany(_BLOCK_ROWS):
        yield rows


def _vectors(connection: Connection, node_type: NodeType, ids: Integers, keep: Keep) -> tuple[Integers, Matrix]:
    """Load the vectors of one node type in CSR form: starts and matrix."""
    sizes = [np.zeros(0, dtype=np.int64)]

    def blocks() -> Iterator[Halves]:
        for start in range(0, len(ids), _VECTOR_BLOCK_ROWS):
            of_rows, vectors = vectors_of(connection, node_type, ids[start : start + _VECTOR_BLOCK_ROWS].tolist())
            sizes.append(of_rows)
            yield vectors

    matrix = keep(f"{node_type}_vectors", blocks(), dimension_of(connection))
    return starts_of(np.concatenate(sizes)), matrix


def _positions(ids: Integers, wanted: Integers) -> Integers:
    """Return the position of each wanted id in ``ids``, which is unsorted and contains them all."""
    if not len(ids):
        return np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(ids)
    return order[np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)].astype(np.int64)


def _titles(connection: Connection, entities: Integers, chunks: Integers, named: Integers) -> Integers:
    """Return the row of each chunk's title entity, -1 if there is none.

    ``named`` holds the entities that have the titles as keys; entity resolution decisions about a title override them.
    """
    resolution = resolution_of(connection)
    touched = {key for decision in resolution.decisions for key in decision.touched}
    if touched:
        entity_of_chunk = dict(zip(chunks.tolist(), named.tolist(), strict=True))
        entity_of_chunk |= title_entities(connection, resolution, titled_documents(connection, touched))
        named = np.array([entity_of_chunk[chunk] for chunk in chunks.tolist()], dtype=np.int64)
    return np.where(named < 0, -1, _positions(entities, np.maximum(named, 0)))
