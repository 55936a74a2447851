"""Find documents whose source file, or row of a file, no longer exists."""

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document
from polyadic.storage.protocol import DocumentRecord


@dataclass(slots=True)
class SeenSources:
    """Sources seen during a run: documents that were read, and inputs that could not be read."""

    sources: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)

    def watch(self, found: Iterable[Document | SkippedInput]) -> Iterator[Document | SkippedInput]:
        """Pass inputs through and record their sources."""
        for one in found:
            (self.unread if isinstance(one, SkippedInput) else self.sources).add(one.source)
            yield one

    def missing(self, records: Iterable[DocumentRecord], paths: Sequence[Path | str]) -> list[DocumentRecord]:
        """Return the records below these paths whose source no longer exists.

        All files below the paths must have been read. A source that cannot be accessed does not count as gone. A row
        counts as gone only if its file could be read completely.
        """
        roots = [Path(os.path.realpath(path)) for path in paths]
        return [record for record in records if _is_below(record.source, roots) and self._is_gone(record.source)]

    def _is_gone(self, source: str) -> bool:
        if source in self.sources or not _is_missing(source):
            return False
        file = _file_of(source)
        if _is_missing(file):
            return True
        complete = file not in self.unread
        return complete and any(_file_of(other) == file for other in self.sources)


def kept_without_a_file(
    seen: SeenSources, paths: Sequence[Path | str], records: Callable[[], Sequence[DocumentRecord]]
) -> list[str]:
    """Return a note on documents below these folders whose source no longer exists; empty if there are none."""
    folders = [path for path in paths if Path(path).is_dir()]
    gone = seen.missing(records(), folders) if folders else []
    if not gone:
        return []
    kept = "1 document is" if len(gone) == 1 else f"{len(gone):,} documents are"
    owner = "its" if len(gone) == 1 else "their"
    command = shlex.join(["polyadic", "index", "--prune", *map(str, folders)])
    return [f"{kept} kept although {owner} file or row no longer exists (to delete: {command})"]


def still_there(paths: Sequence[Path | str], records: Sequence[DocumentRecord]) -> list[Path | str]:
    """Drop missing paths that documents were read from; pruning deletes these, so they need no error."""
    return [path for path in paths if not _read_from_missing(path, records)]


def with_prune_hints(
    found: Iterable[Path | SkippedInput], records: Callable[[], Sequence[DocumentRecord]]
) -> Iterator[Path | SkippedInput]:
    """Pass inputs through; add a hint on pruning to missing paths that documents were read from."""
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
    """Documents that were read from a path that no longer exists."""
    root = Path(os.path.realpath(path))
    return [record for record in records if _is_below(record.source, [root])] if _is_missing(str(root)) else []


def _is_missing(path: str) -> bool:
    """Whether a path certainly does not exist; False if access is denied or the disk fails."""
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
    """Return the file of a source, which may be a row of it.

    >>> _file_of("/no/such/papers.jsonl#7")
    '/no/such/papers.jsonl'
    """
    return source if os.path.lexists(source) or "#" not in source else source.rpartition("#")[0]
