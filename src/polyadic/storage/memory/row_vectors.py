"""The vectors of the rows of one side, those of the base beside those of the tail."""

from dataclasses import dataclass

import numpy as np

from polyadic.storage.incidence import Floats, Integers, stretches
from polyadic.storage.memory.delta_segment import DeltaSegment
from polyadic.storage.memory.matrix import Matrix
from polyadic.storage.memory.pq_index import PQIndex
from polyadic.storage.memory.row_map import RowMap
from polyadic.storage.memory.top_k import contenders
from polyadic.storage.sql.dimension import other_vectors

_NOTHING = np.float32(-np.inf)
_AT_ONCE = 8_192


@dataclass(frozen=True, slots=True)
class SegmentValues:
    """A number for each row of the base, whether it holds or not, and for each row of the tail."""

    base: Floats
    tail: Floats

    def times(self, other: "SegmentValues") -> "SegmentValues":
        return SegmentValues(self.base * other.base, self.tail * other.tail)


@dataclass(frozen=True)
class RowVectors:
    """Vectors have places: first those of the base, then those of the tail.

    ``starts`` tells where those of each row of the base begin, ``owners`` to which row each belongs (None: one each).
    Where there are very many, there are ``codes`` of those of the base.
    """

    starts: Integers | None
    owners: Integers | None
    matrix: Matrix
    tail: DeltaSegment
    placement: RowMap
    codes: PQIndex | None = None

    @property
    def dimension(self) -> int:
        return self.matrix.width or self.tail.matrix.width

    @property
    def place_count(self) -> int:
        return len(self.matrix) + len(self.tail.matrix)

    def places(self, rows: Integers) -> tuple[Integers, Integers]:
        """Places of the vectors of each row, and for each the index of the row."""
        bases, tail = self.placement.locate(rows)
        changed = len(self.tail.rows) > 0 and bool((tail >= 0).any())
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
            told = self.tail.rows[np.maximum(tail, 0)]
            firsts = np.where(tail >= 0, told["first_vector"] + len(self.matrix), firsts)
            sizes = np.where(tail >= 0, told["vectors"], sizes)
        return stretches(firsts, sizes)

    def at(self, places: Integers) -> Floats:
        """The vectors at these places."""
        there = (places >= len(self.matrix)).nonzero()[0]
        if not len(there):
            return self.matrix.take(places)
        found = np.empty((len(places), self.dimension), dtype=np.float32)
        here = np.flatnonzero(places < len(self.matrix))
        if len(here):  # of a base without vectors nobody knows how long they are
            found[here] = self.matrix.take(places[here])
        found[there] = self.tail.matrix.take(places[there] - len(self.matrix))
        return found

    def directions(self, rows: Integers) -> Floats:
        """The sum of the vectors of each row, brought to length 1."""
        found = np.zeros((len(rows), self.dimension), dtype=np.float32)
        for start in range(0, len(rows), _AT_ONCE):
            places, owners = self.places(rows[start : start + _AT_ONCE])
            found[start : start + _AT_ONCE] = np.add.reduceat(self.at(places), _firsts(owners))
        return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12), dtype=np.float32)

    def cosines(self, vector: Floats) -> SegmentValues:
        """Of the vector at every place; the last digits hang on where it stands (see :meth:`doubt`)."""
        self.check(vector)
        return SegmentValues(self.matrix.times(vector), self.tail_cosines(vector))

    def tail_cosines(self, vector: Floats) -> Floats:
        """Of the vectors of the tail alone."""
        return self.tail.matrix.times(vector)

    def check(self, vector: Floats) -> None:
        """Raises EmbedderMismatch where the vector is of another length than these."""
        if self.place_count and len(vector) != self.dimension:
            raise other_vectors(len(vector), self.dimension)

    def exact_cosines(self, places: Integers, vector: Floats) -> Floats:
        """Of the vectors at these places, each the same wherever it stands."""
        found = np.empty(len(places), dtype=np.float32)
        wide = vector.astype(np.float64)
        for start in range(0, len(places), _AT_ONCE):
            found[start : start + _AT_ONCE] = (self.at(places[start : start + _AT_ONCE]) * wide).sum(axis=1)
        return found

    @property
    def doubt(self) -> float:
        """How much nearer one vector may be than another that has the higher cosine (of length 1, by ``cosines``)."""
        return self.dimension * float(np.finfo(np.float32).eps)

    def of_rows(self, values: SegmentValues) -> SegmentValues:
        """From numbers of all places the highest of each row."""
        base = values.base
        if self.starts is not None and len(base):
            base = np.maximum.reduceat(base, self.starts[:-1])
        return SegmentValues(np.asarray(base, dtype=np.float32), self.of_tail(values.tail))

    def of_tail(self, numbers: Floats) -> Floats:
        """From numbers of all places of the tail the highest of each of its rows."""
        if not len(self.tail.rows):
            return numbers[:0]
        places, owners = stretches(self.tail.rows["first_vector"], self.tail.rows["vectors"])
        return np.asarray(np.maximum.reduceat(numbers[places], _firsts(owners)), dtype=np.float32)

    def rows_at(self, places: Integers) -> Integers:
        """The rows of the base that have vectors at these places of it."""
        return places if self.owners is None else self.owners[places]

    def of_some(self, values: SegmentValues, rows: Integers) -> Floats:
        """From numbers of all rows those of some."""
        bases, tail = self.placement.locate(rows)
        if not len(self.tail.rows):
            return values.base[bases]
        return np.where(tail >= 0, values.tail[np.maximum(tail, 0)], values.base[bases])

    def in_order(self, values: SegmentValues) -> Floats:
        """Numbers of all rows as an array that goes by row."""
        if self.placement.dead is None:
            return values.base
        found = np.empty(self.placement.size, dtype=np.float32)
        kept = np.flatnonzero(~self.placement.dead)
        found[self.placement.rows_of_base(kept)] = values.base[kept]
        found[self.placement.rows_of_tail] = values.tail
        return found

    def contenders(self, values: SegmentValues, k: int, doubt: float) -> Integers:
        """Rows, in ascending order, that may have the k highest numbers (see ranking.contenders)."""
        if self.placement.dead is None:
            return contenders(values.base, k, doubt)
        hidden = np.where(self.placement.dead, _NOTHING, values.base)
        found = contenders(np.concatenate([hidden, values.tail]), k, doubt)
        bases, tail = found[found < len(hidden)], found[found >= len(hidden)] - len(hidden)
        return np.sort(np.concatenate([self.placement.rows_of_base(bases), self.placement.rows_of_tail[tail]]))


def _firsts(owners: Integers) -> Integers:
    """Where each owner's part begins; every owner has one."""
    return np.flatnonzero(np.diff(owners, prepend=-1))
