"""Entities by name and by row, with the passages about them, each read once per transaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyadic.model.aggregation import mean_score
from polyadic.model.types import Entity
from polyadic.storage.incidence import Integers
from polyadic.storage.postgres.query_batch import QueryBatch, SubQuery, listed, parse_rows
from polyadic.storage.postgres.row_cache import ROWS, ValueCache
from polyadic.storage.sql.encoding import text_digest

MOST_ABOUT = 3
"""Passages about an entity that are read with it: the first ones in document order."""
_COLUMNS = (
    "e.id, encode(e.digest, 'hex'), e.key, e.name, e.type, e.description, e.evidence, e.score, e.facts, e.chunks,"
    f" ARRAY(SELECT c.id FROM chunk c WHERE c.topic_entity = e.id ORDER BY c.sort_key LIMIT {MOST_ABOUT})"
)
_BY_ROW = listed(_COLUMNS, f"FROM entity e WHERE e.id = ANY({ROWS})")
_BY_NAME = listed(
    f"encode(a.digest, 'hex'), {_COLUMNS}",
    "FROM entity_alias a JOIN entity e ON e.id = a.entity WHERE a.digest = ANY(?)",
)


@dataclass(frozen=True, slots=True)
class _EntityRecord:
    entity: Entity
    about: Sequence[int]


class EntityCache:
    """Reads and caches entities.

    ``learn`` is called with their numbers: row, digest, facts, chunks, sum of scores, evidence of each.
    """

    def __init__(self, asking: QueryBatch, learn: Callable[[Sequence[tuple[Any, ...]]], None]) -> None:
        self._asking = asking
        self._learn = learn
        self._known = ValueCache[_EntityRecord](asking, self._parts)

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        """Return the entities of each loose name, in ascending order of rows; names without entities are absent."""
        rows: list[list[Any]] = []
        names = {text_digest(name): name for name in loose_names}
        if names:
            self._asking.read(SubQuery(_BY_NAME, (list(names),), lambda value: rows.extend(parse_rows(value))))
        self._take([row[1:] for row in rows])
        by_name: dict[str, list[int]] = {}
        for digest, row, *_ in rows:
            by_name.setdefault(names[bytes.fromhex(digest)], []).append(row)
        return {name: sorted(rows) for name, rows in by_name.items()}

    def of(self, rows: Integers) -> list[Entity]:
        return [one.entity for one in self._known.of(rows)]

    def chunks_about(self, rows: Integers, limit: int) -> tuple[Integers, Integers]:
        """Return at most ``limit`` (up to MOST_ABOUT) chunks about each entity, and the index in ``rows`` of each."""
        about = [one.about[:limit] for one in self._known.of(rows)]
        owners = np.arange(len(rows)).repeat([len(chunks) for chunks in about])
        return np.array([chunk for chunks in about for chunk in chunks], dtype=np.int64), owners

    def _parts(self, rows: Integers) -> list[SubQuery]:
        return [SubQuery(_BY_ROW, (rows,), lambda value: self._take(parse_rows(value)))]

    def _take(self, rows: Sequence[Sequence[Any]]) -> None:
        known, numbers = {}, {}
        for row, digest, key, name, type_, description, evidence, score, facts, chunks, about in rows:
            entity = Entity(digest, key, name, type_, description, mean_score(score, evidence), facts)
            known[row] = _EntityRecord(entity, about)
            numbers[row] = (row, bytes.fromhex(digest), facts, chunks, score, evidence)
        self._known.learn(known)
        self._learn([*numbers.values()])
