"""Progress of an indexing run: share done and estimated time left."""

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
"""Window in seconds over which speed is measured; long enough to read, embed and publish a batch."""
_MIN_SECONDS = 5.0
# Of the work left, do so much before estimating, or measure so long: the first batch says little about speed.
_MIN_GAIN, _LONG_ENOUGH = 0.05, 60.0
# Model replies take most of the time; embedding and publishing take the rest.
_REPLIES_SHARE = 0.9


@dataclass(slots=True)
class RunProgress:
    """Measure the progress of a run in bytes of its files.

    Bytes, because the number of rows in a file is known only after it has been read.

    Parameters
    ----------
    clock
        Returns the current time in seconds.
    files
        Number of files.
    report_to
        Called with the progress of the run.
    """

    clock: Callable[[], float] = time.monotonic
    files: int = 0
    report_to: Callable[[IndexProgress], None] = lambda progress: None
    _total_bytes: int = 0
    _bytes_before: int = 0
    _file_bytes: int = 0
    _characters: int = 0
    _documents: int = 0
    _ends: "array[float]" = field(default_factory=lambda: array("d"))
    """For each document or skipped input, the number of bytes read up to its end."""
    _finished: int = 0
    _chunks: int = 0
    _embedded: int = 0
    _share: float = 0.0
    _samples: deque[tuple[float, float]] = field(default_factory=deque)

    def watch_files(self, found: Iterable[Path | SkippedInput]) -> Iterator[Path | SkippedInput]:
        """Pass files through, after collecting all of them to know their total size."""
        sized = [(one, _size(one)) for one in found]
        self.files, self._total_bytes = len(sized), sum(size for _, size in sized)
        for one, size in sized:
            self._file_bytes, self._characters = size, 0
            yield one
            self._bytes_before += size
            self._file_bytes = 0
            if self._ends:
                self._ends[-1] = self._bytes_before

    def watch_documents(self, found: Iterable[Document | SkippedInput]) -> Iterator[Document | SkippedInput]:
        """Pass through the documents read from the files of :meth:`watch_files`."""
        for one in found:
            if isinstance(one, Document):
                self._characters += len(one.text)
                self._documents += 1
            self._ends.append(self._bytes_before + min(self._file_bytes, self._characters))
            yield one

    def report(self, progress: IndexProgress) -> None:
        """Report progress, with files, documents read, share and time left."""
        self.report_to(self.completed(progress))

    def completed(self, progress: IndexProgress) -> IndexProgress:
        """Add files, documents read, share and time left to the progress."""
        if progress.documents != self._finished:
            self._finished, self._chunks, self._embedded = (
                progress.documents,
                progress.chunks_read,
                progress.characters_embedded,
            )
        # The share of work in progress may drop when documents are added; never report less than before.
        self._share = share = max(self._share, min(1.0, self._bytes_done(progress) / max(1, self._total_bytes)))
        now = self.clock()
        self._samples.append((now, share))
        while len(self._samples) > 2 and now - self._samples[1][0] >= _WINDOW:
            self._samples.popleft()
        left = self._seconds_left(now, share)
        return replace(progress, files=self.files, documents_read=self._documents, share=share, seconds_left=left)

    def _bytes_done(self, progress: IndexProgress) -> float:
        """Bytes of finished documents, plus the share done of those in progress."""
        bytes_started = self._ends[-1] if self._ends else 0.0
        done = self._ends[min(self._finished, len(self._ends)) - 1] if self._finished and self._ends else 0.0
        characters, chunks = progress.characters_due - self._embedded, progress.chunks - self._chunks
        if characters > 0:
            share_in_progress = (progress.characters_embedded - self._embedded) / characters
        elif progress.usage.calls and chunks > 0:
            share_in_progress = _REPLIES_SHARE * (progress.chunks_read - self._chunks) / chunks
        else:
            share_in_progress = 0.0
        return done + max(0.0, min(1.0, share_in_progress)) * max(0.0, bytes_started - done)

    def _seconds_left(self, now: float, share: float) -> float | None:
        then, share_then = self._samples[0]
        if now - then < _MIN_SECONDS or share <= share_then:
            return None
        if share - share_then < _MIN_GAIN * (1 - share_then) and now - then < _LONG_ENOUGH:
            return None
        return (1 - share) * (now - then) / (share - share_then)


def _size(one: Path | SkippedInput) -> int:
    try:
        return one.stat().st_size if isinstance(one, Path) else 0
    except OSError:
        return 0
