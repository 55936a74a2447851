"""The vectors of the rows of one node type, and search by a query vector.

If there is a quantized index, it selects the vectors to compare exactly. Without one, or if so many rows are requested
that it does not pay, all vectors are compared. Delta rows are always compared.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from polyadic.concurrency.background_result import BackgroundResult
from polyadic.storage.arrays.matmul import multiply, multiply_by, normalized
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.pq_index import PQIndex
from polyadic.storage.arrays.segments import NodeRows
from polyadic.storage.arrays.top_k import contenders, first_of_each
from polyadic.storage.incidence import Floats, Integers, firsts_of, stretches
from polyadic.storage.sql.meta import other_vectors

_BLOCK_ROWS = 8_192

LEAST_COMPARED, LEAST_SCORED = 512, 4_096
"""Minimum number of candidates compared exactly, and of codes searched if scores count too: the highest products of
similarity and score are not among the nearest few."""
_VECTORS_PER_ROW = 8
"""Vectors searched per requested row: a row may have several."""
_SAMPLE_SIZE = 1_024
LEAST_BEGUN = 100_000
"""With fewer vectors, searching the index takes little longer than starting a thread."""

Scores = Callable[[Integers], Floats]
"""Returns the score of each row."""


@dataclass(frozen=True)
class RowVectors:
    """Vectors by row. A row may have several, and the most similar one counts.

    Attributes
    ----------
    nodes
        Has the places of each row's vectors.
    matrices
        A *place* is the position of a vector in these matrices, concatenated.
    codes
        A quantized index of the base's vectors, if there are many.
    seen
        The rows that a document filter leaves, in ascending order; None without a filter.
    """

    nodes: NodeRows
    matrices: Sequence[Matrix]
    codes: PQIndex | None = None
    seen: Integers | None = None

    @classmethod
    def of(cls, nodes: NodeRows) -> Self:
        """Return the vectors of all rows of a state."""
        return cls(nodes, (nodes.base.vectors, nodes.delta.vectors), nodes.base.codes)

    @cached_property
    def rows(self) -> Integers:
        """The rows that a search may find, in ascending order."""
        return np.arange(self.nodes.row_map.size) if self.seen is None else self.seen

    @cached_property
    def dimension(self) -> int:
        return max(matrix.width for matrix in self.matrices)

    @property
    def doubt(self) -> float:
        """Error bound of :meth:`cosines`: vectors of length 1 that differ by less may be in the wrong order."""
        return self.dimension * float(np.finfo(np.float32).eps)

    def places(self, rows: Integers) -> tuple[Integers, Integers]:
        """Return the places of the vectors of each row, and for each place the index of its row."""
        positions = self.nodes.row_map.positions(rows)
        return stretches(self.nodes.at(positions, "vector"), self.nodes.at(positions, "vectors"))

    def at(self, places: Integers) -> Floats:
        """Return the vectors at these places."""
        first = self.matrices[0]
        if (places < len(first)).all():
            return first.take(places) if len(places) else np.zeros((0, self.dimension), dtype=np.float32)
        vectors = np.empty((len(places), self.dimension), dtype=np.float32)
        start = 0
        for matrix in self.matrices:
            inside = ((places >= start) & (places < start + len(matrix))).nonzero()[0]
            if len(inside):  # a matrix without vectors has width 0
                vectors[inside] = matrix.take(places[inside] - start)
            start += len(matrix)
        return vectors

    def directions(self, rows: Integers) -> Floats:
        """Return the normalized sum of each row's vectors."""
        sums = np.zeros((len(rows), self.dimension), dtype=np.float32)
        for start in range(0, len(rows), _BLOCK_ROWS):
            places, owners = self.places(rows[start : start + _BLOCK_ROWS])
            sums[start : start + _BLOCK_ROWS] = np.add.reduceat(self.at(places), firsts_of(owners))
        return normalized(sums)

    def similarity(self, rows: Integers, vectors: Floats) -> Floats:
        """Compute the cosines of m vectors with n rows, shape (m, n)."""
        if not len(rows):
            return np.zeros((len(vectors), 0), dtype=np.float32)
        places, owners = self.places(rows)
        return _highest(multiply(vectors, self.at(places)), owners, len(rows))

    def exact_cosines(self, rows: Integers, vector: Floats) -> Floats:
        """Compute the cosine of each row, with results that do not depend on its position or on other rows."""
        places, owners = self.places(rows)
        cosines = np.empty(len(places), dtype=np.float32)
        vector64 = vector.astype(np.float64)
        for start in range(0, len(places), _BLOCK_ROWS):
            block = self.at(places[start : start + _BLOCK_ROWS])
            cosines[start : start + _BLOCK_ROWS] = (block * vector64).sum(axis=1)
        return _highest(cosines, owners, len(rows))

    def cosines(self, vector: Floats) -> Floats:
        """Compute the cosine of all :attr:`rows`; the last digits depend on their positions (see :attr:`doubt`)."""
        self.check(vector)
        places, firsts = self._all_places
        of_places = np.concatenate([matrix.times(vector) for matrix in self.matrices])[places]
        return np.maximum.reduceat(of_places, firsts) if len(places) > len(firsts) else of_places

    def check(self, vector: Floats) -> None:
        """Raise EmbedderMismatch if the vector has another length than these."""
        if any(map(len, self.matrices)) and len(vector) != self.dimension:
            raise other_vectors(len(vector), self.dimension)

    @cached_property
    def _all_places(self) -> tuple[Integers, Integers]:
        """The places of the vectors of all rows, and for each row the index of its first."""
        places, owners = self.places(self.rows)
        return places, firsts_of(owners)


