"""Word files: what stands in the body, in its order, then the notes."""

import io
import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from polyadic.config import ReadingSettings
from polyadic.loaders.archives import archive
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.office_properties import properties_said
from polyadic.loaders.optional_readers import OptionalFormat, reader
from polyadic.loaders.superscripts import raised
from polyadic.loaders.tables.table_text import row_lines
from polyadic.loaders.title_properties import sensible_title
from polyadic.model.types import Document
from polyadic.text.code_fences import without_headings

DOCX = OptionalFormat(".docx", "Word file", package="python-docx", module="docx")

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_DEEPEST_STYLE = 10
_FEWEST_COLUMNS = 3
_WIDEST_SPAN = 100
_NOTES = ("/word/footnotes.xml", "/word/endnotes.xml")
# Not text: what was deleted, codes of fields, and what programs fall back on that do not know an element.
_LEFT_OUT = {f"{_W}{name}" for name in ("del", "moveFrom", "instrText", "txbxContent", "pPr", "rPr")} | {
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
}
_SIGNS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}

Element = Any
"""An element of lxml, whose types are not known here."""


@reader(DOCX)
def read_docx(path: Path, data: bytes, settings: ReadingSettings) -> Document:
    """The one document of a file: paragraphs, headings with number signs, lists, a line for each row of a table."""
    import docx

    with archive(data, DOCX, settings.max_megabytes):
        opened = docx.Document(io.BytesIO(data))
    levels = _levels(opened.styles.element)
    extracted = ExtractedText(settings.max_megabytes)
    before = ""
    for block in [*_blocks(opened.element.body, levels), *_notes(opened.part.package, levels)]:
        extracted.add(block, "\n" if _is_item(before) and _is_item(block) else "\n\n")
        before = block
    properties = opened.core_properties
    return extracted.document(path, sensible_title(properties.title, path), properties_said(properties), paged=False)


def _levels(styles: Element) -> Callable[[str], int]:
    """From the name of a style to the level of heading that it makes; 0 for none."""
    known = {style.get(f"{_W}styleId"): style for style in styles.iter(f"{_W}style")}

    def level(name: str) -> int:
        for _ in range(_DEEPEST_STYLE):
            style = known.get(name)
            if style is None:
                return 0
            called = _value(style, "name")
            if called.lower() == "title":
                return 1
            if found := _HEADING.fullmatch(called):
                return min(6, max(1, int(found.group(1))))
            name = _value(style, "basedOn")
        return 0

    return level


def _blocks(parent: Element, levels: Callable[[str], int]) -> Iterator[str]:
    """The paragraphs and tables in an element and in what merely wraps them, such as controls."""
    for child in parent.iterchildren(tag=f"{_W}*"):
        if child.tag == f"{_W}p":
            yield _paragraph(child, levels)
            # Boxes with text belong to the paragraph that they are anchored in.
            for box in child.iter(f"{_W}txbxContent"):
                if not any(up.tag in _LEFT_OUT for up in box.iterancestors()):
                    yield from _blocks(box, levels)
        elif child.tag == f"{_W}tbl":
            # It begins with an empty line, so that a table of one row is not taken for an item of a list.
            yield "\n".join(["", *row_lines(_rows(child), _headers(child))])
        elif child.tag not in _LEFT_OUT:
            yield from _blocks(child, levels)


def _paragraph(paragraph: Element, levels: Callable[[str], int]) -> str:
    text = without_headings("".join(_pieces(paragraph)).strip())
    properties = paragraph.find(f"{_W}pPr")
    if properties is None or not text:
        return text
    style = _value(properties, "pStyle")
    if level := levels(style):
        return f"{'#' * level} {' '.join(text.split())}"
    numbering = properties.find(f"{_W}numPr")
    if numbering is not None and _value(numbering, "numId") != "0":
        depth = _value(numbering, "ilvl")
        return f"{'  ' * min(9, int(depth) if depth.isdecimal() else 0)}- {text}"
    return f"- {text}" if style.startswith("List") and style != "ListParagraph" else text


