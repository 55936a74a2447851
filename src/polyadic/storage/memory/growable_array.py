"""An array that grows at its end without what it holds being copied each time."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_LEAST = 64


@dataclass(frozen=True, slots=True)
class GrowableArray:
    """The first ``used`` rows of ``room``, which later stacks share; only the last of them may be grown further.

    Examples
    --------
    >>> first = GrowableArray.of(np.arange(3))
    >>> second = first.grown(np.array([7]))
    >>> first.rows.tolist(), second.rows.tolist()
    ([0, 1, 2], [0, 1, 2, 7])
    """

    room: NDArray[Any]
    used: int

    @classmethod
    def of(cls, rows: NDArray[Any]) -> Self:
        return cls(rows, len(rows))

    @property
    def rows(self) -> NDArray[Any]:
        return self.room[: self.used]

    def grown(self, rows: NDArray[Any]) -> "GrowableArray":
        """With more rows on top."""
        if not len(rows):
            return self
        used, room = self.used + len(rows), self.room
        if used > len(room):
            room = np.empty((max(2 * used, _LEAST), *rows.shape[1:]), dtype=rows.dtype)
            if self.used:
                room[: self.used] = self.rows
        room[self.used : used] = rows
        return GrowableArray(room, used)
