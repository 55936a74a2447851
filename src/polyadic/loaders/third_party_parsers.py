"""Call third-party parsers; convert any failure, also of single pages, into a one-line reason."""

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import PolyadicError, UnreadableDocument, install_command
from polyadic.loaders.decoding import empty
from polyadic.loaders.file_access import read_whole
from polyadic.loaders.skipped import printable
from polyadic.model.types import Document

_MAX_CHARACTERS = 120
CHECK_IT = "check that it opens in another program, and save it again"
_INSTALL = install_command("formats")

_MAX_LISTED_PAGES = 10


@dataclass(frozen=True, slots=True)
class OptionalFormat:
    """A file format: its suffix, common name, and the package and module needed to read it, if any."""

    suffix: str
    name: str
    package: str = ""
    module: str = ""


@dataclass(frozen=True, slots=True)
class PartialDocument:
    """An incomplete document, and what is missing from it."""

    document: Document
    problem: UnreadableDocument


Parse = Callable[..., Document | PartialDocument]
"""Parses the path, bytes and settings of a file into a document; may raise any exception.

Parsers of formats with images have further parameters, ``recognizer`` and ``captioner``.
"""


def with_problems(document: Document, problems: Sequence[UnreadableDocument]) -> Document | PartialDocument:
    """Return a document as incomplete if there are problems; the next step is that of the first."""
    if not problems:
        return document
    what = "; ".join(problem.what for problem in problems)
    return PartialDocument(document, UnreadableDocument(what, problems[0].next_step))


class OptionalReader:
    """Reader of one format: opens files safely and converts parser errors into ``UnreadableDocument``.

    Parameters
    ----------
    kind
        The format.
    parse
        Parses the bytes of a file.
    """

    def __init__(self, kind: OptionalFormat, parse: Parse) -> None:
        self.__doc__ = parse.__doc__
        self._kind = kind
        self._parse = parse

    def using(self, **models: object) -> "OptionalReader":
        """Return a reader whose parser also gets these models, by the name of its parameter."""
        return OptionalReader(self._kind, partial(self._parse, **models))

    def __call__(self, path: Path, settings: ReadingSettings) -> Iterator[Document]:
        yield from self.parse(path, read_whole(path, settings.max_megabytes), settings)

    def parse(self, path: Path, data: bytes, settings: ReadingSettings) -> Iterator[Document]:
        """Parse bytes that are not a separate file, such as a message in a mailbox.

        Raises
        ------
        UnreadableDocument
            The bytes are empty or cannot be parsed, or the document is incomplete (raised after yielding it).
        """
        if not data.strip():
            raise empty()
        with _explain_errors(self._kind), _silence(self._kind):
            result = self._parse(path, data, settings)
        if isinstance(result, Document):
            yield result
            return
        yield result.document
        raise result.problem


def reader(kind: OptionalFormat) -> Callable[[Parse], OptionalReader]:
    """Decorate a function that parses bytes, to make it a reader."""
    return partial(OptionalReader, kind)


def unreadable(kind: OptionalFormat, why: str, next_step: str = CHECK_IT) -> UnreadableDocument:
    """Return the error for a file whose content does not match its suffix.

    >>> unreadable(OptionalFormat(".pdf", "PDF"), "wrong file signature").what
    'not a readable PDF (wrong file signature)'
    """
    return UnreadableDocument(f"not a readable {kind.name} ({why})", next_step)


def encrypted() -> UnreadableDocument:
    """Return the error for a file that is protected by a password."""
    return UnreadableDocument("encrypted", "save it without a password")


@contextmanager
def _explain_errors(kind: OptionalFormat) -> Iterator[None]:
    """Check that the required package is installed, and convert any exception into a one-line error."""
    try:
        if kind.module:
            _require(kind)
        yield
    except PolyadicError:
        raise
    except Exception as error:
        raise unreadable(kind, error_words(error)) from error


@contextmanager
def _silence(kind: OptionalFormat) -> Iterator[None]:
    """Suppress a library's warnings and log messages: they concern the author of the file, not its reader."""
    log = logging.getLogger(kind.module or __name__)
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def _require(kind: OptionalFormat) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import_module(kind.module)
    except ImportError as error:
        what = f"reading {kind.suffix} files needs {kind.package}, which is not installed"
        raise UnreadableDocument(what, _INSTALL) from error


def error_words(error: Exception) -> str:
    """Return the type of an error and the beginning of its message."""
    message = printable(" ".join(str(error).split()))
    name = type(error).__name__
    short = message if len(message) <= _MAX_CHARACTERS else message[: _MAX_CHARACTERS - 1].rstrip() + "…"
    return f"{name}: {short.rstrip('.')}" if short else name


def missing_pages(broken: Mapping[int, Exception], pages: int) -> UnreadableDocument:
    """Return the error that names the pages that cannot be read, and the reason for the first if it is known.

    Parameters
    ----------
    broken
        Errors by number of the page, from 1.
    pages
        Number of pages of the file.

    >>> missing_pages({2: UnreadableDocument("too dark", "scan it again"), 3: ValueError()}, 12).what
    '2 of its 12 pages cannot be read: 2, 3 (too dark)'
    """
    numbers = sorted(broken)
    listed = ", ".join(map(str, numbers[:_MAX_LISTED_PAGES])) + (", …" if len(numbers) > _MAX_LISTED_PAGES else "")
    what = f"{len(numbers):,} of its {pages:,} pages cannot be read: {listed}"
    reason = broken[numbers[0]]
    if isinstance(reason, PolyadicError):
        return UnreadableDocument(f"{what} ({reason.what})", reason.next_step)
    return UnreadableDocument(what, CHECK_IT)
