"""Work that another thread does until its result is needed."""

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class BackgroundResult(Generic[T]):
    """Work that begins at once, in a thread of its own: some 50 µs, and nothing that a fork could leave behind.

    It pays for what takes longer than that and lets other threads run Python meanwhile.

    Examples
    --------
    >>> BackgroundResult(lambda: 6 * 7).result()
    42
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._found: list[T] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._do, name="polyadic-begun")
        self._thread.start()

    def result(self) -> T:
        """What the work returned; waits for it, and raises what it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found[0]

    def _do(self) -> None:
        try:
            self._found.append(self._work())
        except BaseException as error:
            self._error = error
