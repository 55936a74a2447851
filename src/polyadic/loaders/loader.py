"""From paths to documents: the entry to reading."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path, PurePath

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.decoding import noted_encodings, require_text_encoding
from polyadic.loaders.error_isolation import DocumentDefect, on_one_document, skipped_because
from polyadic.loaders.formats.csv import read_table
from polyadic.loaders.formats.json import read_json
from polyadic.loaders.formats.json_lines import read_json_lines
from polyadic.loaders.formats.markdown import read_markdown
from polyadic.loaders.formats.plain_text import read_plain
from polyadic.loaders.programming_languages import BY_NAME, LANGUAGES
from polyadic.loaders.skipped import SkippedInput, skipped
from polyadic.loaders.walk import discover
from polyadic.model.types import Document

__all__ = ["READERS", "Reader", "SkippedInput", "is_readable", "read_documents", "read_file"]

Reader = Callable[[Path, ReadingSettings], Iterable[Document | SkippedInput]]
"""Reads one file; raises UnreadableDocument where it cannot, or cannot go on."""


def _later(module: str) -> Reader:
    """A reader whose module is imported when the first such file is read: most need much that plain text does not."""

    def read(path: Path, settings: ReadingSettings) -> Iterable[Document | SkippedInput]:
        place = "source_code" if module in ("source", "unnamed") else module
        reader: Reader = getattr(import_module(f"polyadic.loaders.formats.{place}"), f"read_{module}")
        return reader(path, settings)

    return read


READERS: Mapping[str, Reader] = {
    ".txt": read_plain,
    ".text": read_plain,
    ".log": read_plain,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".json": read_json,
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
    ".mbox": _later("mbox"),
    ".odt": _later("odt"),
    ".rtf": _later("rtf"),
    ".rst": _later("rst"),
    ".tex": _later("latex"),
    ".xml": _later("xml"),
    ".yaml": _later("yaml"),
    ".yml": _later("yaml"),
    **dict.fromkeys(LANGUAGES, _later("source")),
}
"""By suffix, in lower case with its dot."""

_SOURCE, _UNNAMED = _later("source"), _later("unnamed")
# Texts that come with software, whatever stands behind their names: README.Debian, LICENSE.MIT, COPYING.LIB.
_KNOWN_TEXT = re.compile(
    r"(?:readme|license|licence|copying|copyright|notice|authors|contributors|contributing|maintainers|changelog|changes"
    r"|news|history|install|todo|faq|release)(?:[-_.]|$)",
    re.IGNORECASE,
)
# Files to copy and edit: rsnapshot.conf.default, env.example.
_EXAMPLES = {".default", ".defaults", ".dist", ".example", ".orig", ".sample", ".template"}
# What looks like a version or an ordinal is no suffix: RELEASE-1.2, notes.2024.
_SUFFIX = re.compile(r"\.[a-z][a-z0-9_]{0,11}", re.IGNORECASE)
_NO_TEXT = re.compile(r"\.(?:so|gz|bz2|xz|zip|asc|sig|png|jpe?g|gif|svg|ico)(?:\.[\d.]+)?$", re.IGNORECASE)


def is_readable(name: str) -> bool:
    """Whether there is a reader for a file of this name.

    >>> [is_readable(name) for name in ("notes.TXT", "LICENSE", "RELEASE-1.2", "README.Debian", "a.png", "x.bin")]
    [True, True, True, True, False, False]
    """
    return _reader_of(name) is not None


def is_unnamed(name: str) -> bool:
    """Whether nothing in a file's name says what kind of file it is, so that its content has to.

    >>> [is_unnamed(name) for name in ("LICENSE", "RELEASE-1.2", "README.Debian", "app.conf.sample", "notes.txt")]
    [True, True, True, True, False]
    """
    return _reader_of(name) is _UNNAMED


def _reader_of(name: str) -> Reader | None:
    path = PurePath(name)
    suffix = path.suffix.lower()
    if name.lower() in BY_NAME:
        return _SOURCE
    if suffix in READERS:
        return READERS[suffix]
    is_known = suffix in _EXAMPLES or not _SUFFIX.fullmatch(suffix) or _KNOWN_TEXT.match(name) is not None
    return _UNNAMED if is_known and not _NO_TEXT.search(name) else None


def read_documents(
    paths: Sequence[Path | str] | Path | str,
    settings: ReadingSettings,
    exclude: Sequence[Path | str] = (),
    watch: Callable[[Iterator[Path | SkippedInput]], Iterator[Path | SkippedInput]] = lambda found: found,
) -> Iterator[Document | SkippedInput]:
    """Documents from files and folders, one at a time, and a report for each thing that gave none.

    A document's source is the absolute path of its file with all links resolved, so a file reached in two
    ways is one document; a row's is that path, ``#`` and the row's id (its number where it has none).
    A document's text is what the reader of its format makes of the file: a text file's with its line ends made line
    feeds, without byte order mark and front matter, without running heads, page numbers and contents, and with marks
    before numbered headings; spans count characters of that text. Headings begin with number signs, and code stands
    between fences. Other number signs that begin a line of plain text or PDF are followed by a no-break space.

    Parameters
    ----------
    paths
        Files and folders; folders are searched to any depth, without what is hidden.
    settings
        How to decode, how large a text may be, and what to pass over.
    exclude
        Files and folders to pass over, such as the workspace.
    watch
        Passes on the files that were found; each is read before the next is asked for.

    Raises
    ------
    SettingsError
        The settings name an encoding that Python does not know; raised at once.
    """
    require_text_encoding(settings.encoding)
    several = [paths] if isinstance(paths, str | Path) else paths
    return _read(watch(discover(several, is_readable, is_unnamed, exclude, settings.exclude)), settings)


def _read(found: Iterator[Path | SkippedInput], settings: ReadingSettings) -> Iterator[Document | SkippedInput]:
    for path in found:
        if isinstance(path, SkippedInput):
            yield path
            continue
        yield from read_file(path, settings)


def read_file(path: Path, settings: ReadingSettings) -> Iterator[Document | SkippedInput]:
    """What one file gives that is readable by its name; ``path`` is what sources begin with.

    The first document says in which encoding the file was read, if it is not UTF-8.
    """
    reader = _reader_of(path.name)
    if reader is None:
        raise ValueError(f"no reader for {path.name}")
    try:
        with on_one_document():
            yield from _with_encoding(iter(reader(path, settings)))
    except UnreadableDocument as problem:
        yield skipped(str(path), problem)
    except DocumentDefect as defect:
        yield skipped_because(str(path), defect)


def _with_encoding(found: Iterator[Document | SkippedInput]) -> Iterator[Document | SkippedInput]:
    is_first = True
    while True:
        # Decoding is watched step by step, as each step of a generator may run in another context.
        with noted_encodings() as noted:
            one = next(found, None)
        if one is None:
            return
        if is_first and isinstance(one, Document):
            is_first = False
            one = replace(one, encoding=", ".join(sorted(noted)))
        yield one
