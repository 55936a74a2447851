"""Cache of the values used last, such as views of document filters: users tend to repeat the same few."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_MAX_VALUES = 8


class RecentValues(Generic[K, V]):
    """The values used last, by key, in the state that was read last; shared by threads.

    Examples
    --------
    >>> lengths = RecentValues[str, int]()
    >>> lengths.get("first state", "Ada", lambda: 3), lengths.get("first state", "Ada", lambda: 4)
    (3, 3)
    >>> lengths.get("second state", "Ada", lambda: 4)
    4
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: Hashable = None
        self._values: dict[K, V] = {}

    def get(self, state: Hashable, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key in a state; make it if it is missing, without blocking other threads."""
        with self._lock:
            if self._state != state:
                self._state, self._values = state, {}
            values = self._values
        value = values[key] if key in values else make()
        with self._lock:
            values.pop(key, None)
            values[key] = value
            if len(values) > _MAX_VALUES:
                del values[next(iter(values))]
        return value
