"""Read plain text files."""

import re
from collections.abc import Iterator
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.loaders.decoding import checked, decode
from polyadic.loaders.file_access import read_whole
from polyadic.loaders.formats.csv import is_delimited, read_table
from polyadic.loaders.formats.markdown import markdown_title
from polyadic.loaders.pages.manual_pages import manual_page
from polyadic.loaders.pages.paged_text import running_text
from polyadic.loaders.plain_text_title import plain_title, with_title_apart
from polyadic.loaders.roff.renderer import rendered_manual_page
from polyadic.loaders.skipped import SkippedInput
from polyadic.loaders.tables.plain_text_tables import with_rows
from polyadic.model.types import Document
from polyadic.text.code_fences import without_headings

_MARKDOWN_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_MIN_HEADINGS = 2
_MIN_APART_SHARE = 0.9


def read_plain(path: Path, settings: ReadingSettings) -> Iterator[Document | SkippedInput]:
    """Read a text file as one document; a table that is called .txt as tables are read.

    Raises
    ------
    UnreadableDocument
        The file is not readable, too large, or not text.
    """
    text = decode(read_whole(path, settings.max_megabytes), settings.encoding)
    if is_delimited(text):
        yield from read_table(path, settings)
    else:
        yield plain_document(path, text)


def plain_document(path: Path, text: str) -> Document:
    """Make the document of a text file from its content, without running headers and footers.

    Lines that begin with number signs count as headings only if those of the whole file look like Markdown headings.
    Numbered headings, changelog entries and the sections of manual pages are marked with number signs; manual pages in
    roff source are rendered first. Drawn tables become one line per row that names its columns. The lines of a title
    block are put apart.
    """
    if _has_markdown_headings(text):
        return Document(str(path), markdown_title(text), checked(running_text(text)))
    text = rendered_manual_page(text) or text
    # Escape number signs in the file first, so that only headings marked here look like headings.
    escaped = without_headings(text)
    if (page := manual_page(escaped)) is not None:
        return Document(str(path), page.name, checked(running_text(page.text)))
    title = plain_title(text)
    return Document(str(path), title, checked(with_title_apart(running_text(with_rows(escaped)), title)))


def _has_markdown_headings(text: str) -> bool:
    """Return whether lines with number signs are headings: they follow blank lines, and there are several levels.

    Comments and commands come in runs, or begin with a single sign.
    """
    lines = text.split("\n")
    found = [index for index, line in enumerate(lines) if _MARKDOWN_HEADING.match(line)]
    apart = [index for index in found if not index or not lines[index - 1].strip()]
    has_levels = any(lines[index].startswith("##") for index in found)
    return has_levels and len(found) >= _MIN_HEADINGS and len(apart) >= _MIN_APART_SHARE * len(found)
