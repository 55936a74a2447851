"""Reading one committed state of a workspace in PostgreSQL: rows are keys of the tables, and none is held in memory."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from polyadic.store.arrays.ranking import contenders
from polyadic.store.arrays.theme_arrays import ThemeArrays
from polyadic.store.arrays.theme_reader import SqlThemes
from polyadic.store.connection import Connection
from polyadic.store.postgres.near import DOUBT, Near
from polyadic.store.postgres.tables import Tables, spread_out
from polyadic.store.postgres.words import PostgresWords
from polyadic.store.protocol import Counts, Hits, Links, Rows, Side, Vectors
from polyadic.store.tables.dimension import dimension_of
from polyadic.store.tables.row_reader import SqlRows
from polyadic.store.themes import Themes

_HIGHEST = {"entity": 100.0, "fact": 10.0}
_FOR_EACH, _LEAST = 4, 200
"""Vectors that are looked at for each row that is asked for, and at least."""
_FIRST, _LAST = 1_024, 4_096
"""The same where a score counts beside similarity: at first, and at most."""


class PostgresReader(SqlRows):
    """Implements :class:`polyadic.store.protocol.Reader` within the open transaction of a connection."""

    _IN_ORDER = "source_begins, source"

    def __init__(self, connection: Connection, themes: Callable[[], ThemeArrays]) -> None:
        super().__init__(connection)
        self._tables = Tables(connection)
        self._words = PostgresWords(connection)
        self._load_themes = themes

    # nearest by vector, and by words

    def nearest(self, side: Side, vector: Vectors, k: int) -> Hits:
        near = self._near.roughly(side, vector, max(_LEAST, _FOR_EACH * k))
        rows = near.rows[contenders(near.cosines, k, DOUBT)]
        return self._best(side, rows, self._near.cosines(side, rows, vector[None, :])[0], k)

    def nearest_scored(self, side: Literal["entity", "fact"], vector: Vectors, k: int) -> Hits:
        searched = _FIRST
        while True:
            near = self._near.roughly(side, vector, searched)
            scores = self._tables.scores(side, near.rows)
            products = near.cosines * scores
            best = contenders(products, k, DOUBT * _HIGHEST[side])
            # Nothing that is further away can reach the last of the best, however high its score.
            reached = near.cosines[-1:] * _HIGHEST[side]
            if near.are_all or searched >= _LAST or (products[best] >= reached).all():
                break
            searched *= 4
        rows = near.rows[best]
        return self._best(side, rows, self._near.cosines(side, rows, vector[None, :])[0] * scores[best], k)

    def look_ahead(self, side: Side, vector: Vectors, k: int, scored: bool = False) -> None:
        """Nothing is begun: a connection does one thing at a time."""

    def similarity(self, side: Side, rows: Rows, vectors: Vectors) -> Vectors:
        return self._near.cosines(side, rows, vectors)

    def directions(self, entities: Rows) -> Vectors:
        known, owners = self._near.vectors("entity", entities)
        sums = np.add.reduceat(known, np.flatnonzero(np.diff(owners, prepend=-1))) if len(entities) else known
        return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12), dtype=np.float32)

    def search(self, words: str, k: int) -> Hits:
        found = list(self._words.matching(words, k))
        rows, scores = [row for row, _ in found], [score for _, score in found]
        return Hits(np.array(rows, dtype=np.int64), np.array(scores, dtype=np.float32))

    def holding(self, words: Sequence[str], limit: int) -> Links:
        pairs = np.array(self._words.each_holding(words, limit), dtype=np.int64).reshape(-1, 2)
        return Links(pairs[:, 0], pairs[:, 1])

    # neighbours over incidence

    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        degrees = self._tables.degrees("entity", entities)
        few = entities[degrees <= limit]
        targets, owners = self._tables.linked("entity_fact", few)
        sources = [few[owners]]
        found = [targets]
        for hub, degree in zip(entities[degrees > limit].tolist(), degrees[degrees > limit].tolist(), strict=True):
            facts = self._near.among(hub, toward, limit, degree)
            near = self._best("fact", facts, self._near.cosines("fact", facts, toward[None, :])[0], limit).rows
            sources.append(np.full(len(near), hub))
            found.append(np.sort(near))
        return _in_order(entities, np.concatenate(sources), np.concatenate(found))

    def entities_of(self, facts: Rows) -> Links:
        return self._links(facts, *self._tables.linked("fact_entity", facts))

    def chunks_of(self, facts: Rows, limit: int) -> Links:
        return self._links(facts, *self._tables.linked("fact_chunk", facts, limit))

    def facts_in(self, chunks: Rows, limit: int) -> Links:
        return self._links(chunks, *self._tables.linked("chunk_fact", chunks, limit))

    def titles_of(self, chunks: Rows) -> Links:
        subjects = self._tables.about(chunks)
        return Links(chunks[subjects >= 0], subjects[subjects >= 0])

    def titled(self, entities: Rows, limit: int) -> Links:
        return self._links(entities, *self._tables.chunks_about(entities, limit))

    # statistics of rows

    def size(self, side: Side) -> int:
        return self._tables.size(side)

    def all_rows(self, side: Side) -> Rows:
        sql = (
            "SELECT c.id FROM document d JOIN chunk c ON c.revision = d.current ORDER BY c.digest"
            if side == "chunk"
            else f"SELECT id FROM {side} ORDER BY digest"
        )
        return np.array(self._connection.execute(sql).fetchall(), dtype=np.int64).reshape(-1)

    def degrees(self, side: Side, rows: Rows) -> Rows:
        return self._tables.degrees(side, rows)

    def scores(self, side: Literal["entity", "fact"], rows: Rows) -> Vectors:
        return self._tables.scores(side, rows)

    def spread(self, entities: Rows) -> Rows:
        return self._tables.spread(entities)

    def tokens(self, side: Literal["fact", "chunk"], rows: Rows) -> Rows:
        return self._tables.tokens(side, rows)

    # the catalogue

    def counts(self) -> Counts:
        documents, evidence, stated, vectors = self._connection.execute(
            "SELECT (SELECT count(*) FROM document WHERE current IS NOT NULL),"
            " (SELECT coalesce(sum(c.told), 0)::bigint FROM document d JOIN chunk c ON c.revision = d.current),"
            " (SELECT coalesce(sum(evidence), 0)::bigint FROM fact), (SELECT count(*) FROM vector)"
        ).fetchone()
        return Counts(
            documents=documents,
            chunks=self.size("chunk"),
            evidence=evidence,
            stated=stated,
            facts=self.size("fact"),
            entities=self.size("entity"),
            participations=self._tables.participations,
            vectors=vectors,
            dimension=dimension_of(self._connection),
        )

    def containing(self, entities: Rows, limit: int) -> Rows:
        distinct = np.unique(entities)
        if not len(distinct):
            return distinct
        # The rarest entity first: of the facts of others only those are looked at that are among its own.
        first, *others = distinct[np.argsort(self.degrees("entity", distinct), kind="stable")].tolist()
        also = " AND EXISTS (SELECT 1 FROM participation q WHERE q.fact = p.fact AND q.entity = ?)" * len(others)
        found = self._connection.execute(
            f"SELECT f.id FROM participation p JOIN fact f ON f.id = p.fact WHERE p.entity = ?{also}"
            " ORDER BY f.digest LIMIT ?",
            (first, *others, limit),
        )
        return np.array(found.fetchall(), dtype=np.int64).reshape(-1)

    # the hierarchy over it all

    def themes(self) -> Themes:
        return SqlThemes(self._connection, self._load_themes(), self._rows)

    # steps of the above

    @cached_property
    def _near(self) -> Near:
        return Near(self._connection, dimension_of(self._connection), self._tables.indexed)

    def _later(self, comparison: str, bound: str) -> tuple[str, list[str]]:
        # The index has how sources begin, and takes no more.
        return f" AND source_begins >= left(?, 500) AND source {comparison} ?", [bound, bound]

    def _keys(self, side: Side, rows: Rows) -> Rows:
        return rows

    def _rows(self, side: Side, keys: Sequence[int]) -> Rows:
        return np.asarray(keys, dtype=np.int64)

    def _best(self, side: Side, rows: Rows, numbers: Vectors, k: int) -> Hits:
        """The k of these rows that have the highest numbers, ties in the order of public identifiers."""
        if len(rows) > k > 0:
            kept = numbers >= np.partition(numbers, len(numbers) - k)[len(numbers) - k]
            rows, numbers = rows[kept], numbers[kept]
        digests = self._tables.digests(side, rows)
        order = sorted(range(len(rows)), key=lambda at: (-numbers[at], digests[at]))[:k]
        return Hits(rows[order], numbers[order].astype(np.float32))

    def _links(self, rows: Rows, targets: Rows, owners: Rows) -> Links:
        return Links(rows[owners], targets)


def _in_order(rows: Rows, sources: Rows, targets: Rows) -> Links:
    """Links in the order of the rows that were asked about."""
    order = np.argsort(sources, kind="stable")
    found, owners = spread_out(np.stack([sources, targets], axis=1)[order], rows)
    return Links(rows[owners], found)
