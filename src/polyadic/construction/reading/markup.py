"""HTML as text that reads like the page: paragraphs, headings, lists and tables, without what is not shown."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from polyadic.construction.reading.grid import row_lines
from polyadic.errors import UnreadableDocument
from polyadic.text.function_words import words

_PIECE = 1 << 15

DEEPEST = 5_000
"""Elements within elements; more are written by no person, and would take time without measure."""

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN = words(
    """
    annotation annotation-xml audio button canvas datalist iframe map nav noscript object rp rt script select style svg
    template textarea video
    """
)
_BLOCKS = words(
    """
    address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol p pre section summary table tbody td tfoot th
    thead title tr ul
    """
)
_NOT_SHOWN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\r\n\f\xa0]+")
_SPACES_ON_A_LINE = re.compile(r" {2,}")
_ITEM = re.compile(r" *(?:- |\d{1,9}\. |\|)")
# A tag that closes itself, which HTML takes for one that is left open.
_CLOSES_ITSELF = re.compile(r"<([A-Za-z][\w.-]*)((?:\s[^<>]*)?)/>")
_VOID = words("area base br col embed hr img input link meta source track wbr")

_METADATA = {
    "author": "author",
    "description": "description",
    "keywords": "keywords",
    "date": "date",
    "dc.creator": "author",
    "dc.date": "date",
    "article:published_time": "date",
}


@dataclass(frozen=True, slots=True)
class Page:
    """What a page of HTML says: its text, its title (``<title>``, else empty), and what its ``<meta>`` elements say."""

    text: str
    title: str
    metadata: Mapping[str, str]


@dataclass(slots=True)
class _Cell:
    """A cell of a table with the blocks of text in it."""

    names: bool
    spans: bool
    blocks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Table:
    rows: list[list[_Cell]] = field(default_factory=list)


def shown_page(html: str, is_xml: bool = False) -> Page:
    """The text of a page, with ``# `` before headings and ``- `` before the items of lists.

    Parameters
    ----------
    html
        The page; broken markup is read as far as it can be.
    is_xml
        Whether it is XHTML, in which any element may close itself.

    >>> shown_page("<title>Notes</title><h1>Ada</h1><p>Born in <b>1815</b>.<ul><li>One<li>Two</ul><nav>x").text
    '# Ada\\n\\nBorn in 1815.\\n\\n- One\\n- Two'
    """
    from lxml import etree

    source = (_CLOSES_ITSELF.sub(_closed, html) if is_xml else html).encode()
    text = _Text()
    # Nothing is fetched, no tree is made. Without huge_tree a text of more than ten million characters is lost.
    parser = etree.HTMLParser(
        target=text, encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True
    )
    # In pieces, as the parser would go on to the end of the piece after the target has raised.
    for start in range(0, len(source), _PIECE):
        parser.feed(source[start : start + _PIECE])
    try:
        page: Page = parser.close()
    except etree.XMLSyntaxError:
        # Nothing but comments: no element at all.
        page = text.close()
    return page


def _closed(tag: re.Match[str]) -> str:
    name = tag.group(1)
    return tag.group() if name.lower() in _VOID else f"<{name}{tag.group(2)}></{name}>"


class _Text:
    """Takes what the parser comes upon, and writes it down."""

    def __init__(self) -> None:
        self._depth = 0
        self._hidden_at = 0
        self._inline: list[str] = []
        self._blocks: list[str] = []
        self._tables: list[_Table] = []
        self._lists: list[int] = []
        self._mark = ""
        self._preformatted = 0
        self._title: list[str] | None = None
        self._titles: list[str] = []
        self._metadata: dict[str, str] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise UnreadableDocument(f"its elements are nested more than {DEEPEST:,} deep", "simplify it")
        if self._hidden_at:
            return
        if tag in _HIDDEN or _is_hidden(attributes):
            self._hidden_at = self._depth
        elif tag == "title":
            self._title = []
        elif tag == "meta":
            self._note(attributes)
        elif tag == "br":
            self._inline.append("\n")
        elif tag in _BLOCKS:
            self._flush()
            self._opened(tag, attributes)

    def end(self, tag: str) -> None:
        if self._hidden_at:
            self._hidden_at = 0 if self._hidden_at == self._depth else self._hidden_at
        elif tag == "title" and self._title is not None:
            self._titles.append(_SPACES.sub(" ", "".join(self._title)).strip())
            self._title = None
        elif tag in _BLOCKS:
            self._flush(_HEADINGS.get(tag, 0))
            self._closed(tag)
        self._depth -= 1

    def data(self, text: str) -> None:
        if self._title is not None:
            self._title.append(text)
        elif not self._hidden_at:
            self._inline.append(text if self._preformatted else _SPACES.sub(" ", text))

    def close(self) -> Page:
        self._flush()
        while self._tables:
            self._closed("table")
        return Page(_joined(self._blocks), next(filter(None, self._titles), ""), self._metadata)

    def _opened(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in {"ul", "ol", "menu"}:
            self._lists.append(1 if tag == "ol" else 0)
        elif tag == "li":
            self._mark = self._next_mark()
        elif tag == "pre":
            self._preformatted += 1
        elif tag == "table":
            self._tables.append(_Table())
        elif tag == "tr" and self._tables:
            self._tables[-1].rows.append([])
        elif tag in {"td", "th"} and self._tables and self._tables[-1].rows:
            spans = any(attributes.get(name, "1").strip() not in {"", "1"} for name in ("colspan", "rowspan"))
            self._tables[-1].rows[-1].append(_Cell(tag == "th", spans))

    def _closed(self, tag: str) -> None:
        if tag in {"ul", "ol", "menu"} and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._mark = ""
        elif tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)
        elif tag == "table" and self._tables:
            lines = _table_blocks(self._tables.pop())
            self._place().extend(lines)

    def _next_mark(self) -> str:
        if not self._lists:
            return "- "
        indent = "  " * (len(self._lists) - 1)
        if not self._lists[-1]:
            return f"{indent}- "
        self._lists[-1] += 1
        return f"{indent}{self._lists[-1] - 1}. "

    def _flush(self, level: int = 0) -> None:
        """Make a block of the words that have gathered."""
        said = "".join(self._inline)
        self._inline = []
        if self._preformatted:
            text = said.strip("\n")
        else:
            text = "\n".join(line.strip() for line in _SPACES_ON_A_LINE.sub(" ", said).split("\n")).strip()
        if not text.strip():
            return
        if level:
            text = f"{'#' * level} {' '.join(text.split())}"
        self._place().append(self._mark + text)
        self._mark = ""

    def _place(self) -> list[str]:
        """Where blocks go: into the cell that is open, or onto the page."""
        for table in reversed(self._tables):
            if table.rows and table.rows[-1]:
                return table.rows[-1][-1].blocks
        return self._blocks

    def _note(self, attributes: Mapping[str, str]) -> None:
        name = attributes.get("name", attributes.get("property", "")).strip().lower()
        key = _METADATA.get(name)
        if key and key not in self._metadata:
            self._metadata[key] = attributes.get("content", "")


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    if "hidden" in attributes or attributes.get("role") == "navigation":
        return True
    return bool(_NOT_SHOWN.search(attributes.get("style", "")))


def _table_blocks(table: _Table) -> list[str]:
    """The rows as lines, or the blocks of the cells one after the other where the table only lays out the page."""
    rows = [row for row in table.rows if any(cell.blocks for cell in row)]
    if any(len(cell.blocks) > 1 for row in rows for cell in row) or all(len(row) < 2 for row in rows):
        return [block for row in rows for cell in row for block in cell.blocks]
    if any(cell.spans for row in rows for cell in row):
        return list(row_lines((_words(row) for row in rows), named=False))
    if all([cell.names for cell in row] == [True, False] for row in rows):
        return [f"- {key.rstrip(':')}: {value}" for key, value in map(_words, rows)]
    return list(row_lines(map(_words, rows), named=all(cell.names for cell in rows[0])))


def _words(row: list[_Cell]) -> list[str]:
    return [" ".join(cell.blocks) for cell in row]


def _joined(blocks: list[str]) -> str:
    """Blocks with a blank line between them, but none between the items of a list or the rows of a table."""
    text: list[str] = []
    for before, block in zip(["", *blocks], blocks, strict=False):
        text += ["\n" if _is_item(before) and _is_item(block) else "\n\n", block]
    return "".join(text).strip("\n")


def _is_item(block: str) -> bool:
    return _ITEM.match(block) is not None
