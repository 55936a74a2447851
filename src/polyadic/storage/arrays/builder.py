"""Build the arrays of a state from the tables."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from polyadic.model.aggregation import SCORE_UNIT
from polyadic.storage.arrays.base_segment import BaseSegment
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.pq_index import LEAST, PQIndex
from polyadic.storage.arrays.snapshot import ArraySnapshot
from polyadic.storage.arrays.topic_entities import contested, with_subjects
from polyadic.storage.arrays.vector_loader import in_blocks
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import DIGEST, Digests, Floats, Integers, grouped, starts_of
from polyadic.storage.protocol import Side
from polyadic.storage.sql.dimension import dimension_of
from polyadic.storage.sql.half_precision import Halves
from polyadic.storage.sql.serialization import overlay_of
from polyadic.storage.sql.title_entities import title_entities, titled_documents

_BLOCK_ROWS = 65_536


Keep = Callable[[str, Iterable[Halves], int], Matrix]
"""Assembles the blocks of a named array of this width."""


def build(connection: Connection, keep: Keep) -> BaseSegment:
    """Read the arrays from the tables in the connection's transaction."""
    entity = _columns(connection, "SELECT id, score, evidence, chunks FROM entity ORDER BY digest", 4)
    fact = _columns(connection, "SELECT id, score, evidence FROM fact ORDER BY digest", 3)
    chunk = _columns(
        connection,
        "SELECT c.id, coalesce(e.id, -1), row_number() OVER (ORDER BY d.digest, c.start), c.start FROM document d"
        " JOIN revision r ON r.id = d.current JOIN chunk c ON c.revision = r.id"
        # "John Ince (actor)" is about John Ince, unless an entity has the full title as its name.
        " LEFT JOIN entity e ON e.id = coalesce((SELECT id FROM entity WHERE digest = r.title_entity),"
        " (SELECT id FROM entity WHERE digest = r.bare_title_entity)) ORDER BY c.digest",
        4,
    )
    snapshot = with_subjects(_snapshot(connection, entity, fact, chunk))
    form_starts, form_vectors = _vectors(connection, "entity", entity[0], "form_vectors", keep)
    _, fact_vectors = _vectors(connection, "fact", fact[0], "fact_vectors", keep)
    window_starts, window_vectors = _vectors(connection, "chunk", chunk[0], "window_vectors", keep)
    vectors: dict[Side, Matrix] = {"entity": form_vectors, "fact": fact_vectors, "chunk": window_vectors}
    contested_starts, contested_chunks = contested(snapshot)
    chunks = "FROM document d JOIN chunk c ON c.revision = d.current ORDER BY c.digest"
    return BaseSegment(
        snapshot=snapshot,
        entity_digests=_digests(connection, "SELECT digest FROM entity ORDER BY digest"),
        entity_sorting=np.argsort(entity[0]),
        fact_digests=_digests(connection, "SELECT digest FROM fact ORDER BY digest"),
        fact_sorting=np.argsort(fact[0]),
        chunk_digests=_digests(connection, f"SELECT c.digest {chunks}"),
        chunk_sorting=np.argsort(chunk[0]),
        chunk_documents=_digests(connection, f"SELECT d.digest {chunks}"),
        chunk_offsets=chunk[3],
        contested_starts=contested_starts,
        contested=contested_chunks,
        form_starts=form_starts,
        form_vectors=form_vectors,
        fact_vectors=fact_vectors,
        window_starts=window_starts,
        window_vectors=window_vectors,
        codes={side: PQIndex.of(matrix.array) for side, matrix in vectors.items() if len(matrix) >= LEAST},
    )


def means(totals: Integers, evidence: Integers) -> Floats:
    """Compute mean scores from the sums in the tables."""
    scores: Floats = (totals / (np.maximum(evidence, 1) * SCORE_UNIT)).astype(np.float32)
    return scores


def _snapshot(connection: Connection, entity: Integers, fact: Integers, chunk: Integers) -> ArraySnapshot:
    """Build the snapshot, without topic entities."""
    participation = _columns(connection, "SELECT fact, entity FROM participation", 2)
    statement = _columns(connection, "SELECT DISTINCT fact, chunk FROM statement", 2)
    facts = _positions(fact[0], participation[0])
    entities = _positions(entity[0], participation[1])
    stated = _positions(fact[0], statement[0])
    stating = _positions(chunk[0], statement[1])
    titles = _titles(connection, entity[0], chunk[0], chunk[1])
    return ArraySnapshot(
        entity_ids=entity[0],
        entity_scores=means(entity[1], entity[2]),
        entity_chunk_counts=entity[3],
        fact_ids=fact[0],
        fact_scores=means(fact[1], fact[2]),
        chunk_ids=chunk[0],
        chunk_order=chunk[2],
        title_entity=titles,
        about_entity=titles,
        about_starts=np.zeros(len(entity[0]) + 1, dtype=np.int64),
        about_chunks=np.zeros(0, dtype=np.int64),
        **_both_ways(
            "fact_entity", "fact_entities", "entity_fact", "entity_facts", facts, entities, fact[0], entity[0]
        ),
        **_both_ways("fact_chunk", "fact_chunks", "chunk_fact", "chunk_facts", stated, stating, fact[0], chunk[0]),
    )


def _columns(connection: Connection, sql: str, width: int) -> Integers:
    blocks = [np.array(rows, dtype=np.int64) for rows in _in_blocks(connection, sql)]
    return np.concatenate([np.zeros((0, width), dtype=np.int64), *blocks]).T.copy()


def _digests(connection: Connection, sql: str) -> Digests:
    blocks = [np.array([digest for (digest,) in rows], dtype=DIGEST) for rows in _in_blocks(connection, sql)]
    return np.concatenate([np.zeros(0, dtype=DIGEST), *blocks])


def _in_blocks(connection: Connection, sql: str) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a query in blocks, to limit the memory for Python objects."""
    cursor = connection.execute(sql)
    while rows := cursor.fetchmany(_BLOCK_ROWS):
        yield rows


def _vectors(connection: Connection, side: Side, ids: Integers, name: str, keep: Keep) -> tuple[Integers, Matrix]:
    """Load the vectors of one side in CSR form: starts and matrix."""
    sizes = [np.zeros(0, dtype=np.int64)]

    def blocks() -> Iterator[Halves]:
        for some, vectors in in_blocks(connection, side, ids):
            sizes.append(some)
            yield vectors

    matrix = keep(name, blocks(), dimension_of(connection))
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
    overlay = overlay_of(connection)
    touched = {key for decision in overlay.decisions for key in decision.touched}
    if touched:
        entity_of_chunk = dict(zip(chunks.tolist(), named.tolist(), strict=True))
        entity_of_chunk |= title_entities(connection, overlay, titled_documents(connection, touched))
        named = np.array([entity_of_chunk[chunk] for chunk in chunks.tolist()], dtype=np.int64)
    return np.where(named < 0, -1, _positions(entities, np.maximum(named, 0)))


def _both_ways(
    name: str, targets: str, back: str, sources: str, left: Integers, right: Integers, lefts: Integers, rights: Integers
) -> dict[str, Integers]:
    order = np.lexsort((right, left))
    left, right = left[order], right[order]
    forward_starts, forward = grouped(left, len(lefts))
    backward_starts, backward = grouped(right, len(rights))
    return {
        f"{name}_starts": forward_starts,
        targets: right[forward],
        f"{back}_starts": backward_starts,
        sources: left[backward],
    }
