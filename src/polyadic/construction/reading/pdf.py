"""PDF files, page by page."""

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from polyadic.construction.reading.extracted import Extracted
from polyadic.construction.reading.files import byte_limit, too_large
from polyadic.construction.reading.foreign import CHECK_IT, Format, Partial, encrypted, reader, unreadable
from polyadic.construction.reading.reflow import reflowed, runs_on, words_of
from polyadic.construction.reading.titles import sensible_title
from polyadic.errors import UnreadableDocument
from polyadic.knowledge import Document
from polyadic.settings import ReadingSettings

if TYPE_CHECKING:
    from pypdf import PdfReader

PDF = Format(".pdf", "PDF", package="pypdf", module="pypdf")

MOST_PAGES = 20_000
"""Pages of one file."""

_MARK = b"%PDF-"
_BEFORE_THE_MARK = 1_024
_MOST_NAMED = 10
_NO_VALUE = {"(unspecified)", "(anonymous)", "unspecified", "anonymous"}


@reader(PDF)
def read_pdf(path: Path, data: bytes, settings: ReadingSettings) -> Document | Partial:
    """The one document of a file, its lines joined into paragraphs; ``pages`` are those of the file."""
    from pypdf import PdfReader

    if _MARK not in data[:_BEFORE_THE_MARK]:
        raise unreadable(PDF, "it does not begin like one")
    with io.BytesIO(data) as file, _deciphered(), PdfReader(file) as opened:
        _unlock(opened)
        found = list(_pages(opened, settings.max_megabytes))
        title, metadata = _described(opened, path)
    broken = {number: page for number, page in enumerate(found, start=1) if isinstance(page, Exception)}
    pages = ["" if isinstance(page, Exception) else page for page in found]
    if not any(page.strip() for page in pages):
        raise next(iter(broken.values()), _without_text(len(pages)))
    document = _document(path, pages, title, metadata, settings)
    return Partial(document, _missing(list(broken), len(pages))) if broken else document


def _document(
    path: Path, pages: list[str], title: str, metadata: Mapping[str, object], settings: ReadingSettings
) -> Document:
    words = words_of(pages)
    extracted = Extracted(settings.max_megabytes)
    for page in pages:
        text = reflowed(page, words)
        extracted.add(text, " " if runs_on(extracted.last, text) else "\n\n")
    return extracted.document(path, title, metadata, paged=True)


def _unlock(opened: "PdfReader") -> None:
    """Open what only its owner may change; what nobody may read without a password is refused."""
    if opened.is_encrypted and not opened.decrypt(""):
        raise encrypted()


@contextmanager
def _deciphered() -> Iterator[None]:
    """Say what is missing where pypdf cannot decipher by itself."""
    from pypdf.errors import DependencyError

    try:
        yield
    except DependencyError as error:
        if "AES" not in str(error):
            raise
        what = "encrypted with AES, which needs cryptography, which is not installed"
        raise UnreadableDocument(what, "pip install 'polyadic[formats]', or save it without a password") from error


def _pages(opened: "PdfReader", max_megabytes: float) -> Iterator[str | Exception]:
    """The text of each page, or what went wrong there: the others can still be read."""
    from pypdf.errors import DependencyError

    count = len(opened.pages)
    if not count:
        raise unreadable(PDF, "it has no pages")
    if count > MOST_PAGES:
        raise UnreadableDocument(f"{count:,} pages are over the limit of {MOST_PAGES:,}", "split it")
    characters = 0
    for place in range(count):
        try:
            text = opened.pages[place].extract_text()
        except DependencyError:
            raise
        except Exception as error:
            yield error
            continue
        characters += len(text)
        if characters > byte_limit(max_megabytes):
            raise too_large(characters, max_megabytes)
        yield text


def _without_text(pages: int) -> UnreadableDocument:
    where = "its only page" if pages == 1 else f"its {pages:,} pages"
    return UnreadableDocument(f"no text on {where}, probably scanned", "run it through OCR first")


def _missing(numbers: list[int], pages: int) -> UnreadableDocument:
    named = ", ".join(map(str, numbers[:_MOST_NAMED])) + (", …" if len(numbers) > _MOST_NAMED else "")
    what = f"{len(numbers):,} of its {pages:,} pages cannot be read: {named}"
    return UnreadableDocument(what, CHECK_IT)


def _described(opened: "PdfReader", path: Path) -> tuple[str, dict[str, object]]:
    """The title and what else the file says of itself; broken parts of that are passed over."""
    given = opened.metadata
    if given is None:
        return "", {}
    values: dict[str, object] = {
        name: "" if value.strip() in _NO_VALUE else value
        for name, value in (
            ("author", _text(given.get("/Author"))),
            ("subject", _text(given.get("/Subject"))),
            ("keywords", _text(given.get("/Keywords"))),
            ("date", _date(_text(given.get("/CreationDate")))),
        )
    }
    return sensible_title(_text(given.get("/Title")), path), values


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _date(value: str) -> str:
    """``D:20240501120000Z`` as 2024-05-01; empty where it is no date."""
    digits = value.removeprefix("D:")[:8]
    try:
        return datetime.strptime(digits, "%Y%m%d").date().isoformat()
    except ValueError:
        return ""
