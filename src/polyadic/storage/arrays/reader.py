"""Read one committed state: search and incidence from arrays, records from the tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice, takewhile
from typing import Literal

import numpy as np

from polyadic.storage.arrays.hierarchy_arrays import HierarchyArrays
from polyadic.storage.arrays.hierarchy_reader import SqlHierarchyReader
from polyadic.storage.arrays.state import StoreState
from polyadic.storage.arrays.top_k import best_of
from polyadic.storage.arrays.vector_search import VectorSearch
from polyadic.storage.connection import Connection
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.incidence import limited
from polyadic.storage.protocol import Hits, Links, NodeType, Rows, Vectors
from polyadic.storage.reader import Expected, NearestPrefetch
from polyadic.storage.record_reader import RecordReader
from polyadic.storage.records import DegreeWay, LinkWay, ScoredNodeType
from polyadic.storage.sql.full_text import WordIndex
from polyadic.storage.sql.row_reader import SqlRowReader

HIGHEST_SCORE: Mapping[ScoredNodeType, float] = {"entity": 100.0, "fact": 10.0}
_FEW = 256
"""Up to this many facts are compared exactly, without preselection."""


class ArrayReader(SqlRowReader):
    """Reader within the open transaction of a connection; implements :class:`polyadic.storage.protocol.Reader`."""

    def __init__(
        self,
        connection: Connection,
        words: WordIndex,
        state: Callable[[], StoreState],
        hierarchy: Callable[[], HierarchyArrays],
    ) -> None:
        super().__init__(connection)
        self._words = words
        self._load_state = state
        self._load_hierarchy = hierarchy
        self._searches: dict[tuple[NodeType, bytes], VectorSearch] = {}

    @property
    def records(self) -> RecordReader:
        return RecordReader(self._connection, self)

    @property
    def participations(self) -> int:
        return self._state.participations

    def hierarchy_reader(self) -> HierarchyReader:
        return SqlHierarchyReader(self._connection, self._load_hierarchy(), self._rows)

    def prefetch(self, *expected: Expected) -> None:
        """Start vector searches in the background; everything else is already in memory."""
        for hint in expected:
            if isinstance(hint, NearestPrefetch):
                self._search(hint.node_type, hint.vector).begin(hint.k, hint.scored)

    # Vector search

    def nearest(self, node_type: NodeType, vector: Vectors, k: int, by_score: bool = False) -> Hits:
        search, cosines = self._search(node_type, vector), self._state.vectors[node_type].exact_cosines
        if not by_score or node_type == "chunk":
            rows = search.contenders(k)
            return best_of(rows, cosines(rows, vector), k)
        scores = partial(self.scores, node_type)
        rows = search.contenders(k, scores, HIGHEST_SCORE[node_type])
        return best_of(rows, cosines(rows, vector) * scores(rows), k)

    def similarity(self, node_type: NodeType, rows: Rows, vectors: Vectors) -> Vectors:
        return self._state.vectors[node_type].similarity(rows, vectors)

    def directions(self, node_type: NodeType, rows: Rows) -> Vectors:
        return self._state.vectors[node_type].directions(rows)

    # Full-text search

    def search(self, words: str, k: int) -> Hits:
        hits = self._words.matching(words)
        top = list(islice(hits, k))
        if top:
            # Include all ties with the last hit, because ties are broken by row.
            top += takewhile(lambda hit: hit[1] == top[-1][1], hits)
        rows = self._rows("chunk", [row for row, _ in top])
        order = np.argsort(rows, kind="stable")
        return best_of(rows[order], np.array([score for _, score in top], dtype=np.float32)[order], k)

    def chunks_with_words(self, words: Sequence[str], limit: int) -> Links:
        pairs: list[tuple[int, int]] = []
        for number, word in enumerate(words):
            seen = filter(self._is_seen_chunk, self._words.chunks_with(word))
            pairs += [(number, row) for row in islice(seen, limit)]
        rows = self._rows("chunk", [row for _, row in pairs])
        numbers = np.array([number for number, _ in pairs], dtype=np.int64)
        order = np.lexsort((rows, numbers))
        return Links(numbers[order], rows[order])

    # Incidence

    def links(self, way: LinkWay, rows: Rows, limit: int | None = None) -> Links:
        return self._state.links(way, rows, limit)

    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        targets, owners = self._state.linked("entity_facts", entities)
        sizes = np.bincount(owners, minlength=len(entities))
        of_hub = np.flatnonzero(sizes[owners] > limit)
        kept = np.ones(len(targets), dtype=bool)
        if len(of_hub):
            kept[of_hub] = False
            for places, vector in _by_vector(of_hub, owners, toward):
                kept[places[self._nearest_of_each(targets[places], owners[places], limit, vector)]] = True
        return Links(entities[owners[kept]], targets[kept])

    def containing(self, entities: Rows, limit: int) -> Rows:
        distinct = np.unique(entities)
        if not len(distinct):
            return np.zeros(0, dtype=np.int64)
        # The entity with the fewest facts first, to keep the intersections small.
        distinct = distinct[np.argsort(self.degrees("entity_facts", distinct), kind="stable")]
        common = self._state.linked("entity_facts", distinct[:1])[0]
        for entity in distinct[1:]:
            common = np.intersect1d(common, self._state.linked("entity_facts", np.array([entity]))[0])
        return np.asarray(common[:limit], dtype=np.int64)

    # Row statistics

    def size(self, node_type: NodeType) -> int:
        return self._state.size(node_type)

    def rows(self, node_type: NodeType, prefix: str = "", limit: int | None = None) -> Rows:
        if prefix:
            return self._with_prefix(node_type, prefix, limit)
        return self._state.vectors[node_type].rows[:limit].copy()

    def degrees(self, way: DegreeWay, rows: Rows) -> Rows:
        return self._state.degrees(way, rows)

    def scores(self, node_type: Literal["entity", "fact"], rows: Rows) -> Vectors:
        return self._state.scores(node_type, rows)

    # Helpers

    @cached_property
    def _state(self) -> StoreState:
        """The array state, loaded on first use: looking up or deleting a document does not need it."""
        return self._load_state()

    def _keys(self, node_type: NodeType, rows: Rows) -> Rows:
        return self._state.ids(node_type, rows)

    def _rows(self, node_type: NodeType, keys: Sequence[int]) -> Rows:
        return self._state.rows(node_type, keys)

    def _search(self, node_type: NodeType, vector: Vectors) -> VectorSearch:
        """Return the search for a vector, cached in this reader because methods use the same vector several times."""
        key = (node_type, vector.tobytes())
        if key not in self._searches:
            self._searches[key] = VectorSearch(self._state.vectors[node_type], vector)
        return self._searches[key]

    def _nearest_of_each(self, facts: Rows, owners: Rows, k: int, vector: Vectors) -> Rows:
        """Return the indices of the k nearest facts of each owner; facts are grouped by owner."""
        is_small = len(facts) <= _FEW
        places = np.arange(len(facts)) if is_small else self._search("fact", vector).among(facts, owners, k)
        facts, owners = facts[places], owners[places]
        order = np.lexsort((facts, -self._state.vectors["fact"].exact_cosines(facts, vector), owners))
        return places[order[limited(owners[order], k)]]


def _by_vector(places: Rows, owners: Rows, toward: Vectors) -> Iterator[tuple[Rows, Vectors]]:
    """Group places by the vector of their owners: one vector for all, or one per owner."""
    if toward.ndim == 1:
        yield places, toward
        return
    for owner in np.unique(owners[places]).tolist():
        yield places[owners[places] == owner], toward[owner]
