"""Map the rows of a state to rows of its base and delta segments, in the order of public identifiers."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from polyadic.storage.incidence import Digests, Integers, Mask


@dataclass(frozen=True)
class RowMap:
    """Row map of one node type. A row is in the base, in the delta, or in both; the delta then takes precedence.

    Parameters
    ----------
    base_size
        Number of rows in the base.
    bases
        For each delta row, in ascending order of identifiers, its row in the base; -1 if it is new.
    before
        For each delta row, the number of base rows with lower identifiers.
    removed
        Base rows that have been deleted, in ascending order.
    """

    base_size: int
    bases: Integers
    before: Integers
    removed: Integers

    @classmethod
    def of(cls, base: Digests, delta: Digests, bases: Integers, dead: Integers) -> Self:
        """Build the map; ``dead`` are the changed or deleted base rows, sorted."""
        before = base.searchsorted(delta).astype(np.int64) if len(delta) else np.zeros(0, dtype=np.int64)
        return cls(len(base), bases, before, dead[~np.isin(dead, bases)])

    @property
    def size(self) -> int:
        return self.base_size - len(self.removed) + len(self._added)

    def rows_of_base(self, bases: Integers) -> Integers:
        """Map base rows, which must not be deleted, to rows of the state."""
        if not len(self.removed) and not len(self._added):
            return bases
        events, shifts = self._shifts_of_bases
        return np.asarray(bases + shifts[events.searchsorted(bases, side="right")], dtype=np.int64)

    @cached_property
    def rows_of_delta(self) -> Integers:
        """The row of the state for each delta row."""
        gone = self.removed.searchsorted(self.before)
        new = self.bases < 0
        return np.asarray(self.before - gone + np.cumsum(new) - new, dtype=np.int64)

    def locate(self, rows: Integers) -> tuple[Integers, Integers]:
        """Map rows of the state to base rows and delta rows, -1 where there is none."""
        if not len(self.bases) and not len(self.removed):
            return rows, np.full(len(rows), -1, dtype=np.int64)
        firsts, shifts, delta = self._runs
        run = firsts.searchsorted(rows, side="right") - 1
        return rows + shifts[run], delta[run]

    @cached_property
    def dead(self) -> Mask | None:
        """Mask of changed and deleted base rows; None if there are none."""
        if not len(self.bases) and not len(self.removed):
            return None
        dead = np.zeros(self.base_size, dtype=bool)
        dead[self.removed] = True
        dead[self.bases[self.bases >= 0]] = True
        return dead

    @cached_property
    def _added(self) -> Integers:
        """Delta rows that are not in the base."""
        return np.flatnonzero(self.bases < 0)

    @cached_property
    def _rows_of_added(self) -> Integers:
        return self.rows_of_delta[self._added]

    @cached_property
    def _kept_before(self) -> Integers:
        """For each deleted base row, the number of remaining base rows before it."""
        return self.removed - np.arange(len(self.removed))

    @cached_property
    def _shifts_of_bases(self) -> tuple[Integers, Integers]:
        """Base rows at which rows are inserted or deleted, and the cumulative shift of the rows from there on."""
        inserted, removed = self.before[self._added], self.removed + 1
        events = np.concatenate([inserted, removed])
        order = np.argsort(events, kind="stable")
        moved = np.concatenate([np.ones(len(inserted), dtype=np.int64), np.full(len(removed), -1, dtype=np.int64)])
        return events[order], np.concatenate([[0], np.cumsum(moved[order])])

    @cached_property
    def _runs(self) -> tuple[Integers, Integers, Integers]:
        """Runs of state rows: the first row of each, the offset to its base rows, and its delta row.

        Each delta row is a run of its own; between them, rows that are contiguous in the base form a run.
        """
        kept = np.append(0, self._kept_before)
        after_gap = kept + self._kept_before.searchsorted(kept, side="right")
        after_gap = self.rows_of_base(after_gap[after_gap < self.base_size])
        firsts = np.unique(np.concatenate([after_gap, self.rows_of_delta, self.rows_of_delta + 1]))
        delta = find(self.rows_of_delta, firsts)
        kept = firsts - self._rows_of_added.searchsorted(firsts)
        bases = kept + self._kept_before.searchsorted(kept, side="right")
        if len(self.bases):
            bases = np.where(delta >= 0, self.bases[delta], bases)
        return firsts, bases - firsts, delta


def find(known: Integers, wanted: Integers) -> Integers:
    """Return the position of each wanted number in ``known``, which is sorted; -1 if it is absent."""
    if not len(known):
        return np.full(len(wanted), -1, dtype=np.int64)
    places = np.minimum(known.searchsorted(wanted), len(known) - 1)
    places[known[places] != wanted] = -1
    return places
