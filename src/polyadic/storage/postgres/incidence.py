"""Numbers and neighbours of rows, read from the tables in batches; rows are table keys."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from polyadic.model.aggregation import SCORE_UNIT
from polyadic.storage.arrays.protocol import Way
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import DIGEST, Digests, Floats, Integers, matches
from polyadic.storage.postgres.entities import MOST_ABOUT, EntityCache
from polyadic.storage.postgres.query_batch import CommonTableExpression, QueryBatch, Records, SubQuery
from polyadic.storage.postgres.row_cache import ROWS, RowCache
from polyadic.storage.postgres.stats import WorkspaceStats
from polyadic.storage.protocol import NodeType

_NUMBERS: Mapping[NodeType, Mapping[str, str]] = {
    "entity": {"facts": "facts", "chunks": "chunks", "score": "score", "evidence": "evidence"},
    "fact": {"tokens": "tokens", "score": "score", "evidence": "evidence"},
    "chunk": {"tokens": "tokens", "topic_entity": "coalesce(topic_entity, -1)"},
}
"""Numeric columns of each node type: their names here, and their SQL expressions."""
_LINKS: Mapping[Way, tuple[str, str, str]] = {
    "fact_entities": ("fact", "entity", "participation"),
    "entity_facts": ("entity", "fact", "participation"),
    "fact_chunks": ("fact", "chunk", "statement"),
    "chunk_facts": ("chunk", "fact", "statement"),
}
"""Columns of the row and of its neighbour, and the table of such pairs."""
_COUNTS: Mapping[NodeType, str] = {
    "fact": f"SELECT fact, count(*) FROM participation WHERE fact = ANY({ROWS}) GROUP BY fact",
    "chunk": f"SELECT chunk, count(DISTINCT fact) FROM statement WHERE chunk = ANY({ROWS}) GROUP BY chunk",
}
_ABOUT = (
    "SELECT o.key, c.id FROM unnest(?::bigint[]) o (key), LATERAL"
    " (SELECT id, sort_key FROM chunk WHERE topic_entity = o.key ORDER BY sort_key LIMIT ?) c ORDER BY"
    " o.key, c.sort_key"
)


class PostgresIncidence:
    """Implements :class:`polyadic.storage.arrays.protocol.Arrays` within the open transaction of a connection.

    Rows that were read are cached. For frequent reads there are subqueries that can be batched with others.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.asking = QueryBatch(connection)
        self._numbers = {node_type: _numbers(node_type) for node_type in _NUMBERS}
        self.entities = EntityCache(self.asking, self._numbers["entity"].learn)
        self._counts = {node_type: _pairs(sql) for node_type, sql in _COUNTS.items()}
        self._links: dict[tuple[Way, int | None], RowCache] = {}
        self._stats: list[WorkspaceStats] = []
        # Nearly all readers need the statistics.
        self.asking.later(WorkspaceStats.part(self._stats.append))

    @property
    def there(self) -> WorkspaceStats:
        if not self._stats:
            self.asking.read(WorkspaceStats.part(self._stats.append))
        return self._stats[0]

    @property
    def participations(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM participation").fetchone()[0])

    def size(self, node_type: NodeType) -> int:
        return self.there.rows.get(node_type, 0)

    def ids(self, _node_type: NodeType, rows: Integers) -> Integers:
        return rows

    def rows(self, _node_type: NodeType, ids: Sequence[int] | Integers) -> Integers:
        return np.asarray(ids, dtype=np.int64)

    def linked_part(self, way: Way, rows: Integers) -> SubQuery | None:
        return self._linked(way, None).part(rows)

    def linked(self, way: Way, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        also = [self._counts["chunk"].part(rows)] if way == "chunk_facts" else []
        return self._targets(self._linked(way, limit), rows, also)

    def around_parts(self, facts: Integers, limit: int, chunks: Integers) -> list[SubQuery | None]:
        """Make the subqueries that read the neighbourhood of facts.

        These are the entities and at most ``limit`` chunks of each fact, the topic entities of these and further
        ``chunks``, and the numbers of all of them.
        """
        about = f"SELECT topic_entity FROM chunk WHERE id = ANY({ROWS} || ARRAY({_targets_sql('fact_chunks', limit)}))"
        parts = [
            self._numbers["fact"].part(facts),
            self._numbers["chunk"].part(chunks),
            *self._with_targets("fact_entities", None, facts, self._numbers["entity"]),
            *self._with_targets("fact_chunks", limit, facts, self._numbers["chunk"]),
        ]
        return [*parts, self._numbers["entity"].part_of(about, (chunks, facts))] if any(parts) else []

    def within_parts(self, chunks: Integers, limit: int) -> list[SubQuery | None]:
        """Make the subqueries that read at most ``limit`` facts of each chunk, and their entities."""
        entities = self._linked("fact_entities", None)
        return [self._counts["chunk"].part(chunks), *self._with_targets("chunk_facts", limit, chunks, entities)]

    def degrees(self, node_type: NodeType, rows: Integers) -> Integers:
        return (
            self._column("entity", "facts", rows) if node_type == "entity" else self._neighbour_counts(node_type, rows)
        )

    def chunk_frequency(self, entities: Integers) -> Integers:
        return self._column("entity", "chunks", entities)

    def scores(self, node_type: Literal["entity", "fact"], rows: Integers) -> Floats:
        # Computed exactly as in the arrays of the SQLite store.
        sums, evidence = (self._column(node_type, name, rows) for name in ("score", "evidence"))
        return np.asarray(sums / (np.maximum(evidence, 1) * SCORE_UNIT), dtype=np.float32)

    def tokens(self, node_type: Literal["fact", "chunk"], rows: Integers) -> Integers:
        return self._column(node_type, "tokens", rows)

    def digests(self, node_type: NodeType, rows: Integers) -> Digests:
        """Return the digest of each row, by which rows are sorted; all rows must exist."""
        return np.asarray(self._records(node_type, rows)["digest"])

    def numbers_part_of(self, node_type: NodeType, rows: str, ground: CommonTableExpression) -> SubQuery:
        """Make the subquery that reads the numbers of the rows that a query finds."""
        return self._numbers[node_type].part_of(rows, ground=ground)

    def about(self, chunks: Integers) -> Integers:
        return self._column("chunk", "topic_entity", chunks)

    def chunks_about(self, entities: Integers, limit: int | None) -> tuple[Integers, Integers]:
        if limit is not None and limit <= MOST_ABOUT:
            return self.entities.chunks_about(entities, limit)
        rows = self._connection.execute(_ABOUT, (np.unique(entities), limit)).fetchall()
        pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
        places, owners = matches(pairs[:, 0], entities)
        return pairs[places, 1], owners

    # steps of the above

    def _linked(self, way: Way, limit: int | None) -> RowCache:
        if (way, limit) not in self._links:
            self._links[way, limit] = _pairs(_links(way, limit), then="target")
        return self._links[way, limit]

    def _with_targets(self, way: Way, limit: int | None, rows: Integers, known: RowCache) -> list[SubQuery | None]:
        """Make the subqueries that read the targets of rows, and the records of the targets in ``known``."""
        links = self._linked(way, limit)
        parts = [known.part(links.of(rows)[0]["target"])]
        if (part := links.part(rows)) is not None:
            parts += [part, known.part_of(_targets_sql(way, limit), part.parameters)]
        return parts

    def _targets(
        self, known: RowCache, rows: Integers, also: Sequence[SubQuery | None] = ()
    ) -> tuple[Integers, Integers]:
        self.asking.read(known.part(rows), *also)
        records, owners = known.of(rows)
        return np.ascontiguousarray(records["target"]), owners

    def _neighbour_counts(self, node_type: NodeType, rows: Integers) -> Integers:
        """Return the number of neighbours of each row; 0 for rows without any."""
        counts, owners = self._targets(self._counts[node_type], rows)
        degrees = np.zeros(len(rows), dtype=np.int64)
        degrees[owners] = counts
        return degrees

    def _column(self, node_type: NodeType, name: str, rows: Integers) -> Integers:
        return np.ascontiguousarray(self._records(node_type, rows)[name])

    def _records(self, node_type: NodeType, rows: Integers) -> Records:
        """Return the record of each row; zeros for rows that do not exist."""
        self.asking.read(self._numbers[node_type].part(rows))
        records, owners = self._numbers[node_type].of(rows)
        by_row = np.zeros(len(rows), dtype=records.dtype)
        by_row[owners] = records
        return by_row


def _numbers(node_type: NodeType) -> RowCache:
    columns = _NUMBERS[node_type]
    sent = " || ".join(f"int8send({column})" for column in columns.values())
    sql = f"SELECT string_agg(int8send(id) || digest || {sent}, '') FROM {node_type} WHERE id = ANY({ROWS})"
    return RowCache([("digest", DIGEST), *((name, ">i8") for name in columns)], sql)


def _pairs(sql: str, then: str | None = None) -> RowCache:
    """Make a cache of pairs of integers, ``source`` and ``target``, that a query finds."""
    sent = f"SELECT string_agg(int8send(source) || int8send(target), '') FROM ({sql}) t (source, target)"
    return RowCache([("target", ">i8")], sent, then)


def _links(way: Way, limit: int | None) -> str:
    source, target, table = _LINKS[way]
    if limit is None:
        return f"SELECT DISTINCT {source}, {target} FROM {table} WHERE {source} = ANY({ROWS})"
    return (
        f"SELECT o.key, t.{target} FROM unnest({ROWS}) o (key), LATERAL (SELECT DISTINCT {target}"
        f" FROM {table} WHERE {source} = o.key ORDER BY {target} LIMIT {limit}) t"
    )


def _targets_sql(way: Way, limit: int | None) -> str:
    return f"SELECT target FROM ({_links(way, limit)}) t (source, target)"
