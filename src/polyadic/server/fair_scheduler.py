"""Fair shares: whose turn it is where several workspaces wait for the same."""

from collections import Counter, OrderedDict
from collections.abc import Iterable

_REMEMBERED = 4096


class FairScheduler:
    """Remembers who has what under way, and who had a turn last.

    >>> shares = FairScheduler()
    >>> for _ in range(2):
    ...     shares.began(shares.next(["letters", "notes"]))
    >>> shares.began("letters")
    >>> shares.next(["letters", "notes"])
    'notes'
    """

    def __init__(self) -> None:
        self._under_way: Counter[str] = Counter()
        self._last: OrderedDict[str, int] = OrderedDict()
        self._turns = 0

    def next(self, waiting: Iterable[str]) -> str:
        """The one with the least under way; of several the one whose turn was longest ago, else the first."""
        return min(waiting, key=lambda whose: (self._under_way[whose], self._last.get(whose, 0)))

    def began(self, whose: str) -> None:
        """One more of its is under way."""
        self._turns += 1
        self._under_way[whose] += 1
        self._last[whose] = self._turns
        self._last.move_to_end(whose)
        if len(self._last) > _REMEMBERED:
            self._last.popitem(last=False)

    def ended(self, whose: str) -> None:
        """One of those has ended."""
        self._under_way[whose] -= 1
        if not self._under_way[whose]:
            del self._under_way[whose]
