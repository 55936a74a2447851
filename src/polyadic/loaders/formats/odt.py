"""Read OpenDocument text files: headings, paragraphs, lists and tables in document order, then the notes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.archives import archive, member, xml_tree
from polyadic.loaders.document_properties import sensible_title
from polyadic.loaders.extracted_text import ExtractedText, is_list_item
from polyadic.loaders.tables.row_lines import row_lines
from polyadic.loaders.third_party_parsers import OptionalFormat, reader, unreadable
from polyadic.model.types import Document

ODT = OptionalFormat(".odt", "OpenDocument text")

_MAX_DEPTH = 200
_MAX_REPEATED = 1_000
_SKIPPED = {
    "annotation",
    "tracked-changes",
    "sequence-decls",
    "note",
    "ruby-text",
    "table-of-content",
    "forms",
}
_CHARACTERS = {"tab": "\t", "line-break": "\n"}
_METADATA = {"initial-creator": "author", "subject": "subject", "keyword": "keywords", "creation-date": "date"}


@reader(ODT)
def read_odt(path: Path, data: bytes, settings: ReadingSettings) -> Document:
    """Read a file as one document: paragraphs, headings with number signs, lists, and one line per table row."""
    with archive(data, ODT, settings.max_megabytes) as opened:
        content, about = xml_tree(member(opened, "content.xml")), xml_tree(member(opened, "meta.xml"))
    if content is None:
        raise unreadable(ODT, "it has no content.xml")
    body = next(content.iter("{*}text"), None)
    extracted = ExtractedText(settings.max_megabytes)
    extracted.add_blocks([*_blocks(body, 0), *_notes(content)] if body is not None else [], is_list_item)
    title, metadata = _described(about)
    return extracted.document(path, sensible_title(title, path), metadata, paged=False)


def _blocks(parent: Any, depth: int, level: int = 0) -> Iterator[str]:
    """Yield the paragraphs, list items and tables in an element; ``level`` is the list nesting depth."""
    if depth > _MAX_DEPTH:
        raise UnreadableDocument(f"its elements are nested more than {_MAX_DEPTH} deep", "simplify it")
    for child in parent.iterchildren(tag="{*}*"):
        name = _name(child)
        if name == "h":
            words = " ".join(_paragraph_text(child, 0).split())
            if words:
                yield f"{'#' * _number(child, 'outline-level', 6)} {words}"
        elif name == "p":
            yield _paragraph_text(child, 0).strip()
            # A text box belongs to the paragraph in which it is anchored.
            for box in child.iter("{*}text-box"):
                yield from _blocks(box, depth + 1)
        elif name == "list":
            yield from _items(child, depth + 1, level)
        elif name == "table":
            yield "\n".join(["", *row_lines(_rows(child, depth + 1), _headers(child))])
        elif name not in _SKIPPED:
            yield from _blocks(child, depth + 1, level)


def _items(parent: Any, depth: int, level: int) -> Iterator[str]:
    for item in parent.iterchildren(tag="{*}*"):
        first = True
        for block in _blocks(item, depth, level + 1):
            yield f"{'  ' * min(level, 9)}- {block}" if first and block and not is_list_item(block) else block
            first = first and not block


def _rows(table: Any, depth: int) -> Iterator[list[str]]:
    for row in table.iter("{*}table-row"):
        cells: list[str] = []
        for cell in row.iterchildren("{*}table-cell", "{*}covered-table-cell"):
            words = " ".join(filter(None, _blocks(cell, depth)))
            times = _number(cell, "number-columns-repeated", _MAX_REPEATED) if words else 1
            cells += [words] * times
        yield cells


def _headers(table: Any) -> int | None:
    """Return the number of rows marked as headers; None (detect from the content) if none are marked."""
    marked = next(table.iterchildren("{*}table-header-rows"), None)
    return None if marked is None else sum(1 for _ in marked.iterchildren("{*}table-row"))


def _paragraph_text(element: Any, depth: int) -> str:
    """Return the text of a paragraph, without notes and comments."""
    if depth > _MAX_DEPTH:
        return ""
    parts = [element.text or ""]
    for child in element.iterchildren(tag="{*}*"):
        name = _name(child)
        if name == "s":
            parts.append(" " * _number(child, "c", _MAX_REPEATED))
        elif name in _CHARACTERS:
            parts.append(_CHARACTERS[name])
        elif name not in _SKIPPED and name != "frame":
            parts.append(_paragraph_text(child, depth + 1))
        parts.append(child.tail or "")
    return "".join(parts)


def _notes(content: Any) -> Iterator[str]:
    for body in content.iter("{*}note-body"):
        yield " ".join(filter(None, _blocks(body, 0)))


def _described(about: Any) -> tuple[str, dict[str, object]]:
    if about is None:
        return "", {}
    elements = [(_name(element), " ".join("".join(element.itertext()).split())) for element in about.iter("{*}*")]
    metadata: dict[str, object] = {}
    for name, words in elements:
        if name in _METADATA and words:
            metadata.setdefault(_METADATA[name], words[:10] if name == "creation-date" else words)
    return next((words for name, words in elements if name == "title"), ""), metadata


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _number(element: Any, name: str, limit: int) -> int:
    """Return an attribute as a number from 1 to ``limit``; 1 if it is missing or invalid."""
    digits = next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "1")
    return min(limit, max(1, int(digits))) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else 1
