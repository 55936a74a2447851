"""An append-only array that is not copied on every append."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_MIN_ROWS = 64


@dataclass(frozen=True, slots=True)
class GrowableArray:
    """The first ``used`` rows of the buffer ``room``, which later versions share; only the latest may be appended to.

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
        """Return the array with rows appended."""
        if not len(rows):
            return self
        used, room = self.used + len(rows), self.room
        if used > len(room):
            room = np.empty((max(2 * used, _MIN_ROWS), *rows.shape[1:]), dtype=rows.dtype)
            if self.used:
                room[: self.used] = self.rows
        room[self.used : used] = rows
        return GrowableArray(room, used)
