"""Vectors of the rows of one node type, in base and delta segments."""

from dataclasses import dataclass

import numpy as np

from polyadic.storage.arrays.delta_segment import DeltaSegment
from polyadic.storage.arrays.matmul import normalized
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.pq_index import PQIndex
from polyadic.storage.arrays.row_map import RowMap
from polyadic.storage.arrays.top_k import contenders
from polyadic.storage.incidence import Floats, Integers, firsts_of, stretches
from polyadic.storage.sql.meta import other_vectors

_EXCLUDED = np.float32(-np.inf)
_BLOCK_ROWS = 8_192


@dataclass(frozen=True, slots=True)
class SegmentValues:
    """A value for each base row, current or not, and for each delta row."""

    base: Floats
    delta: Floats

    def times(self, other: "SegmentValues") -> "SegmentValues":
        return SegmentValues(self.base * other.base, self.delta * other.delta)


@dataclass(frozen=True)
class RowVectors:
    """Vectors addressed by place: first those of the base, then those of the delta (``delta``).

    ``starts`` is the first place of each base row, ``owners`` the base row of each place; both are None if every row
    has one vector. ``codes`` is a quantized index of the base's vectors, if there are many.
    """

    starts: Integers | None
    owners: Integers | None
    matrix: Matrix
    delta: DeltaSegment
    row_map: RowMap
    codes: PQIndex | None = None

    @property
    def dimension(self) -> int:
        return self.matrix.width or self.delta.matrix.width

    @property
    def place_count(self) -> int:
        return len(self.matrix) + len(self.delta.matrix)

    def places(self, rows: Integers) -> tuple[Integers, Integers]:
        """Return the places of the vectors of each row, and for each place the index of its row."""
        bases, delta = self.row_map.locate(rows)
        changed = len(self.delta.rows) > 0 and bool((delta >= 0).any())
        if self.starts is None and not changed:
            return bases, np.arange(len(rows))
        if self.starts is None:
            firsts, sizes = bases, np.ones(len(rows), dtype=np.int64)
        elif len(self.starts) > 1:
            firsts = self.starts[np.maximum(bases, 0)]
            sizes = self.starts[np.maximum(bases, 0) + 1] - firsts
        else:
            firsts = sizes = np.zeros(len(rows), dtype=np.int64)
        if changed:
            delta_rows = self.delta.rows[np.maximum(delta, 0)]
            firsts = np.where(delta >= 0, delta_rows["first_vector"] + len(self.matrix), firsts)
            sizes = np.where(delta >= 0, delta_rows["vectors"], sizes)
        return stretches(firsts, sizes)

    def at(self, places: Integers) -> Floats:
        """Return the vectors at these places."""
        in_delta = (places >= len(self.matrix)).nonzero()[0]
        if not len(in_delta):
            return self.matrix.take(places)
        vectors = np.empty((len(places), self.dimension), dtype=np.float32)
        in_base = np.flatnonzero(places < len(self.matrix))
        if len(in_base):  # a base without vectors has width 0
            vectors[in_base] = self.matrix.take(places[in_base])
        vectors[in_delta] = self.delta.matrix.take(places[in_delta] - len(self.matrix))
        return vectors

    def directions(self, rows: Integers) -> Floats:
        """Return the normalized sum of each row's vectors."""
        sums = np.zeros((len(rows), self.dimension), dtype=np.float32)
        for start in range(0, len(rows), _BLOCK_ROWS):
            places, owners = self.places(rows[start : start + _BLOCK_ROWS])
            sums[start : start + _BLOCK_ROWS] = np.add.reduceat(self.at(places), firsts_of(owners))
        return normalized(sums)

    def cosines(self, vector: Floats) -> SegmentValues:
        """Compute the cosine of every place; the last digits depend on its position (see :attr:`doubt`)."""
        self.check(vector)
        return SegmentValues(self.matrix.times(vector), self.delta_cosines(vector))

    def delta_cosines(self, vector: Floats) -> Floats:
        """Compute the cosines of the delta's places."""
        return self.delta.matrix.times(vector)

    def check(self, vector: Floats) -> None:
        """Raise EmbedderMismatch if the vector has another length than these."""
        if self.place_count and len(vector) != self.dimension:
            raise other_vectors(len(vector), self.dimension)

    def exact_cosines(self, places: Integers, vector: Floats) -> Floats:
        """Compute the cosines at these places, with results that do not depend on the position."""
        cosines = np.empty(len(places), dtype=np.float32)
        vector64 = vector.astype(np.float64)
        for start in range(0, len(places), _BLOCK_ROWS):
            cosines[start : start + _BLOCK_ROWS] = (self.at(places[start : start + _BLOCK_ROWS]) * vector64).sum(axis=1)
        return cosines

    @property
    def doubt(self) -> float:
        """Error bound of :meth:`cosines`: vectors of length 1 that differ by less may be in the wrong order."""
        return self.dimension * float(np.finfo(np.float32).eps)

    def of_rows(self, values: SegmentValues) -> SegmentValues:
        """Reduce values of all places to the maximum of each row."""
        base = values.base
        if self.starts is not None and len(base):
            base = np.maximum.reduceat(base, self.starts[:-1])
        return SegmentValues(np.asarray(base, dtype=np.float32), self.of_delta(values.delta))

    def of_delta(self, numbers: Floats) -> Floats:
        """Reduce values of the delta's places to the maximum of each delta row."""
        if not len(self.delta.rows):
            return numbers[:0]
        places, owners = stretches(self.delta.rows["first_vector"], self.delta.rows["vectors"])
        return np.asarray(np.maximum.reduceat(numbers[places], firsts_of(owners)), dtype=np.float32)

    def rows_at(self, places: Integers) -> Integers:
        """Return the base rows of these places in the base."""
        return places if self.owners is None else self.owners[places]

    def of_some(self, values: SegmentValues, rows: Integers) -> Floats:
        """Select the values of some rows."""
        bases, delta = self.row_map.locate(rows)
        if not len(self.delta.rows):
            return values.base[bases]
        return np.where(delta >= 0, values.delta[np.maximum(delta, 0)], values.base[bases])

    def in_order(self, values: SegmentValues) -> Floats:
        """Merge values of base and delta into one array by row."""
        if self.row_map.dead is None:
            return values.base
        merged = np.empty(self.row_map.size, dtype=np.float32)
        kept = np.flatnonzero(~self.row_map.dead)
        merged[self.row_map.rows_of_base(kept)] = values.base[kept]
        merged[self.row_map.rows_of_delta] = values.delta
        return merged

    def contenders(self, values: SegmentValues, k: int, doubt: float) -> Integers:
        """Return rows, in ascending order, that may have the k highest values (see ``top_k.contenders``)."""
        if self.row_map.dead is None:
            return contenders(values.base, k, doubt)
        hidden = np.where(self.row_map.dead, _EXCLUDED, values.base)
        candidates = contenders(np.concatenate([hidden, values.delta]), k, doubt)
        bases, delta = candidates[candidates < len(hidden)], candidates[candidates >= len(hidden)] - len(hidden)
        return np.sort(np.concatenate([self.row_map.rows_of_base(bases), self.row_map.rows_of_delta[delta]]))
