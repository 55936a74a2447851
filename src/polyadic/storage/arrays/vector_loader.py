"""Load vectors from the tables, in the order of given rows."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers
from polyadic.storage.protocol import Side
from polyadic.storage.sql.embedding_model import dimension_of
from polyadic.storage.sql.half_precision import Halves, kept
from polyadic.storage.sql.lists import select_in

_SQL: Mapping[Side, str] = {
    "entity": "SELECT s.entity, v.data FROM attribute_value s JOIN vector v ON v.id = s.vector"
    " WHERE s.vector IS NOT NULL AND s.entity {any_of} ORDER BY s.entity, s.value_digest",
    "fact": "SELECT f.id, v.data FROM fact f JOIN vector v ON v.id = f.vector WHERE f.id {any_of}",
    "chunk": "SELECT w.chunk, v.data FROM passage_window w JOIN vector v ON v.id = w.vector"
    " WHERE w.chunk {any_of} ORDER BY w.chunk, w.ordinal",
}
_BLOCK_ROWS = 8_192


def vectors_of(connection: Connection, side: Side, ids: Sequence[int]) -> tuple[Integers, Halves]:
    """Return the number of vectors of each row (primary keys), and all vectors row by row, shape (n, d)."""
    vectors: dict[int, list[bytes]] = defaultdict(list)
    for owner, vector in select_in(connection, _SQL[side], ids):
        vectors[owner].append(vector)
    lists = [vectors[row] for row in ids]
    sizes = np.array([len(row_vectors) for row_vectors in lists], dtype=np.int64)
    return sizes, kept([vector for row_vectors in lists for vector in row_vectors], dimension_of(connection))


def in_blocks(connection: Connection, side: Side, ids: Integers) -> Iterator[tuple[Integers, Halves]]:
    """Load vectors as :func:`vectors_of` does, in blocks of rows."""
    for start in range(0, len(ids), _BLOCK_ROWS):
        yield vectors_of(connection, side, ids[start : start + _BLOCK_ROWS].tolist())
