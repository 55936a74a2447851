"""PDF files, page by page."""

import ctypes
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from threading import Lock
from typing import TYPE_CHECKING

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.file_access import byte_limit, too_large
from polyadic.loaders.optional_readers import CHECK_IT, OptionalFormat, PartialDocument, encrypted, reader, unreadable
from polyadic.loaders.pages.hyphenation import Hyphenation
from polyadic.loaders.pages.pdf_reflow import printed, reflowed, runs_on
from polyadic.loaders.pages.running_headers import PageLine, without_furniture
from polyadic.loaders.pages.table_of_contents import contents_lines
from polyadic.loaders.title_properties import sensible_title
from polyadic.model.types import Document
from polyadic.text.code_fences import without_headings

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfTextPage

PDF = OptionalFormat(".pdf", "PDF", package="pypdfium2", module="pypdfium2")

MOST_PAGES = 20_000
"""Pages of one file."""

_MARK = b"%PDF-"
_BEFORE_THE_MARK = 1_024
_ENCRYPTED = b"/Encrypt"
_MOST_NAMED = 10
_NO_VALUE = {"(unspecified)", "(anonymous)", "unspecified", "anonymous"}
# What ends a line in the text of a page: PDFium puts U+FFFE for a hyphen and the line end after it.
_LINE_END = re.compile("\r\n?|[\n\ufffe]")
_HYPHEN = "\ufffe"
# Of the usual distance between lines; a wider one parts paragraphs.
_GAP = 1.4
# Of the height of letters: so much larger are those of headings. Marks of footnotes are smaller than the text, too.
_OTHER_SIZE = 1.2
_LONGEST_MARK = 3
_NOTE_MARK = re.compile(r"\d{1,3}|[*†‡§]{1,3}")
# PDFium may be called by one thread at a time.
_ALONE = Lock()

_Pages = list[list[PageLine] | Exception]


@reader(PDF)
def read_pdf(path: Path, data: bytes, settings: ReadingSettings) -> Document | PartialDocument:
    """The one document of a file, its lines joined into paragraphs; ``pages`` are those of the file."""
    if _MARK not in data[:_BEFORE_THE_MARK]:
        raise unreadable(PDF, "it does not begin like one")
    with _ALONE:
        found, given = _extracted(data, settings.max_megabytes)
    broken = {number: page for number, page in enumerate(found, start=1) if isinstance(page, Exception)}
    pages = [[] if isinstance(page, Exception) else page for page in found]
    if not any(pages):
        raise next(iter(broken.values()), _without_text(len(pages)))
    title, metadata = _described(given, path)
    extracted = _text(pages, settings.max_megabytes)
    document = extracted.document(path, title, metadata, paged=True)
    return PartialDocument(document, _missing(list(broken), len(pages))) if broken else document


def _extracted(data: bytes, max_megabytes: float) -> tuple[_Pages, Mapping[str, str]]:
    """The lines of each page, or what went wrong there, and what the file says of itself."""
    from pypdfium2 import PdfDocument, PdfiumError
    from pypdfium2.raw import FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY

    try:
        opened = PdfDocument(data)
    except PdfiumError as error:
        # The code may be that of an earlier file: PDFium leaves it as it is where a file has no pages.
        if _ENCRYPTED in data and error.err_code in {FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY}:
            raise encrypted() from error
        raise _damaged() from error
    try:
        return list(_pages(opened, max_megabytes)), opened.get_metadata_dict()
    finally:
        opened.close()


def _pages(opened: "PdfDocument", max_megabytes: float) -> Iterator[list[PageLine] | Exception]:
    count = len(opened)
    if not count:
        raise _damaged()
    if count > MOST_PAGES:
        raise UnreadableDocument(f"{count:,} pages are over the limit of {MOST_PAGES:,}", "split it")
    characters = 0
    for place in range(count):
        try:
            lines, found = _page(opened, place, byte_limit(max_megabytes) - characters)
        except UnreadableDocument:
            raise
        except Exception as error:
            yield error
            continue
        characters += found
        if characters > byte_limit(max_megabytes):
            raise too_large(characters, max_megabytes)
        yield lines


def _page(opened: "PdfDocument", place: int, most: int) -> tuple[list[PageLine], int]:
    """The lines of a page and how many characters it has; no lines where these are more than there may be."""
    page = opened[place]
    try:
        text_page = page.get_textpage()
        try:
            count = text_page.count_chars()
            return ([] if count > most else list(_lines(text_page, page.get_height()))), count
        finally:
            text_page.close()
    finally:
        page.close()


