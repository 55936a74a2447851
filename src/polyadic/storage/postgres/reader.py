"""Reader of one committed state of a workspace in PostgreSQL; rows are table keys, and no arrays are kept in memory."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from polyadic.storage.arrays.hierarchy_arrays import HierarchyArrays
from polyadic.storage.arrays.hierarchy_reader import SqlHierarchyReader
from polyadic.storage.arrays.matmul import normalized
from polyadic.storage.arrays.top_k import contenders
from polyadic.storage.connection import Connection
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.incidence import firsts_of
from polyadic.storage.postgres.full_text import PostgresWordIndex
from polyadic.storage.postgres.row_cache import RowCache
from polyadic.storage.postgres.row_reader import PostgresRowReader
from polyadic.storage.postgres.vector_search import COSINE_ERROR, MOST_COMPARED, MOST_INDEXED, PostgresVectorSearch
from polyadic.storage.protocol import Hits, Links, NodeType, Rows, Vectors
from polyadic.storage.reader import ChunkFactsPrefetch, Expected, NearestPrefetch, NeighbourPrefetch, QuotePrefetch
from polyadic.storage.record_reader import RecordReader

_HIGHEST_SCORE = {"entity": 100.0, "fact": 10.0}
_VECTORS_PER_ROW, _MIN_VECTORS = 4, 200
"""Vectors searched per requested row, and at least."""
_FIRST_SCORED, _MOST_SCORED = 1_024, 4_096
"""Vectors searched when rows are ranked by similarity times score: at first, and at most."""


class PostgresReader(PostgresRowReader):
    """Implements :class:`polyadic.storage.protocol.Reader` within the open transaction of a connection."""

    def __init__(self, connection: Connection, hierarchy: Callable[[], HierarchyArrays]) -> None:
        super().__init__(connection)
        self._words = PostgresWordIndex(connection)
        self._load_hierarchy = hierarchy

    @property
    def records(self) -> RecordReader:
        return PostgresRecordReader(self._connection, self)

    def hierarchy_reader(self) -> HierarchyReader:
        return SqlHierarchyReader(self._connection, self._load_hierarchy(), self._rows)

    def prefetch(self, *expected: Expected) -> None:
        """Queue the expected reads for the next statement; the first vector search reads the statistics at once."""
        for one in expected:
            match one:
                case NearestPrefetch(node_type, vector, scored=True):
                    self._near.prefetch(node_type, vector, _FIRST_SCORED, [self._numbers[node_type]])
                case NearestPrefetch(node_type, vector, k):
                    self._near.prefetch(node_type, vector, _vectors_for(k), self._compared(node_type))
                case NeighbourPrefetch(facts, limit, chunks):
                    self._prefetch_around(facts, limit, chunks)
                    self._near.cache("fact").prefetch(facts)
                case ChunkFactsPrefetch(chunks, limit):
                    self._prefetch_within(chunks, limit)
                case QuotePrefetch(facts, chunks):
                    self._prefetch_texts(facts, chunks)

    # nearest by vector, and by words

    def nearest(self, node_type: NodeType, vector: Vectors, k: int, by_score: bool = False) -> Hits:
        if by_score and node_type != "chunk":
            return self._nearest_by_score(node_type, vector, k)
        near = self._near.roughly(node_type, vector, _vectors_for(k), self._compared(node_type))
        rows = near.rows[contenders(near.cosines, k, COSINE_ERROR)]
        return self._best(node_type, rows, self._near.cosines(node_type, rows, vector[None, :])[0], k)

    def similarity(self, node_type: NodeType, rows: Rows, vectors: Vectors) -> Vectors:
        return self._near.cosines(node_type, rows, vectors)

    def directions(self, node_type: NodeType, rows: Rows) -> Vectors:
        known, owners = self._near.vectors(node_type, rows)
        return normalized(np.add.reduceat(known, firsts_of(owners)) if len(rows) else known)

    def search(self, words: str, k: int) -> Hits:
        hits = list(self._words.matching(words, k))
        rows, scores = [row for row, _ in hits], [score for _, score in hits]
        return Hits(np.array(rows, dtype=np.int64), np.array(scores, dtype=np.float32))

    def chunks_with_words(self, words: Sequence[str], limit: int) -> Links:
        pairs = np.array(self._words.each_holding(words, limit), dtype=np.int64).reshape(-1, 2)
        return Links(pairs[:, 0], pairs[:, 1])

    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        degrees = self.degrees("entity_facts", entities)
        few, hubs = np.flatnonzero(degrees <= limit), np.flatnonzero(degrees > limit)
        each = np.broadcast_to(toward, (len(entities), toward.shape[-1]))
        if len(hubs):
            self._links_of("entity_facts", None).prefetch(entities[few])
        near = self._facts_of_hubs(entities[hubs], degrees[hubs], limit, each[hubs])
        targets, owners = self._linked("entity_facts", entities[few])
        places = np.concatenate([few[owners], hubs.repeat([len(facts) for facts in near])])
        order = np.argsort(places, kind="stable")
        return Links(entities[places[order]], np.concatenate([targets, *near])[order])

    # steps of the above

    @cached_property
    def _near(self) -> PostgresVectorSearch:
        return PostgresVectorSearch(self._batch, self.stats)

    def _compared(self, node_type: NodeType) -> list[RowCache]:
        """Return the caches of what is needed to compare rows of a node type exactly."""
        return [self._numbers[node_type], self._near.cache(node_type)]

    def _nearest_by_score(self, node_type: Literal["entity", "fact"], vector: Vectors, k: int) -> Hits:
        searched = _FIRST_SCORED
        while True:
            near = self._near.roughly(node_type, vector, searched, [self._numbers[node_type]])
            scores = self.scores(node_type, near.rows)
            products = near.cosines * scores
            best = contenders(products, k, COSINE_ERROR * _HIGHEST_SCORE[node_type])
            # The highest product that vectors beyond the searched ones can reach.
            reached = near.cosines[-1:] * _HIGHEST_SCORE[node_type]
            if near.are_all or searched >= _MOST_SCORED or (products[best] >= reached).all():
                break
            searched *= 4
        rows = near.rows[best]
        return self._best(node_type, rows, self._near.cosines(node_type, rows, vector[None, :])[0] * scores[best], k)

    def _facts_of_hubs(self, hubs: Rows, degrees: Rows, limit: int, toward: Vectors) -> list[Rows]:
        """Find, for each hub with ``degrees`` facts, those nearest to its own vector, in ascending order of rows."""
        is_huge = (degrees > MOST_COMPARED) & (self.stats.dimension <= MOST_INDEXED)
        some, huge = np.flatnonzero(~is_huge), np.flatnonzero(is_huge)
        near = self._near.nearest_of_hubs(hubs[some], toward[some], _vectors_for(limit), self._compared("fact"))
        candidates = dict(zip(some.tolist(), near, strict=True))
        candidates |= {place: self._near.among(int(hubs[place]), toward[place], limit) for place in huge.tolist()}
        return [
            np.sort(self._best("fact", facts, self._near.cosines("fact", facts, toward[place, None])[0], limit).rows)
            for place, facts in sorted(candidates.items())
        ]

    def _best(self, node_type: NodeType, rows: Rows, numbers: Vectors, k: int) -> Hits:
        """Return the k rows with the highest numbers, ties in the order of public identifiers."""
        order = np.lexsort((self._digests(node_type, rows), -numbers))[:k]
        return Hits(rows[order], numbers[order].astype(np.float32))


def _vectors_for(k: int) -> int:
    """Return how many vectors to search for k rows."""
    return max(_MIN_VECTORS, _VECTORS_PER_ROW * k)


class PostgresRecordReader(RecordReader):
    """Implements :class:`polyadic.storage.record_reader.RecordReader`; lists documents by an indexed prefix."""

    _IN_ORDER = "source_prefix, source"
    _COLLATION = ' COLLATE "C"'

    def _later(self, comparison: str, bound: str) -> tuple[str, list[str]]:
        # The index covers the first 500 characters of a source.
        return f" AND source_prefix >= left(?, 500) AND source {comparison} ?", [bound, bound]
