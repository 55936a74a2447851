"""Run a function in a background thread until its result is needed."""

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class BackgroundResult(Generic[T]):
    """The result of a function that starts immediately in its own thread.

    Starting costs about 50 µs and leaves nothing behind on fork. It pays off for longer work that releases the GIL.

    Examples
    --------
    >>> BackgroundResult(lambda: 6 * 7).result()
    42
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._results: list[T] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, name="polyadic-begun")
        self._thread.start()

    def result(self) -> T:
        """Wait for the function and return its result, or raise its exception."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._results[0]

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:
            self._error = error
