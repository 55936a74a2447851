"""What is near to a vector in one committed state that is read as arrays, and the facts of a hub that are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from polyadic.storage.connection import Connection
from polyadic.storage.incidence import limited
from polyadic.storage.memory.matmul import multiply
from polyadic.storage.memory.protocol import Arrays
from polyadic.storage.memory.state import StoreState
from polyadic.storage.memory.top_k import best_of
from polyadic.storage.memory.vector_search import VectorSearch
from polyadic.storage.prefetch import Expected, NearestPrefetch
from polyadic.storage.protocol import Hits, Links, Rows, Side, Vectors
from polyadic.storage.sql.row_reader import SqlRowReader

Scored = Literal["entity", "fact"]
"""Sides that have scores."""
HIGHEST: Mapping[Scored, float] = {"entity": 100.0, "fact": 10.0}
"""Of all scores there may be."""

_FEW = 256
"""So many facts are compared exactly before it is found out which of them need be."""


class ArrayVectorReader(SqlRowReader):
    """The part of :class:`polyadic.storage.protocol.Reader` that compares vectors."""

    def __init__(self, connection: Connection, state: Callable[[], StoreState]) -> None:
        super().__init__(connection)
        self._load_state = state
        self._asked: dict[tuple[Side, bytes], VectorSearch] = {}

    @cached_property
    def _state(self) -> StoreState:
        """Loaded only for what needs it: looking up a document, or deleting one, does not."""
        return self._load_state()

    @property
    def _arrays(self) -> Arrays:
        """Numbers and neighbours of what may be seen: here of all, of less within a scope."""
        return self._state

    def _keys(self, side: Side, rows: Rows) -> Rows:
        return self._arrays.ids(side, rows)

    def _rows(self, side: Side, keys: Sequence[int]) -> Rows:
        return self._arrays.rows(side, keys)

    def nearest(self, side: Side, vector: Vectors, k: int) -> Hits:
        rows = self._near(side, vector, k)
        return best_of(rows, self._cosines(side, rows, vector), k)

    def nearest_scored(self, side: Literal["entity", "fact"], vector: Vectors, k: int) -> Hits:
        rows = self._near(side, vector, k, side)
        return best_of(rows, self._cosines(side, rows, vector) * self._arrays.scores(side, rows), k)

    def expect(self, *expected: Expected) -> None:
        """What is near is begun to be looked for; all else is in arrays."""
        for one in expected:
            if isinstance(one, NearestPrefetch):
                self._nearness(one.side, one.vector).begin(one.k, one.scored)

    def similarity(self, side: Side, rows: Rows, vectors: Vectors) -> Vectors:
        if not len(rows):
            return np.zeros((len(vectors), 0), dtype=np.float32)
        known = self._state.vectors(side)
        places, owners = known.places(rows)
        return _highest(self._of_seen(side, multiply(vectors, known.at(places)), places), owners, len(rows))

    def directions(self, entities: Rows) -> Vectors:
        return self._state.vectors("entity").directions(entities)

    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        targets, owners = self._arrays.linked("entity_fact", entities)
        sizes = np.bincount(owners, minlength=len(entities))
        of_hub = np.flatnonzero(sizes[owners] > limit)
        kept = np.ones(len(targets), dtype=bool)
        if len(of_hub):
            kept[of_hub] = False
            for places, vector in _by_vector(of_hub, owners, toward):
                kept[places[self._nearest_of_each(targets[places], owners[places], limit, vector)]] = True
        return Links(entities[owners[kept]], targets[kept])

    # steps of the above

    def _near(self, side: Side, vector: Vectors, k: int, scored: Scored | None = None) -> Rows:
        """Rows, in ascending order, that may be the k nearest to a vector, or have the k highest products with scores.

        They are found fast, by numbers that may be off in their last digits; what is exact is then told of these alone.
        """
        near = self._nearness(side, vector)
        return near.contenders(k, self._state.all_scores(scored), HIGHEST[scored]) if scored else near.contenders(k)

    def _nearest_of_each(self, facts: Rows, owners: Rows, k: int, vector: Vectors) -> Rows:
        """Of facts, owner by owner, the places of the k nearest of each owner."""
        few = len(facts) <= _FEW
        places = np.arange(len(facts)) if few else self._nearness("fact", vector).among(facts, owners, k)
        facts, owners = facts[places], owners[places]
        order = np.lexsort((facts, -self._cosines("fact", facts, vector), owners))
        return places[order[limited(owners[order], k)]]

    def _nearness(self, side: Side, vector: Vectors) -> VectorSearch:
        """Kept as long as this reader is: a method asks for the same in several ways."""
        asked = (side, vector.tobytes())
        if asked not in self._asked:
            self._asked[asked] = VectorSearch(self._state.vectors(side), vector)
        return self._asked[asked]

    def _cosines(self, side: Side, rows: Rows, vector: Vectors) -> Vectors:
        """Of each row, the same whichever others are asked for."""
        known = self._state.vectors(side)
        places, owners = known.places(rows)
        return _highest(self._of_seen(side, known.exact_cosines(places, vector), places), owners, len(rows))

    def _of_seen(self, side: Side, similarities: Vectors, places: Rows) -> Vectors:
        """Similarities of the vectors at these places (the last axis), as far as they may be seen."""
        return similarities


def _by_vector(places: Rows, owners: Rows, toward: Vectors) -> Iterator[tuple[Rows, Vectors]]:
    """The places by the vector of their owners, which is the same for all, or each has its own."""
    if toward.ndim == 1:
        yield places, toward
        return
    for owner in np.unique(owners[places]).tolist():
        yield places[owners[places] == owner], toward[owner]


def _highest(similarities: Vectors, owners: Rows, rows: int) -> Vectors:
    """Of the similarities of vectors (the last axis) the highest of each of so many rows that they belong to."""
    if similarities.shape[-1] > rows:
        firsts = np.searchsorted(owners, np.arange(rows))
        similarities = np.maximum.reduceat(similarities, firsts, axis=-1)
    return np.asarray(similarities, dtype=np.float32)
