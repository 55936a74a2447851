"""How near the rows of one side are to a vector: worked out once, and asked for several times while one question is
answered.

Where there are codes, they choose whose vectors are compared with the vector as they are; where there are none, or so
many rows are asked for that it does not pay, all are. What has changed since the codes were made is always compared.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from polyadic.storage.incidence import Floats, Integers
from polyadic.storage.memory.background import BackgroundResult
from polyadic.storage.memory.matmul import multiply_by
from polyadic.storage.memory.pq_index import PQIndex
from polyadic.storage.memory.row_vectors import RowVectors, SegmentValues
from polyadic.storage.memory.top_k import contenders, first_of_each

LEAST_COMPARED, LEAST_SCORED = 512, 4_096
"""So many of the nearest by their codes are compared; where a score counts beside similarity, they are chosen by both
out of more, because the highest products are not among the nearest few."""
_FOR_EACH = 8
"""Vectors that are searched for each row that is asked for: a row may have several."""
_SAMPLE = 1_024
LEAST_BEGUN = 100_000
"""With fewer vectors looking through their codes takes little longer than handing that to another thread."""


@dataclass
class VectorSearch:
    """Of the rows of ``vectors`` to ``vector``, shape (d,)."""

    vectors: RowVectors
    vector: Floats
    _searched: dict[int, tuple[Integers, Floats]] = field(default_factory=dict)
    _begun: tuple[int, BackgroundResult[tuple[Integers, Floats]]] | None = None

    def begin(self, k: int, scored: bool) -> None:
        """Let another thread look through the codes for what ``contenders`` will be asked, where that takes long."""
        codes, searched = self.vectors.codes, self._count_searched(k, scored)
        if codes is not None and len(self.vectors.matrix) >= max(LEAST_BEGUN, 2 * searched) and self._begun is None:
            self.vectors.check(self.vector)
            self._begun = searched, BackgroundResult(lambda: codes.nearest(self.vector, searched))

    def contenders(self, k: int, scores: SegmentValues | None = None, highest: float = 1.0) -> Integers:
        """Rows, in ascending order, that may be the k nearest, or have the k highest products with scores.

        They are found fast, by numbers that may be off in their last digits.
        """
        doubt = self.vectors.doubt * highest
        codes = self.vectors.codes
        searched = self._count_searched(k, scores is not None)
        if codes is None or 2 * searched > len(self.vectors.matrix):
            return self.vectors.contenders(self._all.times(scores) if scores else self._all, k, doubt)
        rows, numbers = self._by_code(codes, searched, max(LEAST_COMPARED, _FOR_EACH * k), scores)
        tail = self._tail * scores.tail if scores else self._tail
        placement = self.vectors.placement
        found = contenders(np.concatenate([numbers, tail]), k, doubt)
        of_base, of_tail = found[found < len(rows)], found[found >= len(rows)] - len(rows)
        return np.sort(np.concatenate([placement.rows_of_base(rows[of_base]), placement.rows_of_tail[of_tail]]))

    def among(self, rows: Integers, owners: Integers, k: int) -> Integers:
        """Of pairs of an owner and a row, owner by owner, each with its rows in ascending order: the places of those
        that may be the k nearest of their owner.

        Of an owner of very many rows those are compared that are near by their codes, and a thousand others.
        """
        some = self._chosen(rows, owners)
        distinct, of_distinct = np.unique(rows[some], return_inverse=True)
        cosines, mine = self._cosines(distinct)[of_distinct], owners[some]
        order = np.lexsort((-cosines, mine))
        firsts = np.searchsorted(mine, mine)
        # The last that counts of each owner: its k-th, or where it has fewer than k, its least.
        ends = np.searchsorted(mine, mine, side="right") - 1
        last = cosines[order][np.minimum(firsts + k - 1, ends)]
        return some[cosines >= last - self.vectors.doubt]

    def _chosen(self, rows: Integers, owners: Integers) -> Integers:
        """Places of the pairs that are compared."""
        codes = self.vectors.codes
        if codes is None:
            return np.arange(len(rows))
        ranks = np.arange(len(rows)) - np.searchsorted(owners, owners)
        compared = ranks < _SAMPLE
        if not compared.all():
            compared |= np.isin(rows, self._near_by_code(codes))
        return np.flatnonzero(compared)

    def _cosines(self, rows: Integers) -> Floats:
        """Of the nearest vector of each row."""
        if "_all" in self.__dict__:
            return self.vectors.of_some(self._all, rows)
        places, owners = self.vectors.places(rows)
        cosines = multiply_by(self.vector, self.vectors.at(places))
        return np.maximum.reduceat(cosines, np.flatnonzero(np.diff(owners, prepend=-1))) if len(rows) else cosines

    @cached_property
    def _all(self) -> SegmentValues:
        return self.vectors.of_rows(self.vectors.cosines(self.vector))

    @cached_property
    def _tail(self) -> Floats:
        return self.vectors.of_tail(self.vectors.tail_cosines(self.vector))

    def _by_code(
        self, codes: PQIndex, searched: int, compared: int, scores: SegmentValues | None
    ) -> tuple[Integers, Floats]:
        """Rows of the base that hold, each once, with their numbers."""
        places, roughly = self._search(codes, searched)
        rows = self.vectors.rows_at(places)
        if self.vectors.owners is not None:
            # A row counts once, by the best of its vectors: several of them must not take the places of other rows.
            best_of_each = first_of_each(rows)
            places, roughly, rows = places[best_of_each], roughly[best_of_each], rows[best_of_each]
        dead = self.vectors.placement.dead
        if dead is not None:
            alive = ~dead[rows]
            places, roughly, rows = places[alive], roughly[alive], rows[alive]
        weights = scores.base[rows] if scores else np.ones(len(rows), dtype=np.float32)
        best = contenders(roughly * weights, compared, 0.0)
        cosines = multiply_by(self.vector, self.vectors.matrix.take(places[best]))
        return rows[best], np.asarray(cosines * weights[best], dtype=np.float32)

    def _near_by_code(self, codes: PQIndex) -> Integers:
        """Rows that are near by their codes, or have changed since these were made."""
        placement = self.vectors.placement
        of_base = self.vectors.rows_at(self._search(codes, LEAST_SCORED)[0])
        if placement.dead is not None:
            of_base = of_base[~placement.dead[of_base]]
        return np.concatenate([placement.rows_of_base(of_base), placement.rows_of_tail])

    def _count_searched(self, k: int, scored: bool) -> int:
        return max(LEAST_SCORED if scored else LEAST_COMPARED, _FOR_EACH * k)

    def _search(self, codes: PQIndex, k: int) -> tuple[Integers, Floats]:
        """About the k nearest places of the base and, roughly, their cosines; more of them where those are known."""
        if self._begun is not None:
            count, begun = self._begun
            self._searched[count], self._begun = begun.result(), None
        known = next((found for count, found in self._searched.items() if count >= k), None)
        if known is None:
            self.vectors.check(self.vector)
            known = self._searched[k] = codes.nearest(self.vector, k)
        return known
