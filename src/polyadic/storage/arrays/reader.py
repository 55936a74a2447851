"""Read one committed state: search and incidence from arrays, records from the tables."""

from collections.abc import Callable, Sequence
from itertools import islice, takewhile
from typing import Literal

import numpy as np

from polyadic.storage.arrays.hierarchy_arrays import HierarchyArrays
from polyadic.storage.arrays.hierarchy_reader import SqlHierarchyReader
from polyadic.storage.arrays.protocol import Way
from polyadic.storage.arrays.state import StoreState
from polyadic.storage.arrays.top_k import best_of
from polyadic.storage.arrays.vector_reader import ArrayVectorReader
from polyadic.storage.connection import Connection
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Counts, Hits, Links, Rows, Side, Vectors
from polyadic.storage.sql.dimension import dimension_of
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

    def entities_of(self, facts: Rows) -> Links:
        return self._links("fact_entity", facts)

    def chunks_of(self, facts: Rows, limit: int) -> Links:
        return self._links("fact_chunk", facts, limit)

    def facts_in(self, chunks: Rows, limit: int) -> Links:
        return self._links("chunk_fact", chunks, limit)

    def topic_entities_of(self, chunks: Rows) -> Links:
        subjects = self._arrays.about(chunks)
        return Links(chunks[subjects >= 0], subjects[subjects >= 0])

    def chunks_about(self, entities: Rows, limit: int) -> Links:
        chunks, owners = self._arrays.chunks_about(entities, limit)
        return Links(entities[owners], chunks)

    # Row statistics

    def size(self, side: Side) -> int:
        return self._arrays.size(side)

    def all_rows(self, side: Side) -> Rows:
        return np.arange(self._arrays.size(side))

    def degrees(self, side: Side, rows: Rows) -> Rows:
        return self._arrays.degrees(side, rows)

    def scores(self, side: Literal["entity", "fact"], rows: Rows) -> Vectors:
        return self._arrays.scores(side, rows)

    def chunk_frequency(self, entities: Rows) -> Rows:
        return self._arrays.chunk_frequency(entities)

    # Catalogue

    def counts(self) -> Counts:
        total_of = self._total
        return Counts(
            documents=total_of("1", "document WHERE current IS NOT NULL"),
            chunks=self.size("chunk"),
            evidence=total_of("c.evidence_count", "document d JOIN chunk c ON c.revision = d.current"),
            evidence_with_fact=total_of("evidence", "fact"),
            facts=self.size("fact"),
            entities=self.size("entity"),
            participations=self._arrays.participations,
            vectors=total_of("1", "vector"),
            dimension=dimension_of(self._connection),
        )

    def containing(self, entities: Rows, limit: int) -> Rows:
        distinct = np.unique(entities)
        if not len(distinct):
            return np.zeros(0, dtype=np.int64)
        # The entity with the fewest facts first, to keep the intersections small.
        distinct = distinct[np.argsort(self.degrees("entity", distinct), kind="stable")]
        common = self._arrays.linked("entity_fact", distinct[:1])[0]
        for entity in distinct[1:]:
            common = np.intersect1d(common, self._arrays.linked("entity_fact", np.array([entity]))[0])
        return np.asarray(common[:limit], dtype=np.int64)

    # Hierarchy

    def hierarchy_reader(self) -> HierarchyReader:
        return SqlHierarchyReader(self._connection, self._load_arrays(), self._rows)

    # Helpers

    def _links(self, way: Way, rows: Rows, limit: int | None = None) -> Links:
        targets, owners = self._arrays.linked(way, rows, limit)
        return Links(rows[owners], targets)

    def _total(self, what: str, rows: str) -> int:
        total: int = self._connection.execute(f"SELECT coalesce(sum({what}), 0) FROM {rows}").fetchone()[0]
        return total
