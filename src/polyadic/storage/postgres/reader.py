"""Reader of one committed state of a workspace in PostgreSQL; rows are table keys, and no arrays are kept in memory."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Literal

import numpy as np

from polyadic.model.types import Entity, Fact, SourceSpan
from polyadic.storage.arrays.hierarchy_arrays import HierarchyArrays
from polyadic.storage.arrays.hierarchy_reader import SqlHierarchyReader
from polyadic.storage.arrays.matmul import normalized
from polyadic.storage.arrays.protocol import degrees, links
from polyadic.storage.arrays.top_k import contenders
from polyadic.storage.connection import Connection
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.incidence import firsts_of
from polyadic.storage.postgres.full_text import PostgresWordIndex
from polyadic.storage.postgres.incidence import PostgresIncidence
from polyadic.storage.postgres.query_batch import CommonTableExpression, SubQuery
from polyadic.storage.postgres.text_cache import TextCache
from polyadic.storage.postgres.vector_search import DOUBT, MOST_COMPARED, MOST_INDEXED, PostgresVectorSearch
from polyadic.storage.protocol import Hits, Links, NodeType, Rows, Vectors
from polyadic.storage.reader import ChunkFactsPrefetch, Expected, NearestPrefetch, NeighbourPrefetch, QuotePrefetch
from polyadic.storage.record_reader import RecordReader
from polyadic.storage.records import DegreeWay, LinkWay
from polyadic.storage.sql.row_reader import SqlRowReader

_HIGHEST_SCORE = {"entity": 100.0, "fact": 10.0}
_VECTORS_PER_ROW, _MIN_VECTORS = 4, 200
"""Vectors searched per requested row, and at least."""
_FIRST_SCORED, _MOST_SCORED = 1_024, 4_096
"""Vectors searched when rows are ranked by similarity times score: at first, and at most."""


class PostgresReader(SqlRowReader):
    """Implements :class:`polyadic.storage.protocol.Reader` within the open transaction of a connection."""

    def __init__(self, connection: Connection, hierarchy: Callable[[], HierarchyArrays]) -> None:
        super().__init__(connection)
        self._tables = PostgresIncidence(connection)
        self._texts = TextCache(self._tables.asking)
        self._words = PostgresWordIndex(connection)
        self._load_hierarchy = hierarchy

    @property
    def records(self) -> RecordReader:
        return PostgresRecordReader(self._connection, self)

    @property
    def participations(self) -> int:
        return self._tables.participations

    def prefetch(self, *expected: Expected) -> None:
        """Queue the expected reads for the next statement; the first vector search reads the statistics at once."""
        for one in expected:
            match one:
                case NearestPrefetch(node_type, vector, scored=True):
                    self._near.prefetch(node_type, vector, _FIRST_SCORED, partial(self._score_parts, node_type))
                case NearestPrefetch(node_type, vector, k):
                    self._near.prefetch(node_type, vector, _vectors_for(k), partial(self._vector_parts, node_type))
                case NeighbourPrefetch(facts, limit, chunks):
                    parts = self._tables.around_parts(facts, limit, chunks)
                    self._tables.asking.later(*parts, self._near.part("fact", facts))
                case ChunkFactsPrefetch(chunks, limit):
                    self._tables.asking.later(*self._tables.within_parts(chunks, limit))
                case QuotePrefetch(facts, chunks):
                    self._texts.prefetch(facts, chunks)

    # nearest by vector, and by words

    def nearest(self, node_type: NodeType, vector: Vectors, k: int, by_score: bool = False) -> Hits:
        if by_score and node_type != "chunk":
            return self._nearest_by_score(node_type, vector, k)
        near = self._near.roughly(node_type, vector, _vectors_for(k), partial(self._vector_parts, node_type))
        rows = near.rows[contenders(near.cosines, k, DOUBT)]
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

    # neighbours over incidence

    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        degrees = self._tables.degrees("entity", entities)
        few, hubs = np.flatnonzero(degrees <= limit), np.flatnonzero(degrees > limit)
        each = np.broadcast_to(toward, (len(entities), toward.shape[-1]))
        if len(hubs):
            self._tables.asking.later(self._tables.linked_part("entity_facts", entities[few]))
        near = self._facts_of_hubs(entities[hubs], degrees[hubs], limit, each[hubs])
        targets, owners = self._tables.linked("entity_facts", entities[few])
        places = np.concatenate([few[owners], hubs.repeat([len(facts) for facts in near])])
        order = np.argsort(places, kind="stable")
        return Links(entities[places[order]], np.concatenate([targets, *near])[order])

    def links(self, way: LinkWay, rows: Rows, limit: int | None = None) -> Links:
        return links(self._tables, way, rows, limit)

    # statistics of rows

    def size(self, node_type: NodeType) -> int:
        return self._tables.size(node_type)

    def rows(self, node_type: NodeType, prefix: str = "", limit: int | None = None) -> Rows:
        return self._with_prefix(node_type, prefix, limit)

    def degrees(self, way: DegreeWay, rows: Rows) -> Rows:
        return degrees(self._tables, way, rows)

    def scores(self, node_type: Literal["entity", "fact"], rows: Rows) -> Vectors:
        return self._tables.scores(node_type, rows)

    def tokens(self, node_type: Literal["fact", "chunk"], rows: Rows) -> Rows:
        return self._tables.tokens(node_type, rows)

    # fetch, and rows by name

    def entities(self, rows: Rows) -> list[Entity]:
        return self._tables.entities.of(rows)

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        return self._tables.entities.named(loose_names)

    def facts(self, rows: Rows) -> list[Fact]:
        return self._texts.facts(rows)

    def fact_places(self, facts: Rows) -> list[tuple[SourceSpan, ...]]:
        return self._texts.fact_places(facts)

    def chunk_places(self, chunks: Rows) -> list[SourceSpan]:
        return self._texts.chunk_places(chunks)

    def containing(self, entities: Rows, limit: int) -> Rows:
        distinct = np.unique(entities)
        if not len(distinct):
            return distinct
        # Scan the facts of the rarest entity only.
        first, *others = distinct[np.argsort(self.degrees("entity_facts", distinct), kind="stable")].tolist()
        condition = " AND EXISTS (SELECT 1 FROM participation q WHERE q.fact = p.fact AND q.entity = ?)" * len(others)
        facts = self._connection.execute(
            f"SELECT f.id FROM participation p JOIN fact f ON f.id = p.fact WHERE p.entity = ?{condition}"
            " ORDER BY f.digest LIMIT ?",
            (first, *others, limit),
        )
        return np.array(facts.fetchall(), dtype=np.int64).reshape(-1)

    # hierarchy

    def hierarchy_reader(self) -> HierarchyReader:
        return SqlHierarchyReader(self._connection, self._load_hierarchy(), self._rows)

    # steps of the above

    @cached_property
    def _near(self) -> PostgresVectorSearch:
        return PostgresVectorSearch(self._tables.asking, self._tables.there)

    def _vector_parts(self, node_type: NodeType, rows: str, ground: CommonTableExpression) -> list[SubQuery]:
        """Make the subqueries that read what is needed to compare the rows that a query finds."""
        return [self._tables.numbers_part_of(node_type, rows, ground), self._near.part_of(node_type, rows, ground)]

    def _score_parts(self, node_type: NodeType, rows: str, ground: CommonTableExpression) -> list[SubQuery]:
        """Make the subqueries that read the scores of the rows that a query finds."""
        return [self._tables.numbers_part_of(node_type, rows, ground)]

    def _nearest_by_score(self, node_type: Literal["entity", "fact"], vector: Vectors, k: int) -> Hits:
        searched = _FIRST_SCORED
        while True:
            near = self._near.roughly(node_type, vector, searched, partial(self._score_parts, node_type))
            scores = self._tables.scores(node_type, near.rows)
            products = near.cosines * scores
            best = contenders(products, k, DOUBT * _HIGHEST_SCORE[node_type])
            # The highest product that vectors beyond the searched ones can reach.
            reached = near.cosines[-1:] * _HIGHEST_SCORE[node_type]
            if near.are_all or searched >= _MOST_SCORED or (products[best] >= reached).all():
                break
            searched *= 4
        rows = near.rows[best]
        return self._best(node_type, rows, self._near.cosines(node_type, rows, vector[None, :])[0] * scores[best], k)

    def _facts_of_hubs(self, hubs: Rows, degrees: Rows, limit: int, toward: Vectors) -> list[Rows]:
        """Find, for each hub with ``degrees`` facts, those nearest to its own vector, in ascending order of rows."""
        is_huge = (degrees > MOST_COMPARED) & (self._tables.there.dimension <= MOST_INDEXED)
        some, huge = np.flatnonzero(~is_huge), np.flatnonzero(is_huge)
        near = self._near.nearest_of_hubs(
            hubs[some], toward[some], _vectors_for(limit), partial(self._vector_parts, "fact")
        )
        candidates = dict(zip(some.tolist(), near, strict=True))
        candidates |= {place: self._near.among(int(hubs[place]), toward[place], limit) for place in huge.tolist()}
        return [
            np.sort(self._best("fact", facts, self._near.cosines("fact", facts, toward[place, None])[0], limit).rows)
            for place, facts in sorted(candidates.items())
        ]

    def _keys(self, node_type: NodeType, rows: Rows) -> Rows:
        return rows

    def _rows(self, node_type: NodeType, keys: Sequence[int]) -> Rows:
        return np.asarray(keys, dtype=np.int64)

    def _best(self, node_type: NodeType, rows: Rows, numbers: Vectors, k: int) -> Hits:
        """Return the k rows with the highest numbers, ties in the order of public identifiers."""
        order = np.lexsort((self._tables.digests(node_type, rows), -numbers))[:k]
        return Hits(rows[order], numbers[order].astype(np.float32))


def _vectors_for(k: int) -> int:
    """Return how many vectors to search for k rows."""
    return max(_MIN_VECTORS, _VECTORS_PER_ROW * k)


class PostgresRecordReader(RecordReader):
    """Record reader that lists documents by an indexed prefix."""

    _IN_ORDER = "source_prefix, source"
    _COLLATION = ' COLLATE "C"'

    def _later(self, comparison: str, bound: str) -> tuple[str, list[str]]:
        # The index covers the first 500 characters of a source.
        return f" AND source_prefix >= left(?, 500) AND source {comparison} ?", [bound, bound]
