"""Fair scheduling between workspaces that wait for the same resource."""

from collections import Counter, OrderedDict
from collections.abc import Iterable

_REMEMBERED = 4096


class FairScheduler:
    """Picks the next workspace by its number of running items and the time of its last turn.

    >>> shares = FairScheduler()
    >>> for _ in range(2):
    ...     shares.began(shares.next(["letters", "notes"]))
    >>> shares.began("letters")
    >>> shares.next(["letters", "notes"])
    'notes'
    """

    def __init__(self) -> None:
        self._running: Counter[str] = Counter()
        self._last_turn: OrderedDict[str, int] = OrderedDict()
        self._turns = 0

    def next(self, waiting: Iterable[str]) -> str:
        """Return the workspace with the fewest running items; among equals the one whose last turn is longest ago."""
        return min(waiting, key=lambda whose: (self._running[whose], self._last_turn.get(whose, 0)))

    def began(self, whose: str) -> None:
        """Record that an item of a workspace started."""
        self._turns += 1
        self._running[whose] += 1
        self._last_turn[whose] = self._turns
        self._last_turn.move_to_end(whose)
        if len(self._last_turn) > _REMEMBERED:
            self._last_turn.popitem(last=False)

    def ended(self, whose: str) -> None:
        """Record that an item of a workspace ended."""
        self._running[whose] -= 1
        if not self._running[whose]:
            del self._running[whose]
