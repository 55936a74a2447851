"""Read one committed state: search and incidence from arrays, records from the tables."""

from collections.abc import Callable, Sequence
from itertools import islice, takewhile
from typing import Literal

import numpy as np

from polyadic.storage.arrays.hierarchy_arrays import HierarchyArrays
from polyadic.storage.arrays.hierarchy_reader import SqlHierarchyReader
from polyadic.storage.arrays.protocol import degrees, links
from polyadic.storage.arrays.state import StoreState
from polyadic.storage.arrays.top_k import best_of
from polyadic.storage.arrays.vector_reader import ArrayVectorReader
from polyadic.storage.connection import Connection
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Hits, Links, NodeType, Rows, Vectors
from polyadic.storage.record_reader import RecordReader
from polyadic.storage.records import DegreeWay, LinkWay
from polyadic.storage.sql.full_text import WordIndex


class ArrayReader(ArrayVectorReader):
    """Reader within the open transaction of a connection; implements :class:`polyadic.storage.protocol.Reader`."""

    def __init__(
        self,
        connection: Connection,
        words: WordIndex,
        state: Callable[[], StoreState],
        hierarchy: Callable[[], HierarchyArrays],
    ) -> None:
        super().__init__(connection, state)
        self._words = words
        self._load_arrays = hierarchy

    @property
    def records(self) -> RecordReader:
        return RecordReader(self._connection, self)

    @property
    def participations(self) -> int:
        return self._arrays.participations

    # Full-text search

    def search(self, words: str, k: int) -> Hits:
        hits = self._words.matching(words)
        top = list(islice(hits, k))
        if top:
            # Include all ties with the last hit, because ties are broken by row.
            top += takewhile(lambda hit: hit[1] == top[-1][1], hits)
        rows = self._arrays.rows("chunk", [row for row, _ in top])
        order = np.argsort(rows, kind="stable")
        return best_of(rows[order], np.array([score for _, score in top], dtype=np.float32)[order], k)

    def chunks_with_words(self, words: Sequence[str], limit: int) -> Links:
        pairs: list[tuple[int, int]] = []
        for number, word in enumerate(words):
            seen = filter(self._is_seen_chunk, self._words.chunks_with(word))
            pairs += [(number, row) for row in islice(seen, limit)]
        rows = self._arrays.rows("chunk", [row for _, row in pairs])
        numbers = np.array([number for number, _ in pairs], dtype=np.int64)
        order = np.lexsort((rows, numbers))
        return Links(numbers[order], rows[order])

    # Incidence

    def links(self, way: LinkWay, rows: Rows, limit: int | None = None) -> Links:
        return links(self._arrays, way, rows, limit)

    # Row statistics

    def size(self, node_type: NodeType) -> int:
        return self._arrays.size(node_type)

    def rows(self, node_type: NodeType, prefix: str = "", limit: int | None = None) -> Rows:
        return self._with_prefix(node_type, prefix, limit) if prefix else np.arange(self.size(node_type))[:limit]

    def degrees(self, way: DegreeWay, rows: Rows) -> Rows:
        return degrees(self._arrays, way, rows)

    def scores(self, node_type: Literal["entity", "fact"], rows: Rows) -> Vectors:
        return self._arrays.scores(node_type, rows)

    def containing(self, entities: Rows, limit: int) -> Rows:
        distinct = np.unique(entities)
        if not len(distinct):
            return np.zeros(0, dtype=np.int64)
        # The entity with the fewest facts first, to keep the intersections small.
        distinct = distinct[np.argsort(self.degrees("entity_facts", distinct), kind="stable")]
        common = self._arrays.linked("entity_facts", distinct[:1])[0]
        for entity in distinct[1:]:
            common = np.intersect1d(common, self._arrays.linked("entity_facts", np.array([entity]))[0])
        return np.asarray(common[:limit], dtype=np.int64)

    # Hierarchy

    def hierarchy_reader(self) -> HierarchyReader:
        return SqlHierarchyReader(self._connection, self._load_arrays(), self._rows)
