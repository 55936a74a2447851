"""What has changed of one side since a base was made: exact rows, read from the tables as they are touched."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyadic.store.arrays.base import Base
from polyadic.store.arrays.matrix import Matrix
from polyadic.store.arrays.placement import Placement, find
from polyadic.store.arrays.stack import Stack
from polyadic.store.arrays.tail_reading import ROW, read
from polyadic.store.connection import Connection
from polyadic.store.incidence import Integers, stretches
from polyadic.store.protocol import Side

_LEAST_UNUSED = 1_024


@dataclass(frozen=True)
class Tail:
    """Rows (see tail_reading.ROW) in the order of public identifiers; ``dead`` rows of the base hold no more.

    What no row needs any more stays in ``links`` and ``vectors`` for a while.
    """

    rows: NDArray[np.void]
    dead: Integers
    links: Stack
    vectors: Stack

    @classmethod
    def empty(cls) -> Self:
        nothing = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(0, dtype=ROW), nothing, Stack.of(nothing), Stack.of(np.zeros((0, 0), dtype=np.float32)))

    def brought_forward(self, connection: Connection, base: Base, side: Side, touched: Integers) -> "Tail":
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
        return Tail(rows[np.argsort(rows["digest"])], dead, links, vectors)._compacted()

    def placement(self, base: Base, side: Side) -> Placement:
        return Placement.of(base.digests(side), self.rows["digest"], self.rows["base"], self.dead)

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

    def _compacted(self) -> "Tail":
        """Without what no row needs, where that is more than what is needed."""
        needed = int(self.rows["vectors"].sum())
        if self.vectors.used <= 2 * needed + _LEAST_UNUSED:
            return self
        rows = self.rows.copy()
        vectors, _ = stretches(rows["first_vector"], rows["vectors"])
        links, _ = stretches(rows["first_link"], rows["links"])
        rows["first_vector"] = np.cumsum(rows["vectors"]) - rows["vectors"]
        rows["first_link"] = np.cumsum(rows["links"]) - rows["links"]
        return Tail(rows, self.dead, Stack.of(self.links.rows[links]), Stack.of(self.vectors.rows[vectors]))


def _same(base: Base, side: Side, digests: NDArray[np.bytes_]) -> Integers:
    """The rows of the base with these public identifiers, -1 where there is none."""
    known = base.digests(side)
    if not len(known):
        return np.full(len(digests), -1, dtype=np.int64)
    places = np.minimum(known.searchsorted(digests), len(known) - 1)
    return np.where(known[places] == digests, places, -1).astype(np.int64)