def _lines(page: "PdfTextPage", height: float) -> Iterator[PageLine]:
    """The lines of a page with text, in its order: where they stand, and how high their letters are."""
    from pypdfium2 import raw

    text = page.get_text_range()
    x, y, box = ctypes.c_double(), ctypes.c_double(), raw.FS_RECTF()
    start = 0
    for end in (*_LINE_END.finditer(text), None):
        line = text[start : end.start() if end else len(text)]
        content = line.lstrip()
        words = printed(content)
        if words:
            index = raw.FPDFText_GetCharIndexFromTextIndex(page, start + len(line) - len(content))
            raw.FPDFText_GetCharOrigin(page, index, x, y)
            raw.FPDFText_GetLooseCharBox(page, index, box)
            hyphen = "-" if end and end.group() == _HYPHEN else ""
            yield PageLine(words + hyphen, round(height - y.value, 1), round(abs(box.top - box.bottom), 1))
        start = end.end() if end else start


def _text(pages: Sequence[Sequence[PageLine]], max_megabytes: float) -> ExtractedText:
    """The running text of all pages, without what is printed beside it."""
    kept = [_spaced(_without_marks(page)) for page in without_furniture(pages)]
    lines = [line for page in kept for line in page]
    contents = contents_lines(lines)
    hyphenation = Hyphenation(lines, splits=True)
    places = [place for place, line in enumerate(lines) if line and place not in contents]
    for before, place in pairwise(places):
        lines[before], lines[place] = hyphenation.mended(lines[before], lines[place])
    extracted = ExtractedText(max_megabytes)
    start = 0
    for page in kept:
        end = start + len(page)
        text = reflowed([lines[place] for place in range(start, end) if place not in contents])
        extracted.add(without_headings(text), " " if runs_on(extracted.last, text) else "\n\n")
        start = end
    return extracted


def _without_marks(page: Sequence[PageLine]) -> list[PageLine]:
    """The lines of a page but for the marks of footnotes that stand alone: small, and raised above a line beside."""
    around = zip(page, [None, *page], [*page[1:], None], strict=False)
    return [line for line, before, after in around if not (_is_mark(line, before) or _is_mark(line, after))]


def _is_mark(line: PageLine, beside: PageLine | None) -> bool:
    if beside is None or not _NOTE_MARK.fullmatch(line.text):
        return False
    return line.size * _OTHER_SIZE < beside.size and 0 < beside.place - line.place < beside.size


def _spaced(page: Sequence[PageLine]) -> list[str]:
    """The lines of a page with an empty one where a gap, or letters of another size, part paragraphs."""
    usual = median([step for before, after in pairwise(page) if (step := after.place - before.place) > 0] or [0.0])
    size = median(line.size for line in page) if page else 0.0
    spaced = [line.text for line in page[:1]]
    for before, line in pairwise(page):
        gap = usual * _GAP * max(size, min(before.size, line.size)) / (size or 1.0)
        spaced += ["", line.text] if line.place - before.place > gap > 0 or _differ(before, line) else [line.text]
    return spaced


def _differ(before: PageLine, line: PageLine) -> bool:
    """Whether two lines are of different sizes, and neither is a mere mark."""
    small, large = sorted((before.size, line.size))
    return large > small * _OTHER_SIZE and min(len(before.text), len(line.text)) > _LONGEST_MARK


def _damaged() -> UnreadableDocument:
    return unreadable(PDF, "it is damaged or has no pages")


def _without_text(pages: int) -> UnreadableDocument:
    where = "its only page" if pages == 1 else f"its {pages:,} pages"
    return UnreadableDocument(f"no text on {where}, probably scanned", "run it through OCR first")


def _missing(numbers: list[int], pages: int) -> UnreadableDocument:
    named = ", ".join(map(str, numbers[:_MOST_NAMED])) + (", …" if len(numbers) > _MOST_NAMED else "")
    what = f"{len(numbers):,} of its {pages:,} pages cannot be read: {named}"
    return UnreadableDocument(what, CHECK_IT)


def _described(given: Mapping[str, str], path: Path) -> tuple[str, dict[str, object]]:
    """The title and what else the file says of itself."""
    values: dict[str, object] = {
        name: "" if value.strip() in _NO_VALUE else value
        for name, value in (
            ("author", given.get("Author", "")),
            ("subject", given.get("Subject", "")),
            ("keywords", given.get("Keywords", "")),
            ("date", _date(given.get("CreationDate", ""))),
        )
    }
    return sensible_title(given.get("Title", ""), path), values


def _date(value: str) -> str:
    """``D:20240501120000Z`` as 2024-05-01; empty where it is no date."""
    digits = value.removeprefix("D:")[:8]
    try:
        return datetime.strptime(digits, "%Y%m%d").date().isoformat()
    except ValueError:
        return ""
