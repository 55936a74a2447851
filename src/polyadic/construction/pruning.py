"""Which documents are gone from where they were read: their file, or their row in a file that is still there."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polyadic.construction.read import Skipped
from polyadic.knowledge import Document
from polyadic.store.protocol import DocumentRecord


@dataclass(slots=True)
class Seen:
    """Remembers what comes by while files are read: sources of documents, and what could not be read."""

    sources: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)

    def watch(self, found: Iterable[Document | Skipped]) -> Iterator[Document | Skipped]:
        """The same things, remembered as they pass."""
        for one in found:
            (self.unread if isinstance(one, Skipped) else self.sources).add(one.source)
            yield one

    def gone(self, records: Iterable[DocumentRecord], paths: Sequence[Path | str]) -> list[DocumentRecord]:
        """Those of the records below these paths, all of which have come by, that are no longer there.

        Nothing is gone below a path that is itself not there: a disk may not be mounted. A row is gone from a file
        only if all of the file could be read.
        """
        roots = [root for path in paths if (root := Path(os.path.realpath(path))).exists()]
        return [record for record in records if self._is_below(record.source, roots) and self._is_gone(record.source)]

    def _is_gone(self, source: str) -> bool:
        if source in self.sources or os.path.lexists(source):
            return False
        file = _file_of(source)
        if not os.path.lexists(file):
            return True
        whole = file not in self.unread
        return whole and any(_file_of(other) == file for other in self.sources)

    def _is_below(self, source: str, roots: Sequence[Path]) -> bool:
        return any(Path(_file_of(source)).is_relative_to(root) for root in roots)


def _file_of(source: str) -> str:
    """The file of a document, which may be a row of it.

    >>> _file_of("/no/such/papers.jsonl#7")
    '/no/such/papers.jsonl'
    """
    return source if os.path.lexists(source) or "#" not in source else source.rpartition("#")[0]
