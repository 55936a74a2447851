"""The one place where libraries of others are called: they give a document, or one line that says why not."""

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.file_access import read_whole
from polyadic.loaders.skipped import printable
from polyadic.model.types import Document

_LONGEST_WORDS = 120
CHECK_IT = "check that it opens elsewhere, and save it again"
_INSTALL = "pip install 'polyadic[formats]'"


@dataclass(frozen=True, slots=True)
class OptionalFormat:
    """A kind of file: its suffix, what people call it, and the package and module that read it, if it needs them."""

    suffix: str
    name: str
    package: str = ""
    module: str = ""


@dataclass(frozen=True, slots=True)
class PartialDocument:
    """A document from which something is missing, and what."""

    document: Document
    problem: UnreadableDocument


Parse = Callable[[Path, bytes, ReadingSettings], Document | PartialDocument]
"""Makes the document of a file's bytes; may raise whatever it likes."""


class OptionalReader:
    """Reads files of a format: opens each with care, and explains whatever parsing raises."""

    def __init__(self, kind: OptionalFormat, parse: Parse) -> None:
        self.__doc__ = parse.__doc__
        self._kind = kind
        self._parse = parse

    def __call__(self, path: Path, settings: ReadingSettings) -> Iterator[Document]:
        yield from self.parse(path, read_whole(path, settings.max_megabytes), settings)

    def parse(self, path: Path, data: bytes, settings: ReadingSettings) -> Iterator[Document]:
        """The document of bytes that are not a file of their own, such as a message in a mailbox."""
        if not data.strip():
            raise UnreadableDocument("empty", "")
        with _explained(self._kind), _silenced(self._kind):
            found = self._parse(path, data, settings)
        if isinstance(found, Document):
            yield found
            return
        yield found.document
        raise found.problem


def reader(kind: OptionalFormat) -> Callable[[Parse], OptionalReader]:
    """Make a reader of a function that parses bytes."""
    return partial(OptionalReader, kind)


def unreadable(kind: OptionalFormat, why: str, next_step: str = CHECK_IT) -> UnreadableDocument:
    """The refusal of a file that is not what its suffix says.

    >>> unreadable(OptionalFormat(".pdf", "PDF"), "it does not begin like one").what
    'not a readable PDF (it does not begin like one)'
    """
    return UnreadableDocument(f"not a readable {kind.name} ({why})", next_step)


def encrypted() -> UnreadableDocument:
    """The refusal of what cannot be read without a password."""
    return UnreadableDocument("encrypted", "save it without a password")


@contextmanager
def _explained(kind: OptionalFormat) -> Iterator[None]:
    """Whatever is raised, said in one line; the package that reads the format is there."""
    try:
        if kind.module:
            _require(kind)
        yield
    except UnreadableDocument:
        raise
    except Exception as error:
        raise unreadable(kind, error_words(error)) from error


@contextmanager
def _silenced(kind: OptionalFormat) -> Iterator[None]:
    """What a library warns of or logs concerns whoever made the file, not whoever reads it."""
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
    """The kind of an error and the first of its words."""
    words = printable(" ".join(str(error).split()))
    name = type(error).__name__
    cut = words if len(words) <= _LONGEST_WORDS else words[: _LONGEST_WORDS - 1].rstrip() + "…"
    return f"{name}: {cut.rstrip('.')}" if cut else name
