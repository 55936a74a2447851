"""Rows with their numbers, neighbours and records, read from the tables in batches; rows are table keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from polyadic.model.aggregation import SCORE_UNIT, mean_score
from polyadic.model.types import Entity, Fact, SourceSpan
from polyadic.storage.arrays.protocol import WAYS, Way
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import DIGEST, Digests, Integers, matches
from polyadic.storage.postgres import texts
from polyadic.storage.postgres.query_batch import CommonTableExpression, QueryBatch, Records, listed, parse_rows
from polyadic.storage.postgres.row_cache import ROWS, ObjectCache, RowCache
from polyadic.storage.protocol import Links, NodeType, Rows, Vectors
from polyadic.storage.records import DegreeWay, LinkWay
from polyadic.storage.sql.digests import text_digest
from polyadic.storage.sql.row_reader import SqlRowReader

_NUMBERS: Mapping[NodeType, Mapping[str, str]] = {
    "entity": {"facts": "facts", "chunks": "chunks", "score": "score", "evidence": "evidence"},
    "fact": {"tokens": "tokens", "score": "score", "evidence": "evidence"},
    "chunk": {"tokens": "tokens", "topic_entity": "coalesce(topic_entity, -1)"},
}
"""Numeric columns of each node type: their names here, and their SQL expressions."""
_TABLES: Mapping[Way, str] = {
    "fact_entities": "participation",
    "entity_facts": "participation",
    "fact_chunks": "statement",
    "chunk_facts": "statement",
}
"""Table of the pairs of each incidence."""
_COUNTS: Mapping[NodeType, str] = {
    "fact": f"SELECT fact, count(*) FROM participation WHERE fact = ANY({ROWS}) GROUP BY fact",
    "chunk": f"SELECT chunk, count(DISTINCT fact) FROM statement WHERE chunk = ANY({ROWS}) GROUP BY chunk",
}
_MOST_ABOUT = 3
"""Passages about an entity that are read with it: the first ones in document order."""
_ABOUT = (
    "SELECT o.key, c.id FROM unnest(?::bigint[]) o (key), LATERAL"
    " (SELECT id, sort_key FROM chunk WHERE topic_entity = o.key ORDER BY sort_key LIMIT ?) c ORDER BY"
    " o.key, c.sort_key"
)
_ENTITY = (
    "e.id, encode(e.digest, 'hex'), e.key, e.name, e.type, e.description, e.evidence, e.score, e.facts, e.chunks,"
    f" ARRAY(SELECT c.id FROM chunk c WHERE c.topic_entity = e.id ORDER BY c.sort_key LIMIT {_MOST_ABOUT})"
)
_ENTITIES = listed(_ENTITY, f"FROM entity e WHERE e.id = ANY({ROWS})")
_NAMED = listed(
    f"encode(a.digest, 'hex'), {_ENTITY}",
    "FROM entity_alias a JOIN entity e ON e.id = a.entity WHERE a.digest = ANY(?)",
)
_STATS = listed(
    "h.node_type, h.rows, h.indexed, v.width, (SELECT greatest(c.reltuples, 0) FROM pg_class c"
    " WHERE c.oid = to_regclass('search_vector_' || v.width || '_' || h.node_type)),"
    " current_setting('hnsw.iterative_scan', true)",
    "FROM row_count h LEFT JOIN (SELECT vector_dims(data)::bigint AS width FROM vector ORDER BY id LIMIT 1) v ON true",
)


@dataclass(frozen=True, slots=True)
class WorkspaceStats:
    """Row counts of each node type, and the state of its vector index.

    Attributes
    ----------
    rows
        Number of rows.
    indexed
        Number of rows whose vectors are in the node type's index; a node type is indexed completely or not at all.
    of_all
        Estimated number of vectors in a node type's index over all workspaces, from PostgreSQL's statistics.
    dimension
        Dimension of the vectors; 0 if there are none.
    scans_on
        Whether iterative index scans are available (pgvector 0.8 or later).
    """

    rows: Mapping[NodeType, int]
    indexed: Mapping[NodeType, int]
    of_all: Mapping[NodeType, float]
    dimension: int
    scans_on: bool

    @classmethod
    def of(cls, records: Sequence[Sequence[Any]]) -> "WorkspaceStats":
        """Make statistics from the result of _STATS."""
        return cls(
            {node_type: rows for node_type, rows, *_ in records},
            {node_type: rows for node_type, rows, indexed, *_ in records if indexed},
            {node_type: float(count or 0) for node_type, _, _, _, count, _ in records},
            max((width or 0 for _, _, _, width, _, _ in records), default=0),
            any(scanning for *_, scanning in records),
        )


@dataclass(frozen=True, slots=True)
class _EntityRecord:
    entity: Entity
    about: Sequence[int]


class PostgresRowReader(SqlRowReader):
    """The part of :class:`polyadic.storage.protocol.Reader` without vectors, words and the hierarchy.

    What was read is cached, and what a ``prefetch`` method announces is read with the next statement.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._batch = batch = QueryBatch(connection)
        self._numbers = {node_type: _numbers(batch, node_type) for node_type in _NUMBERS}
        self._counts = {node_type: _pairs(batch, sql) for node_type, sql in _COUNTS.items()}
        self._links: dict[tuple[Way, int | None], RowCache] = {}
        self._entities = ObjectCache[_EntityRecord](batch, _ENTITIES, self._entity_records)
        self._facts = ObjectCache[Fact](batch, texts.FACTS, texts.facts)
        self._fact_spans = ObjectCache[tuple[SourceSpan, ...]](batch, texts.FACT_SPANS, texts.spans)
        self._chunk_spans = ObjectCache[tuple[SourceSpan, ...]](batch, texts.CHUNK_SPANS, texts.spans)
        # Nearly all readers need the statistics.
        self._stats_json: list[str] = []
        batch.later(_STATS, (), self._stats_json.append)

    # statistics of rows

    @cached_property
    def stats(self) -> WorkspaceStats:
        if not self._stats_json:
            self._batch.run()
        return WorkspaceStats.of(parse_rows(self._stats_json[0]))

    @property
    def participations(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM participation").fetchone()[0])

    def size(self, node_type: NodeType) -> int:
        return self.stats.rows.get(node_type, 0)

    def rows(self, node_type: NodeType, prefix: str = "", limit: int | None = None) -> Rows:
        return self._with_prefix(node_type, prefix, limit)

    def degrees(self, way: DegreeWay, rows: Rows) -> Rows:
        if way in ("entity_facts", "entity_chunks"):
            return self._column("entity", way.removeprefix("entity_"), rows)
        return np.ascontiguousarray(self._scattered(self._counts[WAYS[way][0]], rows)["target"])

    def scores(self, node_type: Literal["entity", "fact"], rows: Rows) -> Vectors:
        # Computed exactly as in the arrays of the SQLite store.
        sums, evidence = (self._column(node_type, name, rows) for name in ("score", "evidence"))
        return np.asarray(sums / (np.maximum(evidence, 1) * SCORE_UNIT), dtype=np.float32)

    def tokens(self, node_type: Literal["fact", "chunk"], rows: Rows) -> Rows:
        return self._column(node_type, "tokens", rows)

    # neighbours

    def links(self, way: LinkWay, rows: Rows, limit: int | None = None) -> Links:
        if way == "chunk_topic":
            topics = self._column("chunk", "topic_entity", rows)
            return Links(rows[topics >= 0], topics[topics >= 0])
        targets, owners = self._chunks_about(rows, limit) if way == "topic_chunks" else self._linked(way, rows, limit)
        return Links(rows[owners], targets)

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

    # records, and rows by name

    def entities(self, rows: Rows) -> list[Entity]:
        return [one.entity for one in self._entities.objects(rows)]

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        names = {text_digest(name): name for name in loose_names}
        rows = parse_rows(self._batch.read(_NAMED, (list(names),))) if names else []
        self._entities.learn_objects(self._entity_records([row[1:] for row in rows]))
        by_name: dict[str, list[int]] = {}
        for digest, row, *_ in rows:
            by_name.setdefault(names[bytes.fromhex(digest)], []).append(row)
        return {name: sorted(rows) for name, rows in by_name.items()}

    def facts(self, rows: Rows) -> list[Fact]:
        return self._facts.objects(rows)

    def fact_places(self, facts: Rows) -> list[tuple[SourceSpan, ...]]:
        return self._fact_spans.objects(facts)

    def chunk_places(self, chunks: Rows) -> list[SourceSpan]:
        return [place for (place,) in self._chunk_spans.objects(chunks)]

    # prefetch

    def _prefetch_around(self, facts: Rows, limit: int, chunks: Rows) -> None:
        """Read the neighbourhood of facts with the next statement.

        It consists of the entities and at most ``limit`` chunks of each fact, the topic entities of these and further
        ``chunks``, and the numbers of all of them.
        """
        entities, of_chunks = self._numbers["entity"], self._numbers["chunk"]
        is_missing = [
            len(self._numbers["fact"].prefetch(facts)) > 0,
            len(of_chunks.prefetch(chunks)) > 0,
            self._prefetch_targets("fact_entities", None, facts, entities),
            self._prefetch_targets("fact_chunks", limit, facts, of_chunks),
        ]
        if any(is_missing):
            targets = _targets("fact_chunks", limit)
            about = f"SELECT topic_entity FROM chunk WHERE id = ANY({ROWS} || ARRAY({targets}))"
            entities.prefetch_found(about, (chunks, facts))

    def _prefetch_within(self, chunks: Rows, limit: int) -> None:
        """Read at most ``limit`` facts of each chunk, and their entities, with the next statement."""
        self._counts["chunk"].prefetch(chunks)
        self._prefetch_targets("chunk_facts", limit, chunks, self._links_of("fact_entities", None))

    def _prefetch_texts(self, facts: Rows, chunks: Rows) -> None:
        """Read facts, and the source spans of facts and chunks, with the next statement."""
        self._facts.prefetch(facts)
        self._fact_spans.prefetch(facts)
        self._chunk_spans.prefetch(chunks)

    # steps of the above

    def _links_of(self, way: Way, limit: int | None) -> RowCache:
        if (way, limit) not in self._links:
            self._links[way, limit] = _pairs(self._batch, _pairs_sql(way, limit), then="target")
        return self._links[way, limit]

    def _linked(self, way: Way, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        """Return the neighbours of each row in ascending order, and for each neighbour the index of its row."""
        if way == "chunk_facts":
            self._counts["chunk"].prefetch(rows)
        pairs, owners = self._links_of(way, limit).of(rows)
        return np.ascontiguousarray(pairs["target"]), owners

    def _chunks_about(self, entities: Integers, limit: int | None) -> tuple[Integers, Integers]:
        if limit is not None and limit <= _MOST_ABOUT:
            about = [one.about[:limit] for one in self._entities.objects(entities)]
            owners = np.arange(len(entities)).repeat([len(chunks) for chunks in about])
            return np.array([chunk for chunks in about for chunk in chunks], dtype=np.int64), owners
        rows = self._connection.execute(_ABOUT, (np.unique(entities), limit)).fetchall()
        pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
        places, owners = matches(pairs[:, 0], entities)
        return pairs[places, 1], owners

    def _prefetch_targets(self, way: Way, limit: int | None, rows: Integers, known: RowCache) -> bool:
        """Read the targets of rows, and the records of the targets in ``known``; return whether any were missing."""
        links = self._links_of(way, limit)
        known_targets = known.prefetch(links.cached(rows)[0]["target"])
        missing = links.prefetch(rows)
        if len(missing):
            known.prefetch_found(_targets(way, limit), (missing,))
        return len(missing) + len(known_targets) > 0

    def _column(self, node_type: NodeType, name: str, rows: Integers) -> Integers:
        return np.ascontiguousarray(self._scattered(self._numbers[node_type], rows)[name])

    def _digests(self, node_type: NodeType, rows: Integers) -> Digests:
        """Return the digest of each row, by which rows are sorted; all rows must exist."""
        return np.asarray(self._scattered(self._numbers[node_type], rows)["digest"])

    def _scattered(self, cache: RowCache, rows: Integers) -> Records:
        """Return one record for each row; zeros for rows that have none."""
        records, owners = cache.of(rows)
        by_row = np.zeros(len(rows), dtype=records.dtype)
        by_row[owners] = records
        return by_row

    def _prefetch_numbers(self, node_type: NodeType, rows: str, source: CommonTableExpression) -> None:
        """Read the numbers of the rows that a query finds with the next statement."""
        self._numbers[node_type].prefetch_found(rows, source=source)

    def _entity_records(self, rows: Sequence[Sequence[Any]]) -> dict[int, _EntityRecord]:
        """Make the records of entities, by row, and cache their numbers."""
        records, numbers = {}, {}
        for row, digest, key, name, type_, description, evidence, score, facts, chunks, about in rows:
            entity = Entity(digest, key, name, type_, description, mean_score(score, evidence), facts)
            records[row] = _EntityRecord(entity, about)
            numbers[row] = (row, bytes.fromhex(digest), facts, chunks, score, evidence)
        self._numbers["entity"].learn(self._numbers["entity"].new(numbers.values()))
        return records

    def _keys(self, node_type: NodeType, rows: Rows) -> Rows:
        return rows

    def _rows(self, node_type: NodeType, keys: Sequence[int]) -> Rows:
        return np.asarray(keys, dtype=np.int64)


def _numbers(batch: QueryBatch, node_type: NodeType) -> RowCache:
    columns = _NUMBERS[node_type]
    sent = " || ".join(f"int8send({column})" for column in columns.values())
    sql = f"SELECT string_agg(int8send(id) || digest || {sent}, '') FROM {node_type} WHERE id = ANY({ROWS})"
    return RowCache(batch, [("digest", DIGEST), *((name, ">i8") for name in columns)], sql)


def _pairs(batch: QueryBatch, sql: str, then: str | None = None) -> RowCache:
    """Make a cache of pairs of integers, ``source`` and ``target``, that a query finds."""
    sent = f"SELECT string_agg(int8send(source) || int8send(target), '') FROM ({sql}) t (source, target)"
    return RowCache(batch, [("target", ">i8")], sent, then)


def _pairs_sql(way: Way, limit: int | None) -> str:
    (source, target), table = WAYS[way], _TABLES[way]
    if limit is None:
        return f"SELECT DISTINCT {source}, {target} FROM {table} WHERE {source} = ANY({ROWS})"
    return (
        f"SELECT o.key, t.{target} FROM unnest({ROWS}) o (key), LATERAL (SELECT DISTINCT {target}"
        f" FROM {table} WHERE {source} = o.key ORDER BY {target} LIMIT {limit}) t"
    )


def _targets(way: Way, limit: int | None) -> str:
    return f"SELECT target FROM ({_pairs_sql(way, limit)}) t (source, target)"
