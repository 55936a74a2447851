"""What has changed of one side since a base was made: exact rows, read from the tables as they are touched."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers, stretches
from polyadic.storage.memory.base_segment import BaseSegment
from polyadic.storage.memory.delta_loader import ROW, read
from polyadic.storage.memory.growable_array import GrowableArray
from polyadic.storage.memory.matrix import Matrix
from polyadic.storage.memory.row_map import RowMap, find
from polyadic.storage.protocol import Side

_LEAST_UNUSED = 1_024


@dataclass(frozen=True)
class DeltaSegment:
    """Rows (see tail_reading.ROW) in the order of public identifiers; ``dead`` rows of the base hold no more.

    What no row needs any more stays in ``links`` and ``vectors`` for a while.
    """

    rows: NDArray[np.void]
    dead: Integers
    links: GrowableArray
    vectors: GrowableArray

    @classmethod
    def empty(cls) -> Self:
        nothing = np.zeros(0, dtype=np.int64)
        return cls(
            np.zeros(0, dtype=ROW),
            nothing,
            GrowableArray.of(nothing),
            GrowableArray.of(np.zeros((0, 0), dtype=np.float32)),
        )

    def brought_forward(
        self, connection: Connection, base: BaseSegment, side: Side, touched: Integers
    ) -> "DeltaSegment":
        """With rows (keys of the tables) that were touched since as the connection reads them now."""
        if not len(touched):
            return self
        new = read(connection, side, touched.tolist())
        new.rows["base"] = _same(base, side, new.rows["digest"])
        new.rows["first_link"] += self.links.used
        new.rows["first_vector"] += self.vectors.used
        kept = self.rows[~np.isin(self.rows["id"], touched)]
        rows = np.concatenate([kept, new.rows])
        found = base.find(side, touched)
        dead = np.unique(np.concatenate([self.dead, found[found >= 0], new.rows["base"][new.rows["base"] >= 0]]))
        links, vectors = self.links.grown(new.links), self.vectors.grown(new.vectors)
        return DeltaSegment(rows[np.argsort(rows["digest"])], dead, links, vectors)._compacted()

    def placement(self, base: BaseSegment, side: Side) -> RowMap:
        return RowMap.of(base.digests(side), self.rows["digest"], self.rows["base"], self.dead)

    def find(self, ids: Integers) -> Integers:
        """Rows of the tail of keys of the tables, -1 where there is no such key."""
        order = self._by_id
        places = find(self.rows["id"][order], ids)
        return np.where(places >= 0, order[places] if len(order) else -1, -1)

    def linked(self, rows: Integers) -> tuple[Integers, Integers]:
        """Keys that rows of the tail are linked to, and for each the index of the row."""
        places, owners = stretches(self.rows["first_link"][rows], self.rows["links"][rows])
        return self.links.rows[places], owners

    def linking(self, ids: Integers) -> tuple[Integers, Integers]:
        """Rows of the tail that are linked to keys, and for each the index of the key."""
        keys, rows = self._backward
        firsts = keys.searchsorted(ids)
        places, owners = stretches(firsts, keys.searchsorted(ids, side="right") - firsts)
        return rows[places], owners

    @cached_property
    def matrix(self) -> Matrix:
        """All vectors, those among them that no row needs any more."""
        return Matrix(self.vectors.rows)

    @cached_property
    def _by_id(self) -> Integers:
        return np.argsort(self.rows["id"])

    @cached_property
    def _backward(self) -> tuple[Integers, Integers]:
        """Keys that are linked to, sorted, with the row of the tail that each is linked to."""
        keys, rows = self.linked(np.arange(len(self.rows)))
        order = np.argsort(keys, kind="stable")
        return keys[order], rows[order]

    def _compacted(self) -> "DeltaSegment":
        """Without what no row needs, where that is more than what is needed."""
        needed = int(self.rows["vectors"].sum())
        if self.vectors.used <= 2 * needed + _LEAST_UNUSED:
            return self
        rows = self.rows.copy()
        vectors, _ = stretches(rows["first_vector"], rows["vectors"])
        links, _ = stretches(rows["first_link"], rows["links"])
        rows["first_vector"] = np.cumsum(rows["vectors"]) - rows["vectors"]
        rows["first_link"] = np.cumsum(rows["links"]) - rows["links"]
        return DeltaSegment(
            rows, self.dead, GrowableArray.of(self.links.rows[links]), GrowableArray.of(self.vectors.rows[vectors])
        )


def _same(base: BaseSegment, side: Side, digests: NDArray[np.bytes_]) -> Integers:
    """The rows of the base with these public identifiers, -1 where there is none."""
    known = base.digests(side)
    if not len(known):
        return np.full(len(digests), -1, dtype=np.int64)
    places = np.minimum(known.searchsorted(digests), len(known) - 1)
    return np.where(known[places] == digests, places, -1).astype(np.int64)
