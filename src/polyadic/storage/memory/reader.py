"""Reading one committed state of a store: arrays for what is near, tables for what it says."""

from collections.abc import Callable, Sequence
from itertools import islice, takewhile
from typing import Literal

import numpy as np

from polyadic.storage.connection import Connection
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.memory.hierarchy_arrays import HierarchyArrays
from polyadic.storage.memory.hierarchy_reader import SqlHierarchyReader
from polyadic.storage.memory.protocol import Way
from polyadic.storage.memory.state import StoreState
from polyadic.storage.memory.top_k import best_of
from polyadic.storage.memory.vector_reader import ArrayVectorReader
from polyadic.storage.protocol import Counts, Hits, Links, Rows, Side, Vectors
from polyadic.storage.sql.dimension import dimension_of
from polyadic.storage.sql.full_text import WordIndex


class ArrayReader(ArrayVectorReader):
    """Implements :class:`polyadic.storage.protocol.Reader` within the open transaction of a connection."""

    def __init__(
        self,
        connection: Connection,
        words: WordIndex,
        state: Callable[[], StoreState],
        themes: Callable[[], HierarchyArrays],
    ) -> None:
        super().__init__(connection, state)
        self._words = words
        self._load_themes = themes

    # nearest by words

    def search(self, words: str, k: int) -> Hits:
        hits = self._words.matching(words)
        found = list(islice(hits, k))
        if found:
            # Those that score as the last one, too: ties are broken by row.
            found += takewhile(lambda hit: hit[1] == found[-1][1], hits)
        rows = self._arrays.rows("chunk", [row for row, _ in found])
        order = np.argsort(rows, kind="stable")
        return best_of(rows[order], np.array([score for _, score in found], dtype=np.float32)[order], k)

    def holding(self, words: Sequence[str], limit: int) -> Links:
        found: list[tuple[int, int]] = []
        for number, word in enumerate(words):
            seen = filter(self._is_seen_chunk, self._words.holding(word))
            found += [(number, row) for row in islice(seen, limit)]
        rows = self._arrays.rows("chunk", [row for _, row in found])
        numbers = np.array([number for number, _ in found], dtype=np.int64)
        order = np.lexsort((rows, numbers))
        return Links(numbers[order], rows[order])

    # neighbours over incidence

    def entities_of(self, facts: Rows) -> Links:
        return self._links("fact_entity", facts)

    def chunks_of(self, facts: Rows, limit: int) -> Links:
        return self._links("fact_chunk", facts, limit)

    def facts_in(self, chunks: Rows, limit: int) -> Links:
        return self._links("chunk_fact", chunks, limit)

    def titles_of(self, chunks: Rows) -> Links:
        subjects = self._arrays.about(chunks)
        return Links(chunks[subjects >= 0], subjects[subjects >= 0])

    def titled(self, entities: Rows, limit: int) -> Links:
        chunks, owners = self._arrays.chunks_about(entities, limit)
        return Links(entities[owners], chunks)

    # statistics of rows

    def size(self, side: Side) -> int:
        return self._arrays.size(side)

    def all_rows(self, side: Side) -> Rows:
        return np.arange(self._arrays.size(side))

    def degrees(self, side: Side, rows: Rows) -> Rows:
        return self._arrays.degrees(side, rows)

    def scores(self, side: Literal["entity", "fact"], rows: Rows) -> Vectors:
        return self._arrays.scores(side, rows)

    def spread(self, entities: Rows) -> Rows:
        return self._arrays.spread(entities)

    # the catalogue

    def counts(self) -> Counts:
        sum_of = self._sum
        return Counts(
            documents=sum_of("1", "document WHERE current IS NOT NULL"),
            chunks=self.size("chunk"),
            evidence=sum_of("c.told", "document d JOIN chunk c ON c.revision = d.current"),
            stated=sum_of("evidence", "fact"),
            facts=self.size("fact"),
            entities=self.size("entity"),
            participations=self._arrays.participations,
            vectors=sum_of("1", "vector"),
            dimension=dimension_of(self._connection),
        )

    def containing(self, entities: Rows, limit: int) -> Rows:
        distinct = np.unique(entities)
        if not len(distinct):
            return np.zeros(0, dtype=np.int64)
        # The rarest entity first, so that the sets only shrink from a small one.
        distinct = distinct[np.argsort(self.degrees("entity", distinct), kind="stable")]
        common = self._arrays.linked("entity_fact", distinct[:1])[0]
        for entity in distinct[1:]:
            common = np.intersect1d(common, self._arrays.linked("entity_fact", np.array([entity]))[0])
        return np.asarray(common[:limit], dtype=np.int64)

    # the hierarchy over it all

    def themes(self) -> HierarchyReader:
        return SqlHierarchyReader(self._connection, self._load_themes(), self._rows)

    # steps of the above

    def _links(self, way: Way, rows: Rows, limit: int | None = None) -> Links:
        targets, owners = self._arrays.linked(way, rows, limit)
        return Links(rows[owners], targets)

    def _sum(self, what: str, rows: str) -> int:
        total: int = self._connection.execute(f"SELECT coalesce(sum({what}), 0) FROM {rows}").fetchone()[0]
        return total
