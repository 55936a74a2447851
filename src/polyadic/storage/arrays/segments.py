"""Segments of rows of one node type, in the order of public identifiers: a base, and what has changed since."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.pq_index import PQIndex
from polyadic.storage.arrays.row_map import RowMap
from polyadic.storage.incidence import Integers, matches, stretches
from polyadic.storage.records import NodeType

COLUMNS: Mapping[NodeType, tuple[str, ...]] = {
    "entity": ("id", "digest", "score", "chunks", "degree", "vector", "vectors"),
    "fact": ("id", "digest", "score", "degree", "vector", "vectors"),
    "chunk": ("id", "digest", "degree", "document", "offset", "title", "vector", "vectors"),
}
"""Columns of each node type.

``id`` is the primary key, ``digest`` the public identifier. ``degree`` counts the facts of an entity, the entities of a
fact or the facts of a chunk, ``chunks`` the chunks of an entity. A chunk is at ``offset`` of ``document`` (a digest);
``title`` is the primary key of the entity that its document's title names, -1 if there is none. ``vector`` is the place
of the first of a row's ``vectors`` vectors.
"""
NO_LINKS = np.zeros((0, 2), dtype=np.int64)
_MIN_UNUSED = 1_024


@dataclass(frozen=True)
class Segment:
    """Rows of one node type.

    Attributes
    ----------
    columns
        See :data:`COLUMNS`.
    by_id
        Permutation that sorts the primary keys.
    vectors
        The vectors of the rows. Some may be unused.
    codes
        Quantized vectors, if there are many.
    first_place
        Place of the first vector.
    links
        Pairs of primary keys, shape (n, 2): facts and their entities, or chunks and their facts. Only in a delta, as
        those of a base are positions.
    """

    columns: Mapping[str, NDArray[Any]]
    by_id: Integers
    vectors: Matrix
    codes: PQIndex | None = None
    first_place: int = 0
    links: Integers = field(default_factory=NO_LINKS.copy)

    def __len__(self) -> int:
        return len(self.by_id)

    def find(self, ids: Integers) -> Integers:
        """Return the positions of primary keys, -1 for unknown keys."""
        if not len(self):
            return np.full(len(ids), -1, dtype=np.int64)
        known = self.columns["id"]
        positions = self.by_id[np.minimum(known.searchsorted(ids, sorter=self.by_id), len(self) - 1)]
        return np.where(known[positions] == ids, positions, -1).astype(np.int64)

    def owners(self, places: Integers) -> Integers:
        """Return the positions that have the vectors at these places; in a segment without unused places."""
        return places if len(self.vectors) == len(self) else self._owners[places]

    def linked(self, ids: Integers, forward: bool) -> tuple[Integers, Integers]:
        """Return the primary keys that are linked to these, and for each the index of the key.

        Forward, keys are of this node type, and the result is of the other; backward, it is the other way round.
        """
        known, others = self._links_by_key[forward]
        places, owners = matches(known, ids)
        return others[places], owners

    def empty(self) -> "Segment":
        """Return a segment with these columns and the places after these, but without rows."""
        columns = {name: column[:0] for name, column in self.columns.items()}
        return Segment(columns, self.by_id[:0], Matrix.empty(), first_place=len(self.vectors))

    def with_columns(self, **columns: NDArray[Any]) -> "Segment":
        """Replace some columns."""
        return replace(self, columns={**self.columns, **columns})

    def updated(self, touched: Integers, loaded: "Segment") -> "Segment":
        """Replace the rows with the primary keys ``touched`` by those in ``loaded``.

        May be called once only, as both versions share a buffer of vectors.
        """
        kept = np.flatnonzero(~np.isin(self.columns["id"], touched))
        added = {**loaded.columns, "vector": loaded.columns["vector"] + self.first_place + len(self.vectors)}
        columns = {name: np.concatenate([column[kept], added[name]]) for name, column in self.columns.items()}
        order = np.argsort(columns["digest"])
        columns = {name: column[order] for name, column in columns.items()}
        vectors = self.vectors.extended(loaded.vectors.array)
        sizes = columns["vectors"]
        if len(vectors) > 2 * int(sizes.sum()) + _MIN_UNUSED:
            places, _ = stretches(columns["vector"] - self.first_place, sizes)
            vectors, columns["vector"] = Matrix(vectors.array[places]), self.first_place + np.cumsum(sizes) - sizes
        links = np.concatenate([self.links[~np.isin(self.links[:, 0], touched)], loaded.links])
        return replace(self, columns=columns, by_id=np.argsort(columns["id"]), vectors=vectors, links=links)

    @cached_property
    def _owners(self) -> Integers:
        """The position that has the vector at each place."""
        return np.arange(len(self)).repeat(self.columns["vectors"])

    @cached_property
    def _links_by_key(self) -> Mapping[bool, Integers]:
        """The links forward and backward, shape (2, n), in the order of the keys in the first row."""
        directions = {True: self.links, False: self.links[:, ::-1]}
        ordered = {forward: pairs[np.argsort(pairs[:, 0], kind="stable")] for forward, pairs in directions.items()}
        return {forward: np.ascontiguousarray(pairs.T) for forward, pairs in ordered.items()}


@dataclass(frozen=True)
class NodeRows:
    """The rows of one node type in a state; see :class:`RowMap` for *rows* and *positions*."""

    base: Segment
    delta: Segment
    row_map: RowMap

    @classmethod
    def of(cls, base: Segment) -> Self:
        """Create rows that have not changed since the base was built."""
        delta = base.empty()
        nothing = np.zeros(0, dtype=np.int64)
        return cls(base, delta, RowMap.of(base.columns["digest"], delta.columns["digest"], nothing))

    def updated(self, touched: Integers, loaded: Segment) -> "NodeRows":
        """Replace the rows with the primary keys ``touched`` by those in ``loaded``; see :meth:`Segment.updated`."""
        delta, replaced = self.delta.updated(touched, loaded), self.base.find(touched)
        hidden = np.concatenate([self.row_map.hidden, replaced[replaced >= 0]])
        row_map = RowMap.of(self.base.columns["digest"], delta.columns["digest"], hidden)
        return NodeRows(self.base, delta, row_map)

    def column(self, name: str, rows: Integers) -> NDArray[Any]:
        """Return a column of some rows."""
        return self.at(self.row_map.positions(rows), name)

    def at(self, positions: Integers, name: str) -> NDArray[Any]:
        """Return a column at some positions."""
        base, delta = self.base.columns[name], self.delta.columns[name]
        if not len(delta):
            return base[positions]
        in_delta = (positions >= len(base)).nonzero()[0]
        values = np.empty(len(positions), dtype=base.dtype)
        in_base = (positions < len(base)).nonzero()[0]
        values[in_base] = base[positions[in_base]]
        values[in_delta] = delta[positions[in_delta] - len(base)]
        return values

    def rows(self, ids: Integers) -> Integers:
        """Return the rows of primary keys, all of which must exist."""
        positions = self.base.find(ids)
        if len(self.delta):
            in_delta = self.delta.find(ids)
            positions = np.where(in_delta >= 0, len(self.base) + in_delta, positions)
        return self.row_map.rows(positions)

    def flat(self) -> Segment:
        """Return a segment of all rows; their vectors keep their places, but are not in it."""
        positions = self.row_map.positions(np.arange(self.row_map.size))
        columns = {name: self.at(positions, name) for name in self.base.columns}
        return Segment(columns, np.argsort(columns["id"]), Matrix.empty())
