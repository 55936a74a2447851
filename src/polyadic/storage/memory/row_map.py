"""Where the rows of a state stand: those of its base and those of its tail, in the order of public identifiers."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from polyadic.storage.incidence import Digests, Integers, Mask


@dataclass(frozen=True)
class RowMap:
    """One side. A row stands in the base alone, in the tail alone, or in both, and then what the tail says holds.

    Parameters
    ----------
    base_size
        How many rows the base has.
    bases
        For each row of the tail, in ascending order of identifiers, its row in the base; -1 where it has none.
    before
        For each row of the tail how many rows of the base have lower identifiers.
    removed
        Rows of the base that are in the state no more, in ascending order.
    """

    base_size: int
    bases: Integers
    before: Integers
    removed: Integers

    @classmethod
    def of(cls, base: Digests, tail: Digests, bases: Integers, dead: Integers) -> Self:
        """``dead`` are the rows of the base that do not hold any more, sorted; those that the tail has among them."""
        before = base.searchsorted(tail).astype(np.int64) if len(tail) else np.zeros(0, dtype=np.int64)
        return cls(len(base), bases, before, dead[~np.isin(dead, bases)])

    @property
    def size(self) -> int:
        return self.base_size - len(self.removed) + len(self._added)

    def rows_of_base(self, bases: Integers) -> Integers:
        """Rows of the state from rows of the base, which must not be removed."""
        if not len(self.removed) and not len(self._added):
            return bases
        events, shifts = self._shifts_of_bases
        return np.asarray(bases + shifts[events.searchsorted(bases, side="right")], dtype=np.int64)

    @cached_property
    def rows_of_tail(self) -> Integers:
        """Rows of the state, for every row of the tail."""
        gone = self.removed.searchsorted(self.before)
        new = self.bases < 0
        return np.asarray(self.before - gone + np.cumsum(new) - new, dtype=np.int64)

    def locate(self, rows: Integers) -> tuple[Integers, Integers]:
        """For rows of the state their rows in the base and in the tail, -1 each where there is none."""
        if not len(self.bases) and not len(self.removed):
            return rows, np.full(len(rows), -1, dtype=np.int64)
        firsts, shifts, tail = self._runs
        run = firsts.searchsorted(rows, side="right") - 1
        return rows + shifts[run], tail[run]

    @cached_property
    def dead(self) -> Mask | None:
        """Which rows of the base do not hold; None where all do."""
        if not len(self.bases) and not len(self.removed):
            return None
        dead = np.zeros(self.base_size, dtype=bool)
        dead[self.removed] = True
        dead[self.bases[self.bases >= 0]] = True
        return dead

    @cached_property
    def _added(self) -> Integers:
        """Rows of the tail that are new."""
        return np.flatnonzero(self.bases < 0)

    @cached_property
    def _rows_of_added(self) -> Integers:
        return self.rows_of_tail[self._added]

    @cached_property
    def _kept_before(self) -> Integers:
        """For each row that is removed how many of the base stand before it and are not."""
        return self.removed - np.arange(len(self.removed))

    @cached_property
    def _shifts_of_bases(self) -> tuple[Integers, Integers]:
        """Rows of the base from which on something is inserted or removed before, and how far those after each move."""
        inserted, removed = self.before[self._added], self.removed + 1
        events = np.concatenate([inserted, removed])
        order = np.argsort(events, kind="stable")
        moved = np.concatenate([np.ones(len(inserted), dtype=np.int64), np.full(len(removed), -1, dtype=np.int64)])
        return events[order], np.concatenate([[0], np.cumsum(moved[order])])

    @cached_property
    def _runs(self) -> tuple[Integers, Integers, Integers]:
        """Runs of rows of the state: where each begins, how far off its rows in the base are, and its row in the tail.

        A row of the tail is a run of its own; so are, between them, rows that follow one another in the base as well.
        """
        kept = np.append(0, self._kept_before)
        after_gap = kept + self._kept_before.searchsorted(kept, side="right")
        after_gap = self.rows_of_base(after_gap[after_gap < self.base_size])
        firsts = np.unique(np.concatenate([after_gap, self.rows_of_tail, self.rows_of_tail + 1]))
        tail = find(self.rows_of_tail, firsts)
        kept = firsts - self._rows_of_added.searchsorted(firsts)
        bases = kept + self._kept_before.searchsorted(kept, side="right")
        if len(self.bases):
            bases = np.where(tail >= 0, self.bases[tail], bases)
        return firsts, bases - firsts, tail


def find(known: Integers, wanted: Integers) -> Integers:
    """Where each wanted number stands among those known, which are sorted; -1 where it does not."""
    if not len(known):
        return np.full(len(wanted), -1, dtype=np.int64)
    places = np.minimum(known.searchsorted(wanted), len(known) - 1)
    places[known[places] != wanted] = -1
    return places
