"""What is near to a vector: compared one by one where there are few, found by HNSW where there are many.

The database compares with the question in half precision. So more is taken from it than is asked for, and what could be
among the best is compared again as everywhere else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polyadic.store.arrays.products import products
from polyadic.store.connection import Connection
from polyadic.store.incidence import Floats, Integers
from polyadic.store.postgres.tables import spread_out
from polyadic.store.protocol import Rows, Side, Vectors
from polyadic.store.tables.dimension import other_vectors
from polyadic.store.tables.half_precision import HalfVector, kept, widened

MOST_INDEXED = 4_000
"""Numbers of a vector that the index takes."""
DOUBT = 0.001
"""Cosines that the database tells are as near as that to the true ones: with the numbers of the question in half
precision, which are off by at most 2^-11 of themselves, a product of unit vectors is off by at most 2^-11."""
_MOST_SEARCHED = 1_000
"""Neighbours that pgvector keeps in view at once."""
_SCANNED = 20_000
"""Vectors after which pgvector gives up, whosever they are (hnsw.max_scan_tuples, unless the server has another)."""
MOST_COMPARED, _SAMPLE = 4_096, 1_000


@dataclass(frozen=True, slots=True)
class Roughly:
    """Rows, each once, the nearest first, with their cosines but for DOUBT; whether there are no others."""

    rows: Rows
    cosines: Floats
    are_all: bool


class Near:
    """Compares vectors within the open transaction of a connection; ``indexed`` tells how many rows of a side are."""

    def __init__(self, connection: Connection, dimension: int, indexed: Callable[[Side], int]) -> None:
        self._connection = connection
        self._dimension = dimension
        self._indexed = indexed
        self._known: dict[Side, dict[int, list[HalfVector]]] = {}
        self._width = 0

    def roughly(self, side: Side, vector: Vectors, count: int) -> Roughly:
        """The rows of so many of the nearest vectors."""
        self._check(vector)
        found = self._by_index(side, vector, count) if self._index_pays(side, count) else []
        by_all = self._dimension > 0 and len(found) < count // 2
        if by_all:
            # Few there are, or few of those that the index came by belong to this workspace.
            found = self._by_all(side, vector, count)
        rows = np.array([row for row, _ in found], dtype=np.int64)
        cosines = np.array([cosine for _, cosine in found], dtype=np.float32)
        firsts = np.sort(np.unique(rows, return_index=True)[1])
        return Roughly(rows[firsts], cosines[firsts], not self._dimension or (by_all and len(found) < count))

    def cosines(self, side: Side, rows: Rows, vectors: Vectors) -> Vectors:
        """Cosine of each of m vectors, shape (m, d), with the nearest vector of each of n rows: shape (m, n)."""
        for vector in vectors[:1]:
            self._check(vector)
        if not len(rows):
            return np.zeros((len(vectors), 0), dtype=np.float32)
        known, owners = self.vectors(side, rows)
        firsts = np.flatnonzero(np.diff(owners, prepend=-1))
        return np.asarray(np.maximum.reduceat(products(vectors, known), firsts, axis=1), dtype=np.float32)

    def vectors(self, side: Side, rows: Rows) -> tuple[Floats, Integers]:
        """The vectors of each row, one row after the other, and to which place among these each belongs."""
        distinct = np.unique(rows).tolist()
        known = self._known.setdefault(side, {})
        self._learn(side, known, [row for row in distinct if row not in known])
        data = [(row, one) for row in distinct for one in known[row]]
        found = widened(kept([one for _, one in data], self._dimension))
        places = np.array([(row, place) for place, (row, _) in enumerate(data)], dtype=np.int64).reshape(-1, 2)
        places, owners = spread_out(places, rows)
        return found[places], owners

    def among(self, hub: int, vector: Vectors, k: int, held: int) -> Rows:
        """Of the facts of an entity, which are ``held`` in all, those that are near: k at least, if there are so many.

        Of very many those are compared that the index finds near, and a thousand others.
        """
        if held > MOST_COMPARED and self._dimension <= MOST_INDEXED:
            near = self.roughly("fact", vector, MOST_COMPARED).rows
            sql = "SELECT fact FROM participation WHERE entity = ? AND fact = ANY(?)"
            taking_part = self._connection.execute(sql, (hub, near.tolist())).fetchall()
            sql = "SELECT fact FROM participation WHERE entity = ? ORDER BY fact LIMIT ?"
            others = self._connection.execute(sql, (hub, max(k, _SAMPLE))).fetchall()
            return np.unique(np.array([*taking_part, *others], dtype=np.int64))
        sql = "SELECT fact FROM participation WHERE entity = ? ORDER BY fact"
        return np.array(self._connection.execute(sql, (hub,)).fetchall(), dtype=np.int64).reshape(-1)

    def _learn(self, side: Side, known: dict[int, list[HalfVector]], rows: list[int]) -> None:
        """Read the vectors of rows, which are often asked for again: of what is found neighbours are compared next."""
        known.update((row, []) for row in rows)
        if rows:
            sql = f"SELECT row, data FROM {self._table} WHERE side = ? AND row = ANY(?) ORDER BY row, vector"
            for row, data in self._connection.execute(sql, (side, rows)).fetchall():
                known[row].append(data)

    def _index_pays(self, side: Side, count: int) -> bool:
        """Whether so many of what the index comes by can be expected to belong to this workspace."""
        indexed = self._indexed(side)
        if not indexed or not 0 < self._dimension <= MOST_INDEXED:
            return False
        return indexed * _SCANNED >= count * self._of_all.get(f"{self._table}_{side}", 0.0)

    @cached_property
    def _of_all(self) -> dict[str, float]:
        """How many vectors are in each index, of all workspaces, as PostgreSQL last counted them."""
        sql = (
            "SELECT c.relname, c.reltuples::float8 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " WHERE i.indrelid = to_regclass(?)"
        )
        return dict(self._connection.execute(sql, (self._table,)).fetchall())

    @property
    def _table(self) -> str:
        return f"near_{self._dimension}"

    def _by_index(self, side: Side, vector: Vectors, k: int) -> list[tuple[int, float]]:
        if (width := min(k, _MOST_SEARCHED)) != self._width:
            self._connection.execute(f"SET LOCAL hnsw.ef_search = {width}")
            self._width = width
        # As the index has it: it is taken only where that is known when the statement is planned.
        found = self._connection.execute(
            f"SELECT row, -(data::halfvec({self._dimension}) <#> ?) FROM {self._table}"
            f" WHERE side = '{side}' AND indexed ORDER BY data::halfvec({self._dimension}) <#> ? LIMIT ?",
            (*HalfVector.each(np.stack([vector, vector])), k),
        ).fetchall()
        # What the index comes by when it searches further may be nearer than what it found before.
        return sorted(found, key=lambda one: (-one[1], one[0]))

    def _by_all(self, side: Side, vector: Vectors, k: int) -> list[tuple[int, float]]:
        return self._connection.execute(
            f"SELECT row, max(-(data <#> ?)) FROM {self._table} WHERE side = ? GROUP BY row ORDER BY 2 DESC LIMIT ?",
            (*HalfVector.each(vector[None, :]), side, k),
        ).fetchall()

    def _check(self, vector: Vectors) -> None:
        if self._dimension and len(vector) != self._dimension:
            raise other_vectors(len(vector), self._dimension)
