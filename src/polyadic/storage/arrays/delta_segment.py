"""Delta segment: the rows of one node type that have changed since the base was built."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.arrays.base_segment import BaseSegment
from polyadic.storage.arrays.delta_loader import ROW, read
from polyadic.storage.arrays.growable_array import GrowableArray
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.row_map import RowMap, find
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers, matches, stretches
from polyadic.storage.protocol import NodeType

_MIN_UNUSED = 1_024


@dataclass(frozen=True)
class DeltaSegment:
    """Changed rows (dtype ``delta_loader.ROW``) in the order of public identifiers.

    ``dead`` are base rows that are changed or deleted. ``links`` and ``vectors`` may contain unused entries until the
    next compaction.
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
        self, connection: Connection, base: BaseSegment, node_type: NodeType, touched: Integers
    ) -> "DeltaSegment":
        """Update the touched rows (primary keys) to what the connection reads now."""
        if not len(touched):
            return self
        loaded = read(connection, node_type, touched.tolist())
        loaded.rows["base"] = _base_rows(base, node_type, loaded.rows["digest"])
        loaded.rows["first_link"] += self.links.used
        loaded.rows["first_vector"] += self.vectors.used
        kept = self.rows[~np.isin(self.rows["id"], touched)]
        rows = np.concatenate([kept, loaded.rows])
        base_rows = base.find(node_type, touched)
        dead = np.unique(
            np.concatenate([self.dead, base_rows[base_rows >= 0], loaded.rows["base"][loaded.rows["base"] >= 0]])
        )
        links, vectors = self.links.grown(loaded.links), self.vectors.grown(loaded.vectors)
        return DeltaSegment(rows[np.argsort(rows["digest"])], dead, links, vectors)._compacted()

    def row_map(self, base: BaseSegment, node_type: NodeType) -> RowMap:
        return RowMap.of(base.digests[node_type], self.rows["digest"], self.rows["base"], self.dead)

    def find(self, ids: Integers) -> Integers:
        """Return the delta rows of primary keys, -1 for unknown keys."""
        order = self._by_id
        places = find(self.rows["id"][order], ids)
        return np.where(places >= 0, order[places] if len(order) else -1, -1)

    def linked(self, rows: Integers) -> tuple[Integers, Integers]:
        """Return the primary keys that delta rows link to, and for each the index of its row."""
        places, owners = stretches(self.rows["first_link"][rows], self.rows["links"][rows])
        return self.links.rows[places], owners

    def linking(self, ids: Integers) -> tuple[Integers, Integers]:
        """Return the delta rows that link to primary keys, and for each the index of its key."""
        keys, rows = self._backward
        places, owners = matches(keys, ids)
        return rows[places], owners

    @cached_property
    def matrix(self) -> Matrix:
        """All vectors, including unused ones."""
        return Matrix(self.vectors.rows)

    @cached_property
    def _by_id(self) -> Integers:
        return np.argsort(self.rows["id"])

    @cached_property
    def _backward(self) -> tuple[Integers, Integers]:
        """The link targets, sorted, and the delta row of each link."""
        keys, rows = self.linked(np.arange(len(self.rows)))
        order = np.argsort(keys, kind="stable")
        return keys[order], rows[order]

    def _compacted(self) -> "DeltaSegment":
        """Remove unused links and vectors if they outnumber the used ones."""
        needed = int(self.rows["vectors"].sum())
        if self.vectors.used <= 2 * needed + _MIN_UNUSED:
            return self
        rows = self.rows.copy()
        vectors, _ = stretches(rows["first_vector"], rows["vectors"])
        links, _ = stretches(rows["first_link"], rows["links"])
        rows["first_vector"] = np.cumsum(rows["vectors"]) - rows["vectors"]
        rows["first_link"] = np.cumsum(rows["links"]) - rows["links"]
        return DeltaSegment(
            rows, self.dead, GrowableArray.of(self.links.rows[links]), GrowableArray.of(self.vectors.rows[vectors])
        )


def _base_rows(base: BaseSegment, node_type: NodeType, digests: NDArray[np.bytes_]) -> Integers:
    """Return the base rows with these public identifiers, -1 if there is none."""
    known = base.digests[node_type]
    if not len(known):
        return np.full(len(digests), -1, dtype=np.int64)
    places = np.minimum(known.searchsorted(digests), len(known) - 1)
    return np.where(known[places] == digests, places, -1).astype(np.int64)
