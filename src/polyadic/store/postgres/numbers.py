"""The numbers and digests of rows, read once in a transaction: who asks for one of a row's soon asks for another."""

from collections.abc import Mapping, Sequence

import numpy as np

from polyadic.store.connection import Connection
from polyadic.store.incidence import Integers
from polyadic.store.protocol import Side

_COLUMNS: Mapping[Side, tuple[str, ...]] = {
    "entity": ("facts", "chunks", "score", "evidence"),
    "fact": ("tokens", "score", "evidence"),
    "chunk": ("tokens", "coalesce(about, -1)"),
}


class Numbers:
    """Those that stand in the tables, by key, as the open transaction of a connection sees them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[Side, dict[int, tuple[int, ...]]] = {side: {} for side in _COLUMNS}
        self._digests: dict[Side, dict[int, bytes]] = {side: {} for side in _COLUMNS}

    def of(self, side: Side, column: str, rows: Integers) -> Integers:
        """One number of each row; 0 where there is no such row."""
        distinct, places = np.unique(rows, return_inverse=True)
        keys, known = distinct.tolist(), self._known[side]
        self._learn(side, keys)
        number = _COLUMNS[side].index(column)
        return np.array([known[key][number] for key in keys], dtype=np.int64)[places]

    def digests(self, side: Side, rows: Integers) -> list[bytes]:
        """What sorts each row; all of them are there."""
        keys, digests = rows.tolist(), self._digests[side]
        self._learn(side, keys)
        return [digests[key] for key in keys]

    def _learn(self, side: Side, keys: Sequence[int]) -> None:
        columns, known = _COLUMNS[side], self._known[side]
        lacking = [key for key in dict.fromkeys(keys) if key not in known]
        if not lacking:
            return
        known.update(dict.fromkeys(lacking, (0,) * len(columns)))
        sql = f"SELECT id, digest, {', '.join(columns)} FROM {side} WHERE id = ANY(?)"
        for key, digest, *numbers in self._connection.execute(sql, (lacking,)).fetchall():
            known[key], self._digests[side][key] = tuple(numbers), digest
