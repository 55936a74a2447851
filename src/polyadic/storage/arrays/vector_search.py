"""Search the rows of one node type by a query vector, with results cached for repeated use within a query.

If there is a quantized index, it selects the vectors to compare exactly. Without one, or if so many rows are requested
that it does not pay, all vectors are compared. Delta rows are always compared.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from polyadic.concurrency.background_result import BackgroundResult
from polyadic.storage.arrays.matmul import multiply_by
from polyadic.storage.arrays.pq_index import PQIndex
from polyadic.storage.arrays.row_vectors import RowVectors, SegmentValues
from polyadic.storage.arrays.top_k import contenders, first_of_each
from polyadic.storage.incidence import Floats, Integers, firsts_of

LEAST_COMPARED, LEAST_SCORED = 512, 4_096
"""Minimum number of candidates compared exactly, and of codes searched if scores count too: the highest products of
similarity and score are not among the nearest few."""
_VECTORS_PER_ROW = 8
"""Vectors searched per requested row: a row may have several."""
_SAMPLE_SIZE = 1_024
LEAST_BEGUN = 100_000
"""With fewer vectors, searching the index takes little longer than starting a thread."""


@dataclass
class VectorSearch:
    """Similarity of the rows of ``vectors`` to ``vector``, shape (d,)."""

    vectors: RowVectors
    vector: Floats
    _searched: dict[int, tuple[Integers, Floats]] = field(default_factory=dict)
    _begun: tuple[int, BackgroundResult[tuple[Integers, Floats]]] | None = None

    def begin(self, k: int, scored: bool) -> None:
        """Start the index search for a later call of ``contenders`` in the background, if it takes long."""
        codes, searched = self.vectors.codes, self._count_searched(k, scored)
        if codes is not None and len(self.vectors.matrix) >= max(LEAST_BEGUN, 2 * searched) and self._begun is None:
            self.vectors.check(self.vector)
            self._begun = searched, BackgroundResult(lambda: codes.nearest(self.vector, searched))

    def contenders(self, k: int, scores: SegmentValues | None = None, highest: float = 1.0) -> Integers:
        """Return rows, in ascending order, that may be the k nearest, or have the k highest products with scores.

        They are selected by approximate values that may be wrong in their last digits.
        """
        doubt = self.vectors.doubt * highest
        codes = self.vectors.codes
        searched = self._count_searched(k, scores is not None)
        if codes is None or 2 * searched > len(self.vectors.matrix):
            return self.vectors.contenders(self._all.times(scores) if scores else self._all, k, doubt)
        rows, numbers = self._by_code(codes, searched, max(LEAST_COMPARED, _VECTORS_PER_ROW * k), scores)
        delta = self._delta * scores.delta if scores else self._delta
        row_map = self.vectors.row_map
        candidates = contenders(np.concatenate([numbers, delta]), k, doubt)
        of_base, of_delta = candidates[candidates < len(rows)], candidates[candidates >= len(rows)] - len(rows)
        return np.sort(np.concatenate([row_map.rows_of_base(rows[of_base]), row_map.rows_of_delta[of_delta]]))

    def among(self, rows: Integers, owners: Integers, k: int) -> Integers:
        """Return the indices of pairs whose row may be among the k nearest of its owner.

        Pairs are grouped by owner, rows in ascending order within each group. For an owner of very many rows, only
        those near by their codes and about a thousand others are compared.
        """
        chosen = self._chosen(rows, owners)
        distinct, of_distinct = np.unique(rows[chosen], return_inverse=True)
        cosines, chosen_owners = self._cosines(distinct)[of_distinct], owners[chosen]
        order = np.lexsort((-cosines, chosen_owners))
        firsts = np.searchsorted(chosen_owners, chosen_owners)
        # The threshold of each owner: its k-th best or, if it has fewer than k, its worst.
        ends = np.searchsorted(chosen_owners, chosen_owners, side="right") - 1
        last = cosines[order][np.minimum(firsts + k - 1, ends)]
        return chosen[cosines >= last - self.vectors.doubt]

    def _chosen(self, rows: Integers, owners: Integers) -> Integers:
        """Return the indices of the pairs to compare."""
        codes = self.vectors.codes
        if codes is None:
            return np.arange(len(rows))
        ranks = np.arange(len(rows)) - np.searchsorted(owners, owners)
        compared = ranks < _SAMPLE_SIZE
        if not compared.all():
            compared |= np.isin(rows, self._near_by_code(codes))
        return np.flatnonzero(compared)

    def _cosines(self, rows: Integers) -> Floats:
        """Compute the cosine of the nearest vector of each row."""
        if "_all" in self.__dict__:
            return self.vectors.of_some(self._all, rows)
        places, owners = self.vectors.places(rows)
        cosines = multiply_by(self.vector, self.vectors.at(places))
        return np.maximum.reduceat(cosines, firsts_of(owners)) if len(rows) else cosines

    @cached_property
    def _all(self) -> SegmentValues:
        return self.vectors.of_rows(self.vectors.cosines(self.vector))

    @cached_property
    def _delta(self) -> Floats:
        return self.vectors.of_delta(self.vectors.delta_cosines(self.vector))

    def _by_code(
        self, codes: PQIndex, searched: int, compared: int, scores: SegmentValues | None
    ) -> tuple[Integers, Floats]:
        """Return current base rows, each once, with their values."""
        places, approximate = self._search(codes, searched)
        rows = self.vectors.rows_at(places)
        if self.vectors.owners is not None:
            # A row counts once, by the best of its vectors, so that it does not crowd out other rows.
            best_of_each = first_of_each(rows)
            places, approximate, rows = places[best_of_each], approximate[best_of_each], rows[best_of_each]
        dead = self.vectors.row_map.dead
        if dead is not None:
            alive = ~dead[rows]
            places, approximate, rows = places[alive], approximate[alive], rows[alive]
        weights = scores.base[rows] if scores else np.ones(len(rows), dtype=np.float32)
        best = contenders(approximate * weights, compared, 0.0)
        cosines = multiply_by(self.vector, self.vectors.matrix.take(places[best]))
        return rows[best], np.asarray(cosines * weights[best], dtype=np.float32)

    def _near_by_code(self, codes: PQIndex) -> Integers:
        """Return rows that are near by their codes, and all delta rows."""
        row_map = self.vectors.row_map
        of_base = self.vectors.rows_at(self._search(codes, LEAST_SCORED)[0])
        if row_map.dead is not None:
            of_base = of_base[~row_map.dead[of_base]]
        return np.concatenate([row_map.rows_of_base(of_base), row_map.rows_of_delta])

    def _count_searched(self, k: int, scored: bool) -> int:
        return max(LEAST_SCORED if scored else LEAST_COMPARED, _VECTORS_PER_ROW * k)

    def _search(self, codes: PQIndex, k: int) -> tuple[Integers, Floats]:
        """Return at least about k nearest places of the base and their approximate cosines, cached."""
        if self._begun is not None:
            count, pending = self._begun
            self._searched[count], self._begun = pending.result(), None
        known = next((hits for count, hits in self._searched.items() if count >= k), None)
        if known is None:
            self.vectors.check(self.vector)
            known = self._searched[k] = codes.nearest(self.vector, k)
        return known
