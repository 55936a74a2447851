"""Entities by their names and by their rows, with the passages that are about them, each read once in a transaction."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyadic.derivation import mean_score
from polyadic.knowledge import Entity
from polyadic.store.connection import Connection
from polyadic.store.incidence import Integers
from polyadic.store.tables.selecting import select_in

MOST_KEPT = 10_000
"""Entities that are kept, and those that were read last."""
MOST_ABOUT = 3
"""Passages about an entity that are read with it, the first ones in the order of documents."""
_TOLD = (
    "e.id, e.digest, e.key, e.name, e.type, e.description, e.evidence, e.score, e.facts, e.chunks,"
    f" ARRAY(SELECT c.id FROM chunk c WHERE c.about = e.id ORDER BY c.place LIMIT {MOST_ABOUT})"
)


@dataclass(frozen=True, slots=True)
class _Told:
    entity: Entity
    about: Sequence[int]


class Entities:
    """Reads them within the open transaction of a connection.

    ``learn`` is told their numbers as well: row, digest, facts, chunks, sum of scores, evidence of each.
    """

    def __init__(self, connection: Connection, learn: Callable[[Sequence[tuple[Any, ...]]], None]) -> None:
        self._connection = connection
        self._learn = learn
        self._known: dict[int, _Told] = {}

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        """By each loose name the entities that are called so, in ascending order; absent where none."""
        sql = f"SELECT loose, {_TOLD} FROM called JOIN entity e ON e.id = entity WHERE loose IN ({{}})"
        found: dict[str, list[int]] = {}
        rows = list(select_in(self._connection, sql, list(loose_names)))
        self._take(row[1:] for row in rows)
        for loose, row, *_ in rows:
            found.setdefault(loose, []).append(row)
        return {loose: sorted(rows) for loose, rows in found.items()}

    def of(self, rows: Integers) -> list[Entity]:
        return [told.entity for told in self._told(rows)]

    def chunks_about(self, rows: Integers, limit: int) -> tuple[Integers, Integers]:
        """At most ``limit``, no more than MOST_ABOUT, chunks about each, and to which place among these it belongs."""
        about = [told.about[:limit] for told in self._told(rows)]
        owners = np.arange(len(rows)).repeat([len(chunks) for chunks in about])
        return np.array([chunk for chunks in about for chunk in chunks], dtype=np.int64), owners

    def _told(self, rows: Integers) -> list[_Told]:
        if len(self._known) > MOST_KEPT:
            self._known.clear()
        keys = rows.tolist()
        lacking = [key for key in dict.fromkeys(keys) if key not in self._known]
        self._take(select_in(self._connection, f"SELECT {_TOLD} FROM entity e WHERE e.id IN ({{}})", lacking))
        return [self._known[key] for key in keys]

    def _take(self, told: Iterable[tuple[Any, ...]]) -> None:
        numbers = {}
        for row, digest, key, name, type_, description, evidence, score, facts, chunks, about in told:
            entity = Entity(digest.hex(), key, name, type_, description, mean_score(score, evidence), facts)
            self._known[row] = _Told(entity, about)
            numbers[row] = (row, digest, facts, chunks, score, evidence)
        self._learn([*numbers.values()])
