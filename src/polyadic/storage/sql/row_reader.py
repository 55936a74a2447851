"""Read rows from the tables of a store, independent of how the engine numbers them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from polyadic.model.aggregation import mean_score
from polyadic.model.types import Entity, Fact, SourceSpan, Span
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.records import NodeType, Rows, Statement, Vectors
from polyadic.storage.sql.encoding import text_digest
from polyadic.storage.sql.half_precision import kept, widened
from polyadic.storage.sql.meta import dimension_of
from polyadic.storage.sql.revisions import PUBLISHED
from polyadic.storage.sql.spans import places_of_chunks, places_of_facts

_EMBEDDED_FORMS = (
    "SELECT a.entity, a.value, a.occurrences, v.data FROM attribute_value a JOIN vector v ON v.id = a.vector"
    " WHERE a.vector IS NOT NULL AND a.entity {any_of}"
)
_ALL = 2**62
"""A limit that all engines read as none."""


class SqlRowReader(ABC):
    """The part of :class:`polyadic.storage.protocol.Reader` that fetches rows and looks them up.

    An engine implements the mapping between rows and table keys.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @abstractmethod
    def _keys(self, node_type: NodeType, rows: Rows) -> Rows:
        """Return the table keys of rows."""

    @abstractmethod
    def _rows(self, node_type: NodeType, keys: Sequence[int]) -> Rows:
        """Return the rows of table keys."""

    def _is_seen_chunk(self, chunk: int) -> bool:
        """Return whether a chunk (table key) is visible to this reader."""
        return True

    # fetch rows, in the given order

    def entities(self, rows: Rows) -> list[Entity]:
        records = self._fetch(
            "entity",
            rows,
            "SELECT id, digest, key, name, type, description, evidence, score, facts FROM entity WHERE id {any_of}",
        )
        return [
            Entity(digest.hex(), key, name, type_, description, mean_score(score, evidence), facts)
            for digest, key, name, type_, description, evidence, score, facts in records
        ]

    def facts(self, rows: Rows) -> list[Fact]:
        names: dict[int, list[str]] = {}
        ids = self._keys("fact", rows).tolist()
        for fact, name in select_in(
            self._connection,
            "SELECT p.fact, e.name FROM participation p JOIN entity e ON e.id = p.entity"
            " WHERE p.fact {any_of} ORDER BY e.key",
            ids,
        ):
            names.setdefault(fact, []).append(name)
        records = self._fetch(
            "fact", rows, "SELECT id, id, digest, text, tokens, evidence, score FROM fact WHERE id {any_of}"
        )
        return [
            Fact(digest.hex(), text, mean_score(score, evidence), tuple(names[fact]), evidence, tokens)
            for fact, digest, text, tokens, evidence, score in records
        ]

    def fact_places(self, facts: Rows) -> list[tuple[SourceSpan, ...]]:
        ids = self._keys("fact", facts).tolist()
        places = places_of_facts(self._connection, ids)
        return [places.get(i, ()) for i in ids]

    def chunk_places(self, chunks: Rows) -> list[SourceSpan]:
        ids = self._keys("chunk", chunks).tolist()
        places = places_of_chunks(self._connection, ids)
        return [places[i] for i in ids]

    def main_vectors(self, entities: Rows) -> Vectors:
        ids = self._keys("entity", entities).tolist()
        row_of = dict(zip(ids, entities.tolist(), strict=True))
        best: dict[int, tuple[int, str, bytes]] = {}
        for entity, form, occurrences, data in select_in(self._connection, _EMBEDDED_FORMS, ids):
            ranked = (-self._form_support(row_of[entity], form, occurrences), form, data)
            best[entity] = min(best.get(entity, ranked), ranked)
        return widened(kept([best[i][2] for i in ids], dimension_of(self._connection)))

    def _form_support(self, entity: int, form: str, occurrences: int) -> int:
        """Return the visible number of occurrences of a form of an entity (row), given that in the whole store."""
        return occurrences

    # look up rows

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        by_name: dict[str, list[int]] = {}
        names = {text_digest(name): name for name in loose_names}
        sql = "SELECT digest, entity FROM entity_alias WHERE digest {any_of}"
        pairs = list(select_in(self._connection, sql, list(names)))
        rows = self._rows("entity", [entity for _, entity in pairs])
        for (digest, _), row in zip(pairs, rows.tolist(), strict=True):
            by_name.setdefault(names[digest], []).append(row)
        return {name: sorted(rows) for name, rows in by_name.items()}

    def chunks_in(self, document_id: str) -> Rows:
        rows = self._connection.execute(
            "SELECT c.id FROM document d JOIN chunk c ON c.revision = d.current WHERE d.digest = ? ORDER BY c.id",
            (bytes.fromhex(document_id),),
        )
        return self._rows("chunk", [row for (row,) in rows])

    def _with_prefix(self, node_type: NodeType, prefix: str, limit: int | None) -> Rows:
        """Return the rows whose public identifiers begin with a prefix, in their order; at most ``limit``."""
        padded = prefix.lower()
        low, high = bytes.fromhex(padded.ljust(32, "0")), bytes.fromhex(padded.ljust(32, "f"))
        # The table also holds chunks of staged revisions, which readers must not see.
        rows_of_type = PUBLISHED if node_type == "chunk" else f"{node_type} c"
        rows = self._connection.execute(
            f"SELECT c.id FROM {rows_of_type} WHERE c.digest BETWEEN ? AND ? ORDER BY c.digest LIMIT ?",
            (low, high, _ALL if limit is None else limit),
        )
        return self._rows(node_type, [row for (row,) in rows])

    def statements(self, chunk_ids: Sequence[str]) -> list[Statement]:
        records = select_in(
            self._connection,
            f"SELECT c.id, c.digest, s.start, s.stop, s.fact FROM {PUBLISHED} JOIN statement s ON s.chunk = c.id"
            " WHERE c.digest {any_of} ORDER BY s.start, s.stop, s.fact",
            [bytes.fromhex(chunk_id) for chunk_id in chunk_ids],
        )
        visible = [record for record in records if self._is_seen_chunk(record[0])]
        facts = self._rows("fact", [fact for *_, fact in visible]).tolist()
        return [
            Statement(digest.hex(), Span(start, stop), fact)
            for (_, digest, start, stop, _), fact in zip(visible, facts, strict=True)
        ]

    # statistics

    def tokens(self, node_type: Literal["fact", "chunk"], rows: Rows) -> Rows:
        records = self._fetch(node_type, rows, f"SELECT id, tokens FROM {node_type} WHERE id {{any_of}}")
        return np.array([tokens for (tokens,) in records], dtype=np.int64)

    # steps of the above

    def _fetch(self, node_type: NodeType, rows: Rows, sql: str) -> list[tuple[Any, ...]]:
        ids = self._keys(node_type, rows).tolist()
        by_id = {record[0]: record[1:] for record in select_in(self._connection, sql, ids)}
        return [by_id[i] for i in ids]
