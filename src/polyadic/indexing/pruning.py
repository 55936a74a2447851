"""Which documents are gone from where they were read: their file, or their row in a file that is still there."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document
from polyadic.storage.protocol import DocumentRecord


@dataclass(slots=True)
class SeenSources:
    """Remembers what comes by while files are read: sources of documents, and what could not be read."""

    sources: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)

    def watch(self, found: Iterable[Document | SkippedInput]) -> Iterator[Document | SkippedInput]:
        """The same things, remembered as they pass."""
        for one in found:
            (self.unread if isinstance(one, SkippedInput) else self.sources).add(one.source)
            yield one

    def gone(self, records: Iterable[DocumentRecord], paths: Sequence[Path | str]) -> list[DocumentRecord]:
        """Those of the records below these paths, all of which have come by, that are no longer there.

        What cannot be looked at is not gone. A row is gone from a file only if all of the file could be read.
        """
        roots = [Path(os.path.realpath(path)) for path in paths]
        return [record for record in records if _is_below(record.source, roots) and self._is_gone(record.source)]

    def _is_gone(self, source: str) -> bool:
        if source in self.sources or not _is_missing(source):
            return False
        file = _file_of(source)
        if _is_missing(file):
            return True
        whole = file not in self.unread
        return whole and any(_file_of(other) == file for other in self.sources)


def still_there(paths: Sequence[Path | str], records: Sequence[DocumentRecord]) -> list[Path | str]:
    """The paths without those that are gone and that documents were read from, so that there is nothing to report."""
    return [path for path in paths if not _read_from_missing(path, records)]


def with_prune_hints(
    found: Iterable[Path | SkippedInput], records: Callable[[], Sequence[DocumentRecord]]
) -> Iterator[Path | SkippedInput]:
    """The same things; of a missing path that documents were read from, the report says how to delete them."""
    for one in found:
        gone = (
            _read_from_missing(one.source, records())
            if isinstance(one, SkippedInput) and _is_missing(one.source)
            else []
        )
        if isinstance(one, SkippedInput) and gone:
            documents = f"{len(gone):,} documents" if len(gone) > 1 else "the document"
            hint = f"to delete {documents} read from it: polyadic index --prune {one.source}"
            yield replace(one, next_step=hint)
        else:
            yield one


def _read_from_missing(path: Path | str, records: Sequence[DocumentRecord]) -> list[DocumentRecord]:
    """The documents that were read from a path at which there is nothing any more."""
    root = Path(os.path.realpath(path))
    return [record for record in records if _is_below(record.source, [root])] if _is_missing(str(root)) else []


def _is_missing(path: str) -> bool:
    """Whether there is surely nothing at a path; False where a folder may not be entered, or a disk fails."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _is_below(source: str, roots: Sequence[Path]) -> bool:
    return any(Path(_file_of(source)).is_relative_to(root) for root in roots)


def _file_of(source: str) -> str:
    """The file of a document, which may be a row of it.

    >>> _file_of("/no/such/papers.jsonl#7")
    '/no/such/papers.jsonl'
    """
    return source if os.path.lexists(source) or "#" not in source else source.rpartition("#")[0]
