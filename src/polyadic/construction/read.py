"""From paths to documents: the entry to reading."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from polyadic.construction.reading.decode import require_text_encoding
from polyadic.construction.reading.discover import discover
from polyadic.construction.reading.json_lines import read_json_lines
from polyadic.construction.reading.markdown import read_markdown
from polyadic.construction.reading.plain import read_plain
from polyadic.construction.reading.skipped import Skipped, skipped
from polyadic.construction.reading.tables import read_table
from polyadic.errors import UnreadableDocument
from polyadic.knowledge import Document
from polyadic.settings import ReadingSettings

__all__ = ["READERS", "Reader", "Skipped", "read_documents", "read_file"]

Reader = Callable[[Path, ReadingSettings], Iterable[Document | Skipped]]
"""Reads one file; raises UnreadableDocument where it cannot, or cannot go on."""


def _later(module: str) -> Reader:
    """A reader whose module is imported when the first such file is read: most need much that plain text does not."""

    def read(path: Path, settings: ReadingSettings) -> Iterable[Document | Skipped]:
        reader: Reader = getattr(import_module(f"polyadic.construction.reading.{module}"), f"read_{module}")
        return reader(path, settings)

    return read


READERS: Mapping[str, Reader] = {
    ".txt": read_plain,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".csv": read_table,
    ".tsv": read_table,
    ".html": _later("html"),
    ".htm": _later("html"),
    ".pdf": _later("pdf"),
    ".docx": _later("docx"),
    ".pptx": _later("pptx"),
    ".xlsx": _later("xlsx"),
    ".epub": _later("epub"),
    ".eml": _later("eml"),
}


def read_documents(
    paths: Sequence[Path | str] | Path | str, settings: ReadingSettings, exclude: Sequence[Path | str] = ()
) -> Iterator[Document | Skipped]:
    """Documents from files and folders, one at a time, and a report for each thing that gave none.

    A document's source is the absolute path of its file with all links resolved, so a file reached in two
    ways is one document; a row's is that path, ``#`` and the row's id (its number where it has none).
    A document's text is the file's with its line ends made line feeds, without byte order mark and front
    matter; spans count characters of that text.

    Parameters
    ----------
    paths
        Files and folders; folders are searched to any depth, without what is hidden.
    settings
        How to decode, and how large a text may be.
    exclude
        Files and folders to pass over, such as the workspace.

    Raises
    ------
    SettingsError
        The settings name an encoding that Python does not know; raised at once.
    """
    require_text_encoding(settings.encoding)
    several = [paths] if isinstance(paths, str | Path) else paths
    return _read(discover(several, READERS.keys(), exclude), settings)


def _read(found: Iterator[Path | Skipped], settings: ReadingSettings) -> Iterator[Document | Skipped]:
    for path in found:
        if isinstance(path, Skipped):
            yield path
            continue
        yield from read_file(path, settings)


def read_file(path: Path, settings: ReadingSettings) -> Iterator[Document | Skipped]:
    """What one file gives, whose suffix is among those of :data:`READERS`; ``path`` is what sources begin with."""
    try:
        yield from READERS[path.suffix.lower()](path, settings)
    except UnreadableDocument as problem:
        yield skipped(str(path), problem)
