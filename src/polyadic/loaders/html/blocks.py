"""Blocks of a page: paragraphs, list items, terms with their definitions, tables and quotations."""

import re
from collections.abc import Mapping

from polyadic.loaders.html.tables import HtmlCell, HtmlTable, table_blocks
from polyadic.text.code_fences import without_headings

LISTS = frozenset({"ul", "ol", "menu", "dl"})
_ITEM = re.compile(r" *(?:- |\d{1,9}\. |\|)")
_HEADING = re.compile(r"(#{1,6}) ")
_SECTION_LEVEL = 2
# The question of an entry that opens on a click is a term, and the answer its definition.
_TERMS = ("dt", "summary")
_ENDS_A_TERM = (".", "?", "!", "。", "？", "！")
# Boxes with a remark. Their title is no heading: the text below the box is not part of the remark.
_BOXES = ("div", "aside", "section")
_BOX_NAMES = frozenset({"admonition", "caution", "danger", "hint", "important", "note", "tip", "warning"})


class Blocks:
    """Write blocks: with the marks of list items, and into the open table cell if there is one.

    Attributes
    ----------
    is_quoted
        Whether blocks are marked as a quotation.
    """

    def __init__(self) -> None:
        self.is_quoted = False
        self._blocks: list[str] = []
        self._tables: list[HtmlTable] = []
        self._lists: list[int] = []
        self._mark = ""
        self._terms: list[str] = []
        self._in_term = False
        self._boxes: list[bool] = []
        self._awaits_title = False

    def open(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin a list, list item, term (or summary), box, table, row or cell."""
        if tag in _BOXES:
            self._awaits_title = not _BOX_NAMES.isdisjoint(attributes.get("class", "").lower().split())
            self._boxes.append(False)
        elif tag in LISTS:
            self.flush_terms(":")
            self._lists.append(1 if tag == "ol" else 0)
        elif tag == "li":
            self._mark = self._next_mark()
        elif tag in _TERMS:
            self._in_term = True
        elif tag == "table":
            self.flush_terms(":")
            self._tables.append(HtmlTable())
        elif tag == "tr" and self._tables:
            self._tables[-1].rows.append([])
        elif tag in {"td", "th"} and self._tables and self._tables[-1].rows:
            self._tables[-1].rows[-1].append(HtmlCell.opened(tag, attributes))

    def close(self, tag: str) -> None:
        """End a list, list item, term, box or table."""
        if tag in _BOXES and self._boxes:
            self._awaits_title = False
            if self._boxes.pop():
                self._end_list()
        elif tag in LISTS and self._lists:
            self._end_list()
        elif tag == "li":
            self._mark = ""
        elif tag in _TERMS:
            self._in_term = False
        elif tag == "table" and self._tables:
            lines = table_blocks(self._tables.pop())
            self.target.extend(lines)

    def add_paragraph(self, text: str) -> None:
        """Write a paragraph, with the terms before it that it defines; within a term, keep it as the term."""
        if self._in_term:
            self._terms.append(" ".join(text.split()))
        else:
            self.add(_defined(self._take_terms(), without_headings(text)))

    def add_heading(self, level: int, text: str) -> None:
        """Write a heading; the title of a box becomes a term that the first paragraph of the box defines."""
        if self._awaits_title:
            self._awaits_title = False
            self.flush_terms()
            self._terms.append(text)
            self._lists.append(0)
            self._boxes[-1] = True
            return
        if self._boxes and self._boxes[-1]:
            # More than a remark: the rest of the box is a section.
            self._boxes[-1] = False
            self._end_list()
        self.add(f"{'#' * level} {text}", is_heading=True)

    def add(self, text: str, is_heading: bool = False) -> None:
        """Write a block: as a list item, indented as the continuation of one, or marked as a quotation."""
        self._awaits_title = False
        if not self._mark and self._lists and not is_heading:
            indent = "  " * len(self._lists)
            text = "\n".join(indent + line if line else "" for line in text.split("\n"))
        text = self._mark + text
        self._mark = ""
        if self.is_quoted:
            text = "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
        self.target.append(text)

    def flush_terms(self, colon: str = "") -> None:
        """Write pending terms without a definition paragraph, each as a list item.

        With a colon, the last term is defined by the list, table or code that follows.
        """
        terms, self._terms = self._terms, []
        for number, term in enumerate(terms, start=1):
            self._mark = self._term_mark()
            self.add(_defined(term, "") if colon and number == len(terms) else term)

    def finished(self) -> list[str]:
        """Write pending terms and open tables, and return the blocks of the page."""
        self.flush_terms()
        while self._tables:
            self.close("table")
        return self._blocks

    @property
    def target(self) -> list[str]:
        """The list that receives blocks: the open table cell, or the page."""
        cell = self.cell
        return self._blocks if cell is None else cell.blocks

    @property
    def cell(self) -> HtmlCell | None:
        """The open table cell, if there is one."""
        for table in reversed(self._tables):
            if table.rows and table.rows[-1]:
                return table.rows[-1][-1]
        return None

    def is_within(self, tag: str) -> bool:
        """Return whether the element that has just been opened is inside a table cell or list item."""
        return self.cell is not None or len(self._lists) > (tag in LISTS)

    def _end_list(self) -> None:
        self.flush_terms()
        self._lists.pop()

    def _take_terms(self) -> str:
        """Return the pending terms for their definition, and mark the next block as a list item."""
        terms, self._terms = ", ".join(self._terms), []
        if terms:
            self._mark = self._term_mark()
        return terms

    def _term_mark(self) -> str:
        return f"{'  ' * max(0, len(self._lists) - 1)}- "

    def _next_mark(self) -> str:
        if not self._lists:
            return "- "
        indent = "  " * (len(self._lists) - 1)
        if not self._lists[-1]:
            return f"{indent}- "
        self._lists[-1] += 1
        return f"{indent}{self._lists[-1] - 1}. "


def _defined(term: str, definition: str) -> str:
    """Join a term with its definition: "Facts: what documents state"."""
    if not term:
        return definition
    bare = term.rstrip(" :")
    colon = "" if bare.endswith(_ENDS_A_TERM) else ":"
    return f"{bare}{colon} {definition}".rstrip()


def with_raised_headings(blocks: list[str]) -> list[str]:
    """Raise the headings of blocks so that the first is of level 2.

    >>> with_raised_headings(["#### Trips", "Book now.", "##### Boats"])
    ['## Trips', 'Book now.', '### Boats']
    """
    found = [_HEADING.match(block) for block in blocks]
    excess = next((len(heading[1]) - _SECTION_LEVEL for heading in found if heading), 0)
    return [
        "#" * max(_SECTION_LEVEL, len(heading[1]) - excess) + block[len(heading[1]) :]
        if heading and excess > 0
        else block
        for heading, block in zip(found, blocks, strict=True)
    ]


def join_blocks(blocks: list[str]) -> str:
    """Join blocks with blank lines, but without them between list items or table rows."""
    text: list[str] = []
    for before, block in zip(["", *blocks], blocks, strict=False):
        text += ["\n" if _is_item(before) and _is_item(block) else "\n\n", block]
    return "".join(text).strip("\n")


def _is_item(block: str) -> bool:
    return _ITEM.match(block) is not None
