"""Progress of indexing on one line."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from polyadic.cli.common import spent
from polyadic.cli.estimate import duration
from polyadic.cli.progress import shown_live
from polyadic.indexing.report import IndexProgress
from polyadic.text.counts import count


def progress_shown() -> AbstractContextManager[Callable[[IndexProgress], None]]:
    """Show the progress of indexing."""
    return shown_live("reading", _line)


def _line(progress: IndexProgress) -> str:
    """
    >>> from polyadic.model.types import Usage
    >>> _line(IndexProgress(12, 40, 30, 200, Usage(), files=28, share=0.434, seconds_left=125))
    'indexing 28 files: 43 %, about 2 min left; 12 documents done, 30 of 40 chunks read, 200 texts embedded'
    >>> _line(IndexProgress(0, 2, 0, 0, Usage()))
    'indexing: 0 of 2 chunks read, 0 texts embedded'
    >>> _line(IndexProgress(0, 2, 2, 9, Usage(), share=0.5))
    'indexing: 50 %; 2 chunks read, now computing vectors: 9 texts embedded'
    """
    paid = f", {spent(progress.usage)}" if progress.usage.calls else ""
    left = "" if progress.seconds_left is None else f", about {duration(progress.seconds_left)} left"
    share = "" if progress.share is None else f"{100 * progress.share:.0f} %{left}; "
    files = f" {count(progress.files, 'file')}" if progress.files else ""
    # Documents are counted when their batch is published, so the number stays 0 for a while.
    documents = f"{count(progress.documents, 'document')} done, " if progress.documents else ""
    chunks, embedded = count(progress.chunks, "chunk"), f"{count(progress.texts_embedded, 'text')} embedded"
    if progress.chunks_read < progress.chunks:
        done = f"{progress.chunks_read:,} of {chunks} read, {embedded}"
    else:
        done = f"{chunks} read, now computing vectors: {embedded}"
    return f"indexing{files}: {share}{documents}{done}{paid}"
