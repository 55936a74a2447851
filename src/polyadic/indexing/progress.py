"""How much of an indexing run is done, and how long the rest will take."""

import time
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from polyadic.indexing.report import IndexProgress
from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document

_WINDOW = 120.0
"""Seconds over which the speed is measured: long enough for a batch to be read, embedded and published."""
_LEAST_SECONDS = 5.0
# Replies of a model are most of the work; embedding and publishing come after them.
_REPLIES_SHARE = 0.9


@dataclass(slots=True)
class RunProgress:
    """Measures a run by the bytes of its files: how many rows a file holds is known only when it has been read.

    ``clock`` tells seconds.
    """

    clock: Callable[[], float] = time.monotonic
    files: int = 0
    _total: int = 0
    _before: int = 0
    _here: int = 0
    _characters: int = 0
    _ends: "array[float]" = field(default_factory=lambda: array("d"))
    """Of each thing that was read, how many bytes had been read after it."""
    _finished: int = 0
    _chunks: int = 0
    _embedded: int = 0
    _share: float = 0.0
    _seen: deque[tuple[float, float]] = field(default_factory=deque)

    def watch_files(self, found: Iterable[Path | SkippedInput]) -> Iterator[Path | SkippedInput]:
        """The same files, all of them found before the first is read."""
        everything = [(one, _size(one)) for one in found]
        self.files, self._total = len(everything), sum(size for _, size in everything)
        for one, size in everything:
            self._here, self._characters = size, 0
            yield one
            self._before += size
            self._here = 0
            if self._ends:
                self._ends[-1] = self._before

    def watch_documents(self, found: Iterable[Document | SkippedInput]) -> Iterator[Document | SkippedInput]:
        """The same documents, which :meth:`watch_files` was asked for."""
        for one in found:
            self._characters += len(one.text) if isinstance(one, Document) else 0
            self._ends.append(self._before + min(self._here, self._characters))
            yield one

    def completed(self, progress: IndexProgress) -> IndexProgress:
        """The progress with files, share and time left."""
        if progress.documents != self._finished:
            self._finished, self._chunks, self._embedded = (
                progress.documents,
                progress.chunks_read,
                progress.characters_embedded,
            )
        # Of documents that are taken in later the share in hand is smaller, which is no step back.
        self._share = share = max(self._share, min(1.0, self._bytes_done(progress) / max(1, self._total)))
        now = self.clock()
        self._seen.append((now, share))
        while len(self._seen) > 2 and now - self._seen[1][0] >= _WINDOW:
            self._seen.popleft()
        return replace(progress, files=self.files, share=share, seconds_left=self._left(now, share))

    def _bytes_done(self, progress: IndexProgress) -> float:
        """Those of finished documents, and of those in hand as much as has been done for them."""
        taken_in = self._ends[-1] if self._ends else 0.0
        done = self._ends[min(self._finished, len(self._ends)) - 1] if self._finished and self._ends else 0.0
        characters, chunks = progress.characters_due - self._embedded, progress.chunks - self._chunks
        if characters > 0:
            in_hand = (progress.characters_embedded - self._embedded) / characters
        elif progress.usage.calls and chunks > 0:
            in_hand = _REPLIES_SHARE * (progress.chunks_read - self._chunks) / chunks
        else:
            in_hand = 0.0
        return done + max(0.0, min(1.0, in_hand)) * max(0.0, taken_in - done)

    def _left(self, now: float, share: float) -> float | None:
        then, share_then = self._seen[0]
        if now - then < _LEAST_SECONDS or share <= share_then:
            return None
        return (1 - share) * (now - then) / (share - share_then)


def _size(one: Path | SkippedInput) -> int:
    try:
        return one.stat().st_size if isinstance(one, Path) else 0
    except OSError:
        return 0
