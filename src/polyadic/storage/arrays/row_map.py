"""Map the rows of a state to positions in its segments."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from polyadic.storage.incidence import Digests, Integers, Mask


@dataclass(frozen=True)
class RowMap:
    """Row map of one node type.

    *Rows* follow the order of public identifiers. *Positions* are those of the base segment (0 to ``base_size``), then
    those of the delta segment. A state consists of the delta and of what is not hidden of the base.

    Attributes
    ----------
    base_size
        Number of positions in the base.
    before
        For each delta position, in ascending order of identifiers, the number of base positions with lower ones.
    bases
        For each delta position the base position with the same identifier, which it hides; -1 if it is new.
    hidden
        Positions in the base that have changed or were deleted, in ascending order.
    """

    base_size: int
    before: Integers
    bases: Integers
    hidden: Integers

    @classmethod
    def of(cls, base: Digests, delta: Digests, hidden: Integers) -> Self:
        """Build the map from the public identifiers of both segments, each in ascending order.

        ``hidden`` need not include the positions of identifiers in the delta.
        """
        bases = find(base, delta)
        hidden = np.union1d(hidden, bases[bases >= 0])
        return cls(len(base), base.searchsorted(delta).astype(np.int64), bases, hidden)

    @property
    def size(self) -> int:
        return self.base_size - len(self.hidden) + len(self.before)

    @property
    def changed(self) -> int:
        """The number of positions that are changed, new or deleted."""
        return len(self.hidden) + int((self.bases < 0).sum())

    @cached_property
    def is_identity(self) -> bool:
        """Whether the state is its base."""
        return not len(self.hidden) and not len(self.before)

    @property
    def delta(self) -> Integers:
        """The positions of the delta."""
        return self.base_size + np.arange(len(self.before))

    def positions(self, rows: Integers) -> Integers:
        """Return the position of each row."""
        if self.is_identity:
            return rows
        firsts, shifts = self._runs
        return rows + shifts[firsts.searchsorted(rows, side="right") - 1]

    def rows(self, positions: Integers) -> Integers:
        """Return the row of each position; a hidden one has the row of what hides it, and must not be deleted."""
        if self.is_identity:
            return positions
        events, shifts = self._shifts
        rows: Integers = positions + shifts[events.searchsorted(positions, side="right")]
        in_delta = (positions >= self.base_size).nonzero()[0]
        rows[in_delta] = self._rows_of_delta[positions[in_delta] - self.base_size]
        return rows

    def in_base(self, positions: Integers) -> Integers:
        """Return the base position with the identifier of each position, -1 if there is none."""
        in_delta = (positions >= self.base_size).nonzero()[0]
        bases = positions.copy()
        bases[in_delta] = self.bases[positions[in_delta] - self.base_size]
        return bases

    def is_current(self, positions: Integers) -> Mask:
        """Mask the positions in the base that are not hidden."""
        return find(self.hidden, positions) < 0

    @cached_property
    def _rows_of_delta(self) -> Integers:
        return self.before - self.hidden.searchsorted(self.before) + np.arange(len(self.before))

    @cached_property
    def _shifts(self) -> tuple[Integers, Integers]:
        """Positions in the base at which rows are inserted or hidden, and the shift of the rows from there on."""
        events = np.concatenate([self.before, self.hidden])
        moves = np.repeat([1, -1], [len(self.before), len(self.hidden)])
        order = np.argsort(events, kind="stable")
        return events[order], np.append(0, np.cumsum(moves[order]))

    @cached_property
    def _runs(self) -> tuple[Integers, Integers]:
        """Runs of rows whose positions are consecutive: the first row of each, and the shift to its positions."""
        starts = np.unique(np.concatenate([[0], self.before, self.hidden + 1]))
        starts = starts[starts < self.base_size]
        positions = np.concatenate([starts[self.is_current(starts)], self.delta])
        firsts = self.rows(positions)
        order = np.argsort(firsts)
        return firsts[order], (positions - firsts)[order]


def find(known: Integers | Digests, wanted: Integers | Digests) -> Integers:
    """Return the position of each wanted value in ``known``, which is sorted; -1 if it is absent."""
    if not len(known):
        return np.full(len(wanted), -1, dtype=np.int64)
    places = np.minimum(known.searchsorted(wanted), len(known) - 1)
    return np.where(known[places] == wanted, places, -1)