def _pieces(element: Element) -> Iterator[str]:
    before = ""
    for child in element.iterchildren(tag="{*}*"):
        if child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag in _SIGNS:
            yield _SIGNS[child.tag]
        elif child.tag not in _LEFT_OUT and child.tag != f"{_W}tbl":
            words = "".join(_pieces(child))
            words = raised(before, words) if words and _is_raised(child) else words
            before = words or before
            yield words


def _is_raised(run: Element) -> bool:
    return run.find(f"{_W}rPr/{_W}vertAlign[@{_W}val='superscript']") is not None


def _rows(table: Element) -> Iterator[list[str]]:
    """The text of all cells, each repeated over the columns and rows that it spans; a row of one cell stays that."""
    above: list[str] = []
    for row in _within(table, "tr"):
        cells: list[str] = []
        found = [*_within(row, "tc")]
        for cell in found:
            text = " ".join(_blocks(cell, _no_heading))
            if _goes_on(cell) and len(cells) < len(above):
                text = above[len(cells)]
            cells += [text] * (_columns(cell) if len(found) > 1 else 1)
        above = cells
        yield cells


def _columns(cell: Element) -> int:
    """How many columns a cell spans."""
    properties = cell.find(f"{_W}tcPr")
    span = _value(properties, "gridSpan") if properties is not None else ""
    return min(_WIDEST_SPAN, max(1, int(span))) if span.isdecimal() and len(span) < 6 else 1


def _goes_on(cell: Element) -> bool:
    """Whether a cell is merged with the one above it."""
    merged = cell.find(f"{_W}tcPr/{_W}vMerge")
    return merged is not None and (merged.get(f"{_W}val") or "continue") == "continue"


def _no_heading(style: str) -> int:
    """In a table nothing is a heading, whatever its style."""
    return 0


def _within(parent: Element, name: str) -> Iterator[Element]:
    """The children of this name, also where a control wraps them."""
    for child in parent.iterchildren(tag=f"{_W}*"):
        if child.tag == f"{_W}{name}":
            yield child
        elif child.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"}:
            yield from _within(child, name)


def _headers(table: Element) -> int | None:
    """How many rows name the columns: those that are marked, or a bold one; else it is judged, if the table is wide.

    Of two columns the first is often what names the rows.
    """
    rows = _within(table, "tr")
    first = next(rows, None)
    if first is None:
        return 0
    if _is_marked(first):
        return 1 + sum(1 for _ in takewhile(_is_marked, rows))
    if _is_bold(first):
        return 1
    return None if sum(1 for _ in _within(first, "tc")) >= _FEWEST_COLUMNS else 0


def _is_marked(row: Element) -> bool:
    """Whether a row is repeated as a heading on each page."""
    return row.find(f"{_W}trPr/{_W}tblHeader") is not None


def _is_bold(row: Element) -> bool:
    runs = [run for run in row.iter(f"{_W}r") if "".join(_pieces(run)).strip()]
    return bool(runs) and all(run.find(f"{_W}rPr/{_W}b") is not None for run in runs)


def _notes(package: Any, levels: Callable[[str], int]) -> Iterator[str]:
    """Footnotes, then endnotes, each a paragraph."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    parts = {str(part.partname): part for part in package.iter_parts()}
    for name in _NOTES:
        if name in parts:
            for note in etree.fromstring(parts[name].blob, parser).iterchildren(tag=f"{_W}*"):
                # Lines that part notes from the text are notes with a type.
                if note.get(f"{_W}type", "normal") == "normal":
                    yield " ".join(filter(None, _blocks(note, levels)))


def _value(parent: Element, name: str) -> str:
    found = parent.find(f"{_W}{name}")
    return (found.get(f"{_W}val") or "") if found is not None else ""


def _is_item(block: str) -> bool:
    """Whether a block is an item of a list, not the rows of a table."""
    return block.lstrip(" ").startswith("- ") and "\n" not in block
