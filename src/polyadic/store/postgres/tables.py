"""The numbers and neighbours of rows, asked of the tables: rows are the tables' keys."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from polyadic.derivation import SCORE_UNIT
from polyadic.store.arrays.protocol import Way
from polyadic.store.connection import Connection
from polyadic.store.incidence import Floats, Integers, stretches
from polyadic.store.postgres.numbers import Numbers
from polyadic.store.protocol import Side

_LINKS: Mapping[Way, tuple[str, str]] = {
    "fact_entity": ("fact", "participation"),
    "entity_fact": ("entity", "participation"),
    "fact_chunk": ("fact", "statement"),
    "chunk_fact": ("chunk", "statement"),
}
_DEGREES: Mapping[Side, str] = {
    "fact": "SELECT fact, count(*) FROM participation WHERE fact = ANY(?) GROUP BY fact",
    "chunk": "SELECT chunk, count(DISTINCT fact) FROM statement WHERE chunk = ANY(?) GROUP BY chunk",
}


class Tables:
    """Implements :class:`polyadic.store.arrays.protocol.Arrays` within the open transaction of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._numbers = Numbers(connection)

    @property
    def participations(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM participation").fetchone()[0])

    def size(self, side: Side) -> int:
        return self._held.get(side, (0, False))[0]

    def indexed(self, side: Side) -> int:
        """How many rows have their vectors in the index: all of a side, or none."""
        rows, are_indexed = self._held.get(side, (0, False))
        return rows if are_indexed else 0

    @cached_property
    def _held(self) -> Mapping[str, tuple[int, bool]]:
        rows = self._connection.execute("SELECT side, rows, indexed FROM held").fetchall()
        return {side: (count, are_indexed) for side, count, are_indexed in rows}

    def ids(self, _side: Side, rows: Integers) -> Integers:
        return rows

    def rows(self, _side: Side, ids: Sequence[int] | Integers) -> Integers:
        return np.asarray(ids, dtype=np.int64)

    def linked(self, way: Way, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        source, table = _LINKS[way]
        target = way.removeprefix(f"{source}_")
        if limit is None:
            sql = f"SELECT DISTINCT {source}, {target} FROM {table} WHERE {source} = ANY(?) ORDER BY 1, 2"
            found = self._connection.execute(sql, (_distinct(rows),))
        else:
            sql = (
                f"SELECT o.key, t.{target} FROM unnest(?::bigint[]) o (key), LATERAL (SELECT DISTINCT {target}"
                f" FROM {table} WHERE {source} = o.key ORDER BY {target} LIMIT ?) t ORDER BY 1, 2"
            )
            found = self._connection.execute(sql, (_distinct(rows), limit))
        return spread_out(np.array(found.fetchall(), dtype=np.int64).reshape(-1, 2), rows)

    def degrees(self, side: Side, rows: Integers) -> Integers:
        return self._numbers.of("entity", "facts", rows) if side == "entity" else self._counted(_DEGREES[side], rows)

    def scores(self, side: Literal["entity", "fact"], rows: Integers) -> Floats:
        # As the arrays of the SQLite store have them, to the last digit.
        sums, evidence = (self._numbers.of(side, column, rows) for column in ("score", "evidence"))
        return np.asarray(sums / (np.maximum(evidence, 1) * SCORE_UNIT), dtype=np.float32)

    def spread(self, entities: Integers) -> Integers:
        return self._numbers.of("entity", "chunks", entities)

    def tokens(self, side: Literal["fact", "chunk"], rows: Integers) -> Integers:
        return self._numbers.of(side, "tokens", rows)

    def digests(self, side: Side, rows: Integers) -> list[bytes]:
        return self._numbers.digests(side, rows)

    def about(self, chunks: Integers) -> Integers:
        return self._numbers.of("chunk", "coalesce(about, -1)", chunks)

    def chunks_about(self, entities: Integers, limit: int) -> tuple[Integers, Integers]:
        found = self._connection.execute(
            "SELECT o.key, c.id FROM unnest(?::bigint[]) o (key), LATERAL"
            " (SELECT id, place FROM chunk WHERE about = o.key ORDER BY place LIMIT ?) c ORDER BY o.key, c.place",
            (_distinct(entities), limit),
        )
        return spread_out(np.array(found.fetchall(), dtype=np.int64).reshape(-1, 2), entities)

    def _counted(self, sql: str, rows: Integers) -> Integers:
        """How many there are of each row, from a query for keys and counts; 0 where it finds none."""
        distinct, places = np.unique(rows, return_inverse=True)
        found = np.array(self._connection.execute(sql, (distinct.tolist(),)).fetchall(), dtype=np.int64).reshape(-1, 2)
        numbers = np.zeros(len(distinct), dtype=np.int64)
        numbers[np.searchsorted(distinct, found[:, 0])] = found[:, 1]
        return numbers[places]


def spread_out(pairs: Integers, rows: Integers) -> tuple[Integers, Integers]:
    """From pairs of a row and a target, sorted by the former: the targets of each row, and to which place it belongs.

    >>> targets, owners = spread_out(np.array([[5, 1], [5, 2], [7, 3]]), np.array([7, 6, 5, 7]))
    >>> targets.tolist(), owners.tolist()
    ([3, 1, 2, 3], [0, 2, 2, 3])
    """
    firsts = np.searchsorted(pairs[:, 0], rows)
    sizes = np.searchsorted(pairs[:, 0], rows, side="right") - firsts
    places, owners = stretches(firsts, sizes)
    return pairs[places, 1], owners


def _distinct(rows: Integers) -> list[int]:
    found: list[int] = np.unique(rows).tolist()
    return found
