"""Rows with their numbers, neighbours and records, read from the tables in batches; rows are table keys."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from polyadic.model.aggregation import SCORE_UNIT, mean_score
from polyadic.model.types import Entity, Fact, SourceSpan
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import DIGEST, Digests, Integers, limited
from polyadic.storage.postgres import texts
from polyadic.storage.postgres.query_batch import QueryBatch, Records, listed, parse_rows
from polyadic.storage.postgres.row_cache import ROWS, ObjectCache, RowCache
from polyadic.storage.protocol import Links, NodeType, Rows, Vectors
from polyadic.storage.records import WAYS, DegreeWay, IncidenceWay, LinkWay
from polyadic.storage.sql.encoding import text_digest
from polyadic.storage.sql.row_reader import SqlRowReader

_NUMBERS: Mapping[NodeType, Sequence[str]] = {
    "entity": ("facts", "chunks", "score", "evidence"),
    "fact": ("tokens", "score", "evidence"),
    "chunk": ("tokens", "topic_entity"),
}
"""Numeric columns of each node type; -1 stands for NULL."""
_TABLES: Mapping[IncidenceWay, str] = {
    "fact_entities": "participation",
    "entity_facts": "participation",
    "fact_chunks": "statement",
    "chunk_facts": "statement",
}
"""Table of the pairs of each incidence."""
_COUNTS: Mapping[DegreeWay, str] = {
    "fact_entities": f"SELECT fact, count(*) FROM participation WHERE fact = ANY({ROWS}) GROUP BY fact",
    "chunk_facts": f"SELECT chunk, count(DISTINCT fact) FROM statement WHERE chunk = ANY({ROWS}) GROUP BY chunk",
}
_ENTITIES = listed(
    "e.id, encode(e.digest, 'hex'), e.key, e.name, e.type, e.description, e.evidence, e.score, e.facts",
    f"FROM entity e WHERE e.id = ANY({ROWS})",
)
_ALIASES = listed("encode(digest, 'hex'), entity", "FROM entity_alias WHERE digest = ANY(?)")
_NAMED = "SELECT DISTINCT entity FROM entity_alias WHERE digest = ANY(?)"
_MOST_ABOUT = 3
"""Passages about an entity that are read with it: the first ones in document order. Methods need both, in either
order."""
# Of each node type: its rows, those whose vectors are in its index, and the vectors in the index over all workspaces.
_STATS = (
    "SELECT json_build_array(coalesce(v.width, 0), current_setting('hnsw.iterative_scan', true), (SELECT"
    " json_object_agg(h.node_type, json_build_array(h.rows, CASE WHEN h.indexed THEN h.rows ELSE 0 END, coalesce("
    "(SELECT greatest(c.reltuples, 0) FROM pg_class c"
    " WHERE c.oid = to_regclass('search_vector_' || v.width || '_' || h.node_type)), 0))) FROM row_count h))::text"
    " FROM (VALUES (1)) one LEFT JOIN (SELECT vector_dims(data) AS width FROM vector ORDER BY id LIMIT 1) v ON true"
)


@dataclass(frozen=True, slots=True)
class NodeStats:
    """Number of rows of a node type, and the state of its vector index.

    Attributes
    ----------
    rows
        Number of rows.
    indexed
        Number of rows whose vectors are in the node type's index: all or none.
    of_all
        Estimated number of vectors in the index over all workspaces, from PostgreSQL's statistics.
    """

    rows: int = 0
    indexed: int = 0
    of_all: float = 0.0


@dataclass(frozen=True, slots=True)
class WorkspaceStats:
    """Size of a workspace.

    Attributes
    ----------
    dimension
        Dimension of the vectors; 0 if there are none.
    scans_on
        Whether iterative index scans are available (pgvector 0.8 or later).
    """

    dimension: int
    scans_on: bool
    nodes: Mapping[NodeType, NodeStats]

    def of(self, node_type: NodeType) -> NodeStats:
        return self.nodes.get(node_type, NodeStats())


class PostgresRowReader(SqlRowReader):
    """The part of :class:`polyadic.storage.protocol.Reader` without vectors, words and the hierarchy.

    What was read is cached, and what a ``prefetch`` method announces is read with the next statement.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._batch = batch = QueryBatch(connection)
        self._numbers = {node_type: _numbers(batch, node_type) for node_type in _NUMBERS}
        self._counts = {way: _pairs(batch, sql) for way, sql in _COUNTS.items()}
        self._links: dict[tuple[IncidenceWay, int | None], RowCache] = {}
        self._about: dict[int | None, RowCache] = {}
        self._entities = ObjectCache[Entity](batch, _ENTITIES, _entities)
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
        dimension, scan, nodes = json.loads(self._stats_json[0])
        return WorkspaceStats(dimension, bool(scan), {key: NodeStats(*one) for key, one in (nodes or {}).items()})

    @property
    def participations(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM participation").fetchone()[0])

    def size(self, node_type: NodeType) -> int:
        return self.stats.of(node_type).rows

    def rows(self, node_type: NodeType, prefix: str = "", limit: int | None = None) -> Rows:
        return self._with_prefix(node_type, prefix, limit)

    def degrees(self, way: DegreeWay, rows: Rows) -> Rows:
        if way in self._counts:
            return np.ascontiguousarray(self._scattered(self._counts[way], rows)["target"])
        return self._column("entity", way.removeprefix("entity_"), rows)

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
        if way == "topic_chunks":
            if limit is not None and limit <= _MOST_ABOUT:
                self._entities.prefetch(rows)
            targets, owners = self._linked_by(self._chunks_about(limit), rows)
            is_kept = (targets >= 0) & (True if limit is None else limited(owners, limit))
            return Links(rows[owners[is_kept]], targets[is_kept])
        targets, owners = self._linked(way, rows, limit)
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
        self._chunks_about(_MOST_ABOUT).prefetch(rows)
        return self._entities.objects(rows)

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        names = {text_digest(name): name for name in loose_names}
        by_name: dict[str, list[int]] = {}
        if names:
            for cache in (self._entities, self._numbers["entity"], self._chunks_about(_MOST_ABOUT)):
                cache.prefetch_found(_NAMED, (list(names),))
            for digest, row in parse_rows(self._batch.read(_ALIASES, (list(names),))):
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
        self._counts["chunk_facts"].prefetch(chunks)
        self._prefetch_targets("chunk_facts", limit, chunks, self._links_of("fact_entities", None))

    def _prefetch_texts(self, facts: Rows, chunks: Rows) -> None:
        """Read facts, and the source spans of facts and chunks, with the next statement."""
        self._facts.prefetch(facts)
        self._fact_spans.prefetch(facts)
        self._chunk_spans.prefetch(chunks)

    # steps of the above

    def _links_of(self, way: IncidenceWay, limit: int | None) -> RowCache:
        if (way, limit) not in self._links:
            self._links[way, limit] = _pairs(self._batch, _pairs_sql(way, limit), then="target")
        return self._links[way, limit]

    def _linked(self, way: IncidenceWay, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        """Return the neighbours of each row in ascending order, and for each neighbour the index of its row."""
        if way == "chunk_facts":
            self._counts["chunk_facts"].prefetch(rows)
        return self._linked_by(self._links_of(way, limit), rows)

    def _linked_by(self, pairs: RowCache, rows: Integers) -> tuple[Integers, Integers]:
        records, owners = pairs.of(rows)
        return np.ascontiguousarray(records["target"]), owners

    def _chunks_about(self, limit: int | None) -> RowCache:
        """Return a cache of the first chunks about each entity, ``limit`` or more; -1 if there are none."""
        limit = limit and max(limit, _MOST_ABOUT)
        if limit not in self._about:
            # The join by LATERAL is a nested loop, which keeps the order.
            chunks = f"SELECT id FROM chunk WHERE topic_entity = o.key ORDER BY sort_key LIMIT {limit or 'ALL'}"
            sql = f"SELECT o.key, coalesce(c.id, -1) FROM unnest({ROWS}) o (key) LEFT JOIN LATERAL ({chunks}) c ON true"
            self._about[limit] = _pairs(self._batch, sql)
        return self._about[limit]

    def _prefetch_targets(self, way: IncidenceWay, limit: int | None, rows: Integers, known: RowCache) -> bool:
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

    def _keys(self, node_type: NodeType, rows: Rows) -> Rows:
        return rows

    def _rows(self, node_type: NodeType, keys: Sequence[int]) -> Rows:
        return np.asarray(keys, dtype=np.int64)


def _entities(rows: Sequence[Sequence[Any]]) -> dict[int, Entity]:
    """Make entities, by row, from the result of _ENTITIES."""
    return {
        row: Entity(digest, key, name, type_, description, mean_score(score, evidence), facts)
        for row, digest, key, name, type_, description, evidence, score, facts in rows
    }


def _numbers(batch: QueryBatch, node_type: NodeType) -> RowCache:
    columns = _NUMBERS[node_type]
    sent = " || ".join(f"int8send(coalesce({column}, -1))" for column in columns)
    sql = f"SELECT string_agg(int8send(id) || digest || {sent}, '') FROM {node_type} WHERE id = ANY({ROWS})"
    return RowCache(batch, [("digest", DIGEST), *((name, ">i8") for name in columns)], sql)


def _pairs(batch: QueryBatch, sql: str, then: str | None = None) -> RowCache:
    """Make a cache of pairs of integers, ``source`` and ``target``, that a query finds."""
    sent = f"SELECT string_agg(int8send(source) || int8send(target), '') FROM ({sql}) t (source, target)"
    return RowCache(batch, [("target", ">i8")], sent, then)


def _pairs_sql(way: IncidenceWay, limit: int | None) -> str:
    (source, target), table = WAYS[way], _TABLES[way]
    if limit is None:
        return f"SELECT DISTINCT {source}, {target} FROM {table} WHERE {source} = ANY({ROWS})"
    return (
        f"SELECT o.key, t.{target} FROM unnest({ROWS}) o (key), LATERAL (SELECT DISTINCT {target}"
        f" FROM {table} WHERE {source} = o.key ORDER BY {target} LIMIT {limit}) t"
    )


def _targets(way: IncidenceWay, limit: int | None) -> str:
    return f"SELECT target FROM ({_pairs_sql(way, limit)}) t (source, target)"