@dataclass
class VectorSearch:
    """Similarity of the rows of ``vectors`` to ``vector``, shape (d,)."""

    vectors: RowVectors
    vector: Floats
    _searched: dict[int, tuple[Integers, Floats]] = field(default_factory=dict)
    _begun: tuple[int, BackgroundResult[tuple[Integers, Floats]]] | None = None

    def begin(self, k: int, scored: bool) -> None:
        """Start the index search for a later call of ``contenders`` in the background, if it takes long."""
        codes, searched = self.vectors.codes, _count_searched(k, scored)
        if codes is not None and codes.size >= max(LEAST_BEGUN, 2 * searched) and self._begun is None:
            self.vectors.check(self.vector)
            self._begun = searched, BackgroundResult(lambda: codes.nearest(self.vector, searched))

    def contenders(self, k: int, scores: Scores | None = None, most: float = 1.0) -> Integers:
        """Return rows, in ascending order, that may be the k nearest, or have the k highest products with scores.

        They are selected by approximate values that may be wrong in their last digits. ``most`` is the highest score.
        """
        codes, searched = self.vectors.codes, _count_searched(k, scores is not None)
        if codes is None or 2 * searched > codes.size:
            rows, values = self.vectors.rows, self._all
        else:
            of_base = self._by_code(codes, searched, max(LEAST_COMPARED, _VECTORS_PER_ROW * k), scores)
            rows, values = np.append(of_base[0], self._delta[0]), np.append(of_base[1], self._delta[1])
        if scores is not None:
            values = values * scores(rows)
        return np.sort(rows[contenders(values, k, self.vectors.doubt * most)])

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
            near, _, _ = self._near_by_code(codes, LEAST_SCORED)
            compared |= np.isin(rows, np.concatenate([near, self._delta[0]]))
        return np.flatnonzero(compared)

    def _cosines(self, rows: Integers) -> Floats:
        """Compute the cosine of the nearest vector of each row."""
        if "_all" in self.__dict__:
            return np.asarray(self._all[self.vectors.rows.searchsorted(rows)])
        return np.asarray(self.vectors.similarity(rows, self.vector[None, :])[0])

    @cached_property
    def _all(self) -> Floats:
        return self.vectors.cosines(self.vector)

    @cached_property
    def _delta(self) -> tuple[Integers, Floats]:
        """The rows of the delta and their cosines."""
        nodes = self.vectors.nodes
        rows = nodes.row_map.rows(nodes.row_map.delta)
        places, owners = self.vectors.places(rows)
        cosines = nodes.delta.vectors.times(self.vector)[places - len(nodes.base.vectors)]
        return rows, _highest(cosines, owners, len(rows))

    def _by_code(self, codes: PQIndex, searched: int, compared: int, scores: Scores | None) -> tuple[Integers, Floats]:
        """Return current rows of the base, each once, with their cosines."""
        rows, places, approximate = self._near_by_code(codes, searched)
        if scores is not None:
            approximate = approximate * scores(rows)
        best = contenders(approximate, compared, 0.0)
        vectors = self.vectors.nodes.base.vectors.take(places[best])
        return np.asarray(rows[best]), multiply_by(self.vector, vectors)

    def _near_by_code(self, codes: PQIndex, k: int) -> tuple[Integers, Integers, Floats]:
        """Return current rows of the base with the place and approximate cosine of the nearest vector of each."""
        nodes = self.vectors.nodes
        places, approximate = self._search(codes, k)
        positions = nodes.base.owners(places)
        if len(nodes.base.vectors) > len(nodes.base):
            # A row counts once, by the best of its vectors, so that it does not crowd out other rows.
            kept = first_of_each(positions)
            positions, places, approximate = positions[kept], places[kept], approximate[kept]
        if len(nodes.row_map.hidden):
            current = nodes.row_map.is_current(positions)
            positions, places, approximate = positions[current], places[current], approximate[current]
        return nodes.row_map.rows(positions), places, approximate

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


def _count_searched(k: int, scored: bool) -> int:
    return max(LEAST_SCORED if scored else LEAST_COMPARED, _VECTORS_PER_ROW * k)


def _highest(similarities: Floats, owners: Integers, rows: int) -> Floats:
    """Reduce the similarities of vectors (last axis) to the maximum of each of ``rows`` rows."""
    if similarities.shape[-1] > rows:
        firsts = np.searchsorted(owners, np.arange(rows))
        similarities = np.maximum.reduceat(similarities, firsts, axis=-1)
    return np.asarray(similarities, dtype=np.float32)
