"""Vector search in one committed state, including the nearest facts of hub entities."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from polyadic.storage.arrays.matmul import multiply
from polyadic.storage.arrays.protocol import Arrays
from polyadic.storage.arrays.state import StoreState
from polyadic.storage.arrays.top_k import best_of
from polyadic.storage.arrays.vector_search import VectorSearch
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import limited
from polyadic.storage.protocol import Hits, Links, NodeType, Rows, Vectors
from polyadic.storage.reader import Expected, NearestPrefetch
from polyadic.storage.sql.row_reader import SqlRowReader

Scored = Literal["entity", "fact"]
"""The node types whose rows have scores."""
HIGHEST: Mapping[Scored, float] = {"entity": 100.0, "fact": 10.0}
"""The highest possible score of each node type."""

_FEW = 256
"""Up to this many facts are compared exactly, without preselection."""


class ArrayVectorReader(SqlRowReader):
    """The vector search methods of :class:`polyadic.storage.protocol.Reader`."""

    def __init__(self, connection: Connection, state: Callable[[], StoreState]) -> None:
        super().__init__(connection)
        self._load_state = state
        self._searches: dict[tuple[NodeType, bytes], VectorSearch] = {}

    @cached_property
    def _state(self) -> StoreState:
        """The array state, loaded on first use: looking up or deleting a document does not need it."""
        return self._load_state()

    @property
    def _arrays(self) -> Arrays:
        """The visible statistics and incidence; a filtered reader overrides this."""
        return self._state

    def _keys(self, node_type: NodeType, rows: Rows) -> Rows:
        return self._arrays.ids(node_type, rows)

    def _rows(self, node_type: NodeType, keys: Sequence[int]) -> Rows:
        return self._arrays.rows(node_type, keys)

    def nearest(self, node_type: NodeType, vector: Vectors, k: int, by_score: bool = False) -> Hits:
        if not by_score or node_type == "chunk":
            rows = self._near(node_type, vector, k)
            return best_of(rows, self._cosines(node_type, rows, vector), k)
        rows = self._near(node_type, vector, k, node_type)
        return best_of(rows, self._cosines(node_type, rows, vector) * self._arrays.scores(node_type, rows), k)

    def prefetch(self, *expected: Expected) -> None:
        """Start vector searches in the background; everything else is already in memory."""
        for hint in expected:
            if isinstance(hint, NearestPrefetch):
                self._search(hint.node_type, hint.vector).begin(hint.k, hint.scored)

    def similarity(self, node_type: NodeType, rows: Rows, vectors: Vectors) -> Vectors:
        if not len(rows):
            return np.zeros((len(vectors), 0), dtype=np.float32)
        row_vectors = self._state.vectors(node_type)
        places, owners = row_vectors.places(rows)
        return _highest(self._of_seen(node_type, multiply(vectors, row_vectors.at(places)), places), owners, len(rows))

    def directions(self, node_type: NodeType, rows: Rows) -> Vectors:
        return self._state.vectors(node_type).directions(rows)

    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        targets, owners = self._arrays.linked("entity_facts", entities)
        sizes = np.bincount(owners, minlength=len(entities))
        of_hub = np.flatnonzero(sizes[owners] > limit)
        kept = np.ones(len(targets), dtype=bool)
        if len(of_hub):
            kept[of_hub] = False
            for places, vector in _by_vector(of_hub, owners, toward):
                kept[places[self._nearest_of_each(targets[places], owners[places], limit, vector)]] = True
        return Links(entities[owners[kept]], targets[kept])

    # Helpers

    def _near(self, node_type: NodeType, vector: Vectors, k: int, scored: Scored | None = None) -> Rows:
        """Return rows, in ascending order, that may be the k nearest, or have the k highest products with scores.

        Candidates come from approximate values that may be wrong in their last digits; callers compare them exactly.
        """
        search = self._search(node_type, vector)
        return search.contenders(k, self._state.all_scores(scored), HIGHEST[scored]) if scored else search.contenders(k)

    def _nearest_of_each(self, facts: Rows, owners: Rows, k: int, vector: Vectors) -> Rows:
        """Return the indices of the k nearest facts of each owner; facts are grouped by owner."""
        is_small = len(facts) <= _FEW
        places = np.arange(len(facts)) if is_small else self._search("fact", vector).among(facts, owners, k)
        facts, owners = facts[places], owners[places]
        order = np.lexsort((facts, -self._cosines("fact", facts, vector), owners))
        return places[order[limited(owners[order], k)]]

    def _search(self, node_type: NodeType, vector: Vectors) -> VectorSearch:
        """Return the search for a vector, cached in this reader because methods use the same vector several times."""
        key = (node_type, vector.tobytes())
        if key not in self._searches:
            self._searches[key] = VectorSearch(self._state.vectors(node_type), vector)
        return self._searches[key]

    def _cosines(self, node_type: NodeType, rows: Rows, vector: Vectors) -> Vectors:
        """Compute the cosine of each row; the result does not depend on the other rows."""
        vectors = self._state.vectors(node_type)
        places, owners = vectors.places(rows)
        return _highest(self._of_seen(node_type, vectors.exact_cosines(places, vector), places), owners, len(rows))

    def _of_seen(self, node_type: NodeType, similarities: Vectors, places: Rows) -> Vectors:
        """Mask the similarities (last axis) of hidden places; without a filter none are."""
        return similarities


def _by_vector(places: Rows, owners: Rows, toward: Vectors) -> Iterator[tuple[Rows, Vectors]]:
    """Group places by the vector of their owners: one vector for all, or one per owner."""
    if toward.ndim == 1:
        yield places, toward
        return
    for owner in np.unique(owners[places]).tolist():
        yield places[owners[places] == owner], toward[owner]


def _highest(similarities: Vectors, owners: Rows, rows: int) -> Vectors:
    """Reduce the similarities of vectors (last axis) to the maximum of each of ``rows`` rows."""
    if similarities.shape[-1] > rows:
        firsts = np.searchsorted(owners, np.arange(rows))
        similarities = np.maximum.reduceat(similarities, firsts, axis=-1)
    return np.asarray(similarities, dtype=np.float32)
