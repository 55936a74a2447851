"""Reading one committed state of the SQLite store: arrays for what is near, tables for what it says."""

import sqlite3
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Literal

import numpy as np

from polyadic.derivation import mean_score
from polyadic.knowledge import Chunk, Entity, Fact, Place, Span
from polyadic.store.arrays import Way
from polyadic.store.digests import digest_bytes
from polyadic.store.dimension import dimension_of
from polyadic.store.full_text import any_of
from polyadic.store.near_reader import SqliteNear
from polyadic.store.places import places_of_chunks, places_of_facts
from polyadic.store.protocol import Counts, Hits, Links, Rows, Side, Vectors
from polyadic.store.selecting import select_in
from polyadic.store.state import State
from polyadic.store.texts import quotes
from polyadic.store.theme_arrays import ThemeArrays
from polyadic.store.theme_reader import SqliteThemes
from polyadic.store.themes import Themes


class SqliteReader(SqliteNear):
    """Implements :class:`polyadic.store.protocol.Reader` within the open transaction of a connection."""

    def __init__(
        self, connection: sqlite3.Connection, state: Callable[[], State], themes: Callable[[], ThemeArrays]
    ) -> None:
        super().__init__(connection, state)
        self._load_themes = themes

    # nearest by words

    def search(self, words: str, k: int) -> Hits:
        query = any_of(words)
        found = []
        if query:
            # Staged and withdrawn chunks are not indexed, so every hit is a chunk of the state.
            hits = self._connection.execute(
                "SELECT rowid, -bm25(words) FROM words WHERE words MATCH ? ORDER BY bm25(words), rowid", (query,)
            )
            found = list(islice(((row, score) for row, score in hits if self._is_seen_chunk(row)), k))
        rows = self._arrays.rows("chunk", [row for row, _ in found])
        return Hits(rows, np.array([score for _, score in found], dtype=np.float32))

    def holding(self, words: Sequence[str], limit: int) -> Links:
        found: list[tuple[int, int]] = []
        for number, word in enumerate(words):
            query = any_of(word)
            if query:
                hits = self._connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (query,))
                seen = (row for (row,) in hits if self._is_seen_chunk(row))
                found += [(number, row) for row in islice(seen, limit)]
        rows = self._arrays.rows("chunk", [row for _, row in found])
        numbers = np.array([number for number, _ in found], dtype=np.int64)
        order = np.lexsort((rows, numbers))
        return Links(numbers[order], rows[order])

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        pairs = list(
            select_in(self._connection, "SELECT loose, entity FROM called WHERE loose IN ({})", list(loose_names))
        )
        rows = self._arrays.rows("entity", [entity for _, entity in pairs])
        for (loose, _), row in zip(pairs, rows.tolist(), strict=True):
            found.setdefault(loose, []).append(row)
        return {loose: sorted(rows) for loose, rows in found.items()}

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

    def degrees(self, side: Side, rows: Rows) -> Rows:
        return self._arrays.degrees(side, rows)

    def scores(self, side: Literal["entity", "fact"], rows: Rows) -> Vectors:
        return self._arrays.scores(side, rows)

    def spread(self, entities: Rows) -> Rows:
        return self._arrays.spread(entities)

    def tokens(self, side: Literal["fact", "chunk"], rows: Rows) -> Rows:
        found = self._fetch(side, rows, f"SELECT id, tokens FROM {side} WHERE id IN ({{}})")
        return np.array([tokens for (tokens,) in found], dtype=np.int64)

    # fetch, in the order asked

    def entities(self, rows: Rows) -> list[Entity]:
        found = self._fetch(
            "entity",
            rows,
            "SELECT id, digest, key, name, type, description, evidence, score, facts FROM entity WHERE id IN ({})",
        )
        return [
            Entity(digest.hex(), key, name, type_, description, mean_score(score, evidence), facts)
            for digest, key, name, type_, description, evidence, score, facts in found
        ]

    def facts(self, rows: Rows) -> list[Fact]:
        names: dict[int, list[str]] = {}
        ids = self._arrays.ids("fact", rows).tolist()
        for fact, name in select_in(
            self._connection,
            "SELECT p.fact, e.name FROM participation p JOIN entity e ON e.id = p.entity"
            " WHERE p.fact IN ({}) ORDER BY e.key",
            ids,
        ):
            names.setdefault(fact, []).append(name)
        found = self._fetch(
            "fact", rows, "SELECT id, id, digest, text, tokens, evidence, score FROM fact WHERE id IN ({})"
        )
        return [
            Fact(digest.hex(), text, mean_score(score, evidence), tuple(names[fact]), evidence, tokens)
            for fact, digest, text, tokens, evidence, score in found
        ]

    def chunks(self, rows: Rows) -> list[Chunk]:
        found = self._fetch(
            "chunk",
            rows,
            "SELECT c.id, d.digest, c.revision, c.start, c.stop, c.tokens, c.fresh"
            " FROM chunk c JOIN revision r ON r.id = c.revision JOIN document d ON d.id = r.document"
            " WHERE c.id IN ({})",
        )
        texts = quotes(self._connection, [row[1:4] for row in found])
        return [
            Chunk(document.hex(), Span(start, stop), text, tokens, fresh)
            for (document, _, start, stop, tokens, fresh), text in zip(found, texts, strict=True)
        ]

    def fact_places(self, facts: Rows) -> list[tuple[Place, ...]]:
        ids = self._arrays.ids("fact", facts).tolist()
        places = places_of_facts(self._connection, ids)
        return [places.get(i, ()) for i in ids]

    def chunk_places(self, chunks: Rows) -> list[Place]:
        ids = self._arrays.ids("chunk", chunks).tolist()
        places = places_of_chunks(self._connection, ids)
        return [places[i] for i in ids]

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

    def chunks_in(self, document_id: str) -> Rows:
        rows = self._connection.execute(
            "SELECT c.id FROM document d JOIN chunk c ON c.revision = d.current WHERE d.digest = ? ORDER BY c.id",
            (digest_bytes(document_id),),
        )
        return self._arrays.rows("chunk", [row for (row,) in rows])

    def identified(self, side: Side, prefix: str, limit: int) -> Rows:
        padded = prefix.lower()
        low, high = bytes.fromhex(padded.ljust(32, "0")), bytes.fromhex(padded.ljust(32, "f"))
        # Chunks of staged revisions are there, but not to be seen.
        seen = "JOIN document d ON d.current = x.revision" if side == "chunk" else ""
        rows = self._connection.execute(
            f"SELECT x.id FROM {side} x {seen} WHERE x.digest BETWEEN ? AND ? ORDER BY x.digest LIMIT ?",
            (low, high, limit),
        )
        return self._arrays.rows(side, [row for (row,) in rows])

    def keyed(self, keys: Sequence[str]) -> dict[str, int]:
        pairs = list(select_in(self._connection, "SELECT key, id FROM entity WHERE key IN ({})", list(keys)))
        rows = self._arrays.rows("entity", [row for _, row in pairs])
        return {key: row for (key, _), row in zip(pairs, rows.tolist(), strict=True)}

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

    def themes(self) -> Themes:
        return SqliteThemes(self._connection, self._load_themes(), lambda: self._arrays)

    # steps of the above

    def _links(self, way: Way, rows: Rows, limit: int | None = None) -> Links:
        targets, owners = self._arrays.linked(way, rows, limit)
        return Links(rows[owners], targets)

    def _is_seen_chunk(self, chunk: int) -> bool:
        """Whether a chunk (key of the table) may be seen."""
        return True

    def _fetch(self, side: Side, rows: Rows, sql: str) -> list[tuple[Any, ...]]:
        ids = self._arrays.ids(side, rows).tolist()
        found = {row[0]: row[1:] for row in select_in(self._connection, sql, ids)}
        return [found[i] for i in ids]

    def _sum(self, what: str, rows: str) -> int:
        total: int = self._connection.execute(f"SELECT coalesce(sum({what}), 0) FROM {rows}").fetchone()[0]
        return total
