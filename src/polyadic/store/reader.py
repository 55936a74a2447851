"""Reading one committed state of the SQLite store: arrays for what is near, tables for what it says."""

import sqlite3
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Literal

import numpy as np

from polyadic.derivation import mean_score
from polyadic.knowledge import Chunk, Entity, Fact, Place, Span
from polyadic.store.database import select_in
from polyadic.store.derived import digest_bytes
from polyadic.store.full_text import any_of
from polyadic.store.incidence import links_of, neighbours
from polyadic.store.places import FACT_PLACES, PLACED, PLACES_SHOWN, place
from polyadic.store.protocol import Counts, Hits, Links, Rows, Side, Vectors
from polyadic.store.ranking import best
from polyadic.store.record_reader import SqliteRecords
from polyadic.store.snapshot import Snapshot, dimension_of, other_vectors
from polyadic.store.theme_arrays import ThemeArrays
from polyadic.store.theme_reader import SqliteThemes
from polyadic.store.themes import Themes


class SqliteReader(SqliteRecords):
    """Implements :class:`polyadic.store.protocol.Reader` within the open transaction of a connection."""

    def __init__(
        self, connection: sqlite3.Connection, snapshot: Callable[[], Snapshot], themes: Callable[[], ThemeArrays]
    ) -> None:
        super().__init__(connection)
        self._load_snapshot = snapshot
        self._load_themes = themes

    @cached_property
    def _snapshot(self) -> Snapshot:
        """Loaded only for what needs it: looking up a document, or deleting one, does not."""
        return self._load_snapshot()

    # nearest by vector, and by words

    def nearest(self, side: Side, vector: Vectors, k: int) -> Hits:
        return self._best_seen(side, self._similarities(side, vector), k)

    def nearest_scored(self, side: Literal["entity", "fact"], vector: Vectors, k: int) -> Hits:
        return self._best_seen(side, self._similarities(side, vector) * self._scores(side), k)

    def similarity(self, side: Side, rows: Rows, vectors: Vectors) -> Vectors:
        starts, matrix = self._vectors(side)
        if not len(rows):
            return np.zeros((len(vectors), 0), dtype=np.float32)
        if starts is None:
            return np.asarray(vectors @ matrix[rows].T, dtype=np.float32)
        places, owners = neighbours(starts, np.arange(len(matrix)), rows)
        firsts = np.searchsorted(owners, np.arange(len(rows)))
        similarities = self._of_seen(side, vectors @ matrix[places].T, places)
        return np.asarray(np.maximum.reduceat(similarities, firsts, axis=1), dtype=np.float32)

    def directions(self, entities: Rows) -> Vectors:
        starts, matrix = self._vectors("entity")
        if starts is None or not len(entities):
            return np.zeros((0, matrix.shape[1]), dtype=np.float32)
        sums = np.add.reduceat(matrix, starts[:-1])[entities]
        return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12), dtype=np.float32)

    def search(self, words: str, k: int) -> Hits:
        query = any_of(words)
        found = []
        if query:
            # Staged and withdrawn chunks are not indexed, so every hit is a chunk of the snapshot.
            hits = self._connection.execute(
                "SELECT rowid, -bm25(words) FROM words WHERE words MATCH ? ORDER BY bm25(words), rowid", (query,)
            )
            found = list(islice(((row, score) for row, score in hits if self._is_seen_chunk(row)), k))
        rows = self._snapshot.rows("chunk", [row for row, _ in found])
        return Hits(rows, np.array([score for _, score in found], dtype=np.float32))

    def holding(self, word: str, limit: int) -> Rows:
        query = any_of(word)
        if not query:
            return np.zeros(0, dtype=np.int64)
        hits = self._connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (query,))
        found = islice((row for (row,) in hits if self._is_seen_chunk(row)), limit)
        return np.sort(self._snapshot.rows("chunk", list(found)))

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        pairs = list(
            select_in(self._connection, "SELECT loose, entity FROM called WHERE loose IN ({})", list(loose_names))
        )
        rows = self._snapshot.rows("entity", [entity for _, entity in pairs])
        for (loose, _), row in zip(pairs, rows.tolist(), strict=True):
            found.setdefault(loose, []).append(row)
        return {loose: sorted(rows) for loose, rows in found.items()}

    # neighbours over incidence

    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        s = self._snapshot
        targets, owners = neighbours(s.entity_fact_starts, s.entity_facts, entities)
        sizes = np.bincount(owners, minlength=len(entities))
        kept = np.ones(len(targets), dtype=bool)
        for hub in np.flatnonzero(sizes > limit):
            mine = np.flatnonzero(owners == hub)
            similarities = s.fact_vectors[targets[mine]] @ toward
            kept[mine] = False
            kept[mine[best(similarities, limit).rows]] = True
        return Links(entities[owners[kept]], targets[kept])

    def entities_of(self, facts: Rows) -> Links:
        return links_of(self._snapshot.fact_entity_starts, self._snapshot.fact_entities, facts)

    def chunks_of(self, facts: Rows, limit: int) -> Links:
        return links_of(self._snapshot.fact_chunk_starts, self._snapshot.fact_chunks, facts, limit)

    def facts_in(self, chunks: Rows, limit: int) -> Links:
        return links_of(self._snapshot.chunk_fact_starts, self._snapshot.chunk_facts, chunks, limit)

    def titles_of(self, chunks: Rows) -> Links:
        titles = self._snapshot.about_entity[chunks]
        return Links(chunks[titles >= 0], titles[titles >= 0])

    def titled(self, entities: Rows, limit: int) -> Links:
        return links_of(self._snapshot.about_starts, self._snapshot.about_chunks, entities, limit)

    # statistics of rows

    def size(self, side: Side) -> int:
        return len(self._snapshot.ids(side))

    def degrees(self, side: Side, rows: Rows) -> Rows:
        s = self._snapshot
        starts = {"entity": s.entity_fact_starts, "fact": s.fact_entity_starts, "chunk": s.chunk_fact_starts}[side]
        return np.asarray(starts[rows + 1] - starts[rows], dtype=np.int64)

    def scores(self, side: Literal["entity", "fact"], rows: Rows) -> Vectors:
        return np.asarray(self._scores(side)[rows], dtype=np.float32)

    def spread(self, entities: Rows) -> Rows:
        return np.asarray(self._snapshot.entity_chunk_counts[entities], dtype=np.int64)

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
        ids = self._snapshot.fact_ids[rows].tolist()
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
            "SELECT c.id, d.digest, c.start, c.stop, substr(r.text, c.start + 1, c.stop - c.start), c.tokens,"
            f" c.fresh FROM {PLACED} WHERE c.id IN ({{}})",
        )
        return [
            Chunk(document.hex(), Span(start, stop), text, tokens, fresh)
            for document, start, stop, text, tokens, fresh in found
        ]

    def fact_places(self, facts: Rows) -> list[tuple[Place, ...]]:
        sql = f"{FACT_PLACES} ORDER BY d.source, s.start LIMIT ?"
        return [
            tuple(place(*row) for row in self._connection.execute(sql, (fact, PLACES_SHOWN)))
            for fact in self._snapshot.fact_ids[facts].tolist()
        ]

    def chunk_places(self, chunks: Rows) -> list[Place]:
        found = self._fetch(
            "chunk",
            chunks,
            "SELECT c.id, d.digest, d.source, r.title, r.pages, r.extractor, c.digest, c.start, c.stop,"
            f" substr(r.text, c.start + 1, c.stop - c.start) FROM {PLACED} WHERE c.id IN ({{}})",
        )
        return [place(*row) for row in found]

    # the catalogue

    def counts(self) -> Counts:
        sum_of = self._sum
        return Counts(
            documents=sum_of("1", "document WHERE current IS NOT NULL"),
            chunks=self.size("chunk"),
            evidence=sum_of("json_array_length(c.evidence)", "document d JOIN chunk c ON c.revision = d.current"),
            stated=sum_of("evidence", "fact"),
            facts=self.size("fact"),
            entities=self.size("entity"),
            participations=len(self._snapshot.fact_entities),
            vectors=sum_of("1", "vector"),
            dimension=dimension_of(self._connection),
        )

    def chunks_in(self, document_id: str) -> Rows:
        rows = self._connection.execute(
            "SELECT c.id FROM document d JOIN chunk c ON c.revision = d.current WHERE d.digest = ? ORDER BY c.id",
            (digest_bytes(document_id),),
        )
        return self._snapshot.rows("chunk", [row for (row,) in rows])

    def identified(self, side: Side, prefix: str, limit: int) -> Rows:
        padded = prefix.lower()
        low, high = bytes.fromhex(padded.ljust(32, "0")), bytes.fromhex(padded.ljust(32, "f"))
        # Chunks of staged revisions are there, but not to be seen.
        seen = "JOIN document d ON d.current = x.revision" if side == "chunk" else ""
        rows = self._connection.execute(
            f"SELECT x.id FROM {side} x {seen} WHERE x.digest BETWEEN ? AND ? ORDER BY x.digest LIMIT ?",
            (low, high, limit),
        )
        return self._snapshot.rows(side, [row for (row,) in rows])

    def keyed(self, keys: Sequence[str]) -> dict[str, int]:
        pairs = list(select_in(self._connection, "SELECT key, id FROM entity WHERE key IN ({})", list(keys)))
        rows = self._snapshot.rows("entity", [row for _, row in pairs])
        return {key: row for (key, _), row in zip(pairs, rows.tolist(), strict=True)}

    def containing(self, entities: Rows, limit: int) -> Rows:
        s = self._snapshot
        distinct = np.unique(entities)
        if not len(distinct):
            return np.zeros(0, dtype=np.int64)
        # The rarest entity first, so that the sets only shrink from a small one.
        distinct = distinct[np.argsort(self.degrees("entity", distinct), kind="stable")]
        common = neighbours(s.entity_fact_starts, s.entity_facts, distinct[:1])[0]
        for entity in distinct[1:]:
            common = np.intersect1d(common, neighbours(s.entity_fact_starts, s.entity_facts, np.array([entity]))[0])
        return np.asarray(common[:limit], dtype=np.int64)

    # the hierarchy over it all

    def themes(self) -> Themes:
        return SqliteThemes(self._connection, self._load_themes(), lambda: self._snapshot)

    # steps of the above

    def _best_seen(self, side: Side, values: Vectors, k: int) -> Hits:
        """The best of the rows that may be seen: here all, fewer within a scope."""
        return best(values, k)

    def _of_seen(self, side: Side, similarities: Vectors, places: Rows) -> Vectors:
        """Similarities of the vectors at these places of a matrix (the last axis), as far as they may be seen."""
        return similarities

    def _is_seen_chunk(self, chunk: int) -> bool:
        """Whether a chunk (key of the table) may be seen."""
        return True

    def _similarities(self, side: Side, vector: Vectors) -> Vectors:
        """Cosine of every row with a vector; a row with several vectors counts by its best."""
        starts, matrix = self._vectors(side)
        if not len(matrix):
            return np.zeros(0, dtype=np.float32)
        if matrix.shape[1] != len(vector):
            raise other_vectors(len(vector), matrix.shape[1])
        similarities = np.asarray(matrix @ vector, dtype=np.float32)
        if starts is None:
            return similarities
        seen = self._of_seen(side, similarities, np.arange(len(matrix)))
        return np.asarray(np.maximum.reduceat(seen, starts[:-1]), dtype=np.float32)

    def _scores(self, side: Literal["entity", "fact"]) -> Vectors:
        return self._snapshot.entity_scores if side == "entity" else self._snapshot.fact_scores

    def _vectors(self, side: Side) -> tuple[Rows | None, Vectors]:
        """Vectors of one side, and where those of each row start (None: one each)."""
        s = self._snapshot
        if side == "fact":
            return None, s.fact_vectors
        return (s.form_starts, s.form_vectors) if side == "entity" else (s.window_starts, s.window_vectors)

    def _fetch(self, side: Side, rows: Rows, sql: str) -> list[tuple[Any, ...]]:
        ids = self._snapshot.ids(side)[rows].tolist()
        found = {row[0]: row[1:] for row in select_in(self._connection, sql, ids)}
        return [found[i] for i in ids]

    def _sum(self, what: str, rows: str) -> int:
        total: int = self._connection.execute(f"SELECT coalesce(sum({what}), 0) FROM {rows}").fetchone()[0]
        return total
