"""Convert HTML to text that reads like the page: paragraphs, headings, lists, tables and code.

Hidden elements and boilerplate are dropped (see :mod:`polyadic.loaders.html.boilerplate`). Code is fenced, paragraphs
that continue a list item are indented, and a term is joined with its definition.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from polyadic.errors import UnreadableDocument
from polyadic.loaders.html.boilerplate import (
    CONTENT,
    BoilerplateKind,
    ElementStats,
    boilerplate_kind,
    is_boilerplate,
    skips,
)
from polyadic.loaders.html.tables import HtmlCell, HtmlTable, table_blocks
from polyadic.loaders.superscripts import raised
from polyadic.text.code_fences import fenced, without_headings
from polyadic.text.stopwords import words

_FEED_BYTES = 1 << 15

DEEPEST = 5_000
"""Maximum nesting depth of elements; deeper nesting does not occur in real pages and would take unbounded time."""

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
# A self-closing tag, which an HTML parser treats as an opening tag.
_SELF_CLOSING = re.compile(r"<([A-Za-z][\w.-]*)((?:\s[^<>]*)?)/>")
_LISTS = frozenset({"ul", "ol", "menu", "dl"})
_BOLD = frozenset({"b", "strong"})
_NOTE_TYPES = ("noteref", "doc-noteref")
# The text of links that are only anchors: to a heading, or back from a footnote.
_ANCHOR_SIGNS = re.compile(r"\s*(?:[¶#§🔗🔖⚓]|[↩↑⏎^⤴]\ufe0e?)\s*")
_LANGUAGE = re.compile(r"(?:^|\s)(?:lang(?:uage)?-|brush:\s?|sourceCode\s)([\w+#-]{1,20})")
_MAX_NOTE_MARK_CHARACTERS = 12
_LINE_NUMBERS = re.compile(r"[\s\d]+")
# Old pages put whole texts in <pre>; it is prose if nearly all its words are plain and it contains sentence ends.
_PLAIN_WORD = re.compile(r"[\"'“‘(]?[^\W\d_]+(?:['’-][^\W\d_]+)*[.,;:!?)\"'”’]{0,3}")
_SENTENCE_END = re.compile(r"[^\W\d_]{2}[.?!][\"'”’)]?(?:\s|$)")
_MIN_PROSE_WORDS, _MIN_PLAIN_SHARE, _MAX_SENTENCE_WORDS = 60, 0.8, 40
_ENDS_A_TERM = (".", "?", "!", "。", "？", "！")
_MAIL_QUOTES = frozenset({"gmail_quote", "gmail_extra", "moz-cite-prefix", "yahoo_quoted", "protonmail_quote"})
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
class HtmlPage:
    """The text of an HTML page, its title (``<title>``, or empty) and the metadata in its ``<meta>`` elements."""

    text: str
    title: str
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Region:
    """An open element that may be dropped: where its blocks begin, and the content counts before it."""

    depth: int
    kind: BoilerplateKind
    place: list[str]
    start: int
    before: ElementStats


@dataclass(slots=True)
class _Link:
    """An open link: its depth, the index of its first inline text, and whether it leads to an anchor."""

    depth: int
    start: int
    to_place: bool
    within_page: bool
    is_note: bool


def shown_page(html: str, is_xml: bool = False) -> HtmlPage:
    """Convert a page to text, with ``# `` before headings and ``- `` before list items.

    Parameters
    ----------
    html
        The page; malformed markup is recovered as far as possible.
    is_xml
        Whether it is XHTML, in which any element may be self-closing.

    >>> shown_page("<title>Notes</title><h1>Ada</h1><p>Born in <b>1815</b>.<ul><li>One<li>Two</ul><nav>x").text
    '# Ada\\n\\nBorn in 1815.\\n\\n- One\\n- Two'
    """
    from lxml import etree

    source = (_SELF_CLOSING.sub(_closed, html) if is_xml else html).encode()
    text = _Text()
    # Do not fetch anything or build a tree. Without huge_tree, text of more than ten million characters is lost.
    parser = etree.HTMLParser(
        target=text, encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True
    )
    # Feed in pieces, because the parser continues to the end of a piece after the target has raised an error.
    for start in range(0, len(source), _FEED_BYTES):
        parser.feed(source[start : start + _FEED_BYTES])
    try:
        page: HtmlPage = parser.close()
    except etree.XMLSyntaxError:
        # The page has no elements, only comments.
        page = text.close()
    return page


def _closed(tag: re.Match[str]) -> str:
    name = tag.group(1)
    return tag.group() if name.lower() in _VOID else f"<{name}{tag.group(2)}></{name}>"


class _Text:
    """Parser target that converts elements to text blocks."""

    def __init__(self) -> None:
        self._depth = 0
        self._hidden_at = 0
        self._content_at = 0
        self._bold_at = 0
        self._inline: list[str] = []
        self._blocks: list[str] = []
        self._left_out: list[str] = []
        self._tables: list[HtmlTable] = []
        self._lists: list[int] = []
        self._mark = ""
        self._terms: list[str] = []
        self._in_term = False
        self._code: list[str] | None = None
        self._language = ""
        self._quotes: list[int] = []
        self._regions: list[_Region] = []
        self._stats = ElementStats()
        self._link: _Link | None = None
        self._raised_at: tuple[int, int] | None = None
        self._has_note = False
        self._title: list[str] | None = None
        self._titles: list[str] = []
        self._metadata: dict[str, str] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise UnreadableDocument(f"its elements are nested more than {DEEPEST:,} deep", "simplify it")
        if self._hidden_at:
            return
        if tag in _HIDDEN or _is_hidden(attributes) or (tag == "a" and skips(attributes)):
            self._hidden_at = self._depth
        elif tag == "title":
            self._title = []
        elif tag == "meta":
            self._note(attributes)
        elif self._code is not None:
            self._started_in_code(tag, attributes)
        elif tag == "br":
            self._inline.append("\n")
        elif tag == "a":
            self._link = self._link or _link(self._depth, len(self._inline), attributes)
            if "hreflang" in attributes:
                self._stats = replace(self._stats, languages=self._stats.languages + 1)
        elif tag == "sup":
            self._raised_at = self._raised_at or (self._depth, len(self._inline))
            self._has_note = self._link is not None and self._link.to_place
        elif tag in _BOLD:
            self._bold_at = self._bold_at or self._depth
        elif tag in _BLOCKS:
            self._flush()
            self._opened(tag, attributes)
        self._enter(tag, attributes)

    def end(self, tag: str) -> None:
        if self._hidden_at:
            self._hidden_at = 0 if self._hidden_at == self._depth else self._hidden_at
        elif tag == "title" and self._title is not None:
            self._titles.append(_SPACES.sub(" ", "".join(self._title)).strip())
            self._title = None
        elif self._code is not None and tag != "pre":
            if tag in _BLOCKS:
                self._break_code()
            elif tag == "code":
                self._code.append("")
        elif tag == "a":
            self._close_link()
        elif tag == "sup":
            self._close_raised()
        elif tag in _BOLD:
            self._bold_at = 0 if self._bold_at == self._depth else self._bold_at
        elif tag in _BLOCKS:
            self._flush(_HEADINGS.get(tag, 0))
            self._closed(tag)
        self._leave()
        self._depth -= 1

    def data(self, text: str) -> None:
        if self._title is not None:
            self._title.append(text)
        elif self._hidden_at:
            return
        elif self._code is not None:
            self._code.append(text)
        else:
            self._inline.append(_SPACES.sub(" ", text))
            self._measure(len(text.strip()))
            if cell := self._cell():
                cell.characters += len(text.strip())
                cell.bold += len(text.strip()) if self._bold_at else 0

    def close(self) -> HtmlPage:
        self._flush()
        self._flush_terms()
        while self._tables:
            self._closed("table")
        blocks = self._blocks or self._left_out
        return HtmlPage(_joined(blocks), next(filter(None, self._titles), ""), self._metadata)

    def _opened(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in _LISTS:
            self._flush_terms(":")
            self._lists.append(1 if tag == "ol" else 0)
        elif tag == "li":
            self._mark = self._next_mark()
        elif tag == "dt":
            self._in_term = True
        elif tag == "pre":
            self._code, self._language = [], _language(attributes)
        elif tag == "table":
            self._flush_terms(":")
            self._tables.append(HtmlTable())
        elif tag == "tr" and self._tables:
            self._tables[-1].rows.append([])
        elif tag in {"td", "th"} and self._tables and self._tables[-1].rows:
            self._tables[-1].rows[-1].append(HtmlCell.opened(tag, attributes))

    def _closed(self, tag: str) -> None:
        if tag in _LISTS and self._lists:
            self._flush_terms()
            self._lists.pop()
        elif tag == "li":
            self._mark = ""
        elif tag == "dt":
            self._in_term = False
        elif tag == "pre":
            self._close_code()
        elif tag == "table" and self._tables:
            lines = table_blocks(self._tables.pop())
            self._target().extend(lines)

    def _enter(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Register an element that is main content, that may be dropped, or that quotes a message."""
        if self._hidden_at or self._code is not None:
            return
        if tag in CONTENT or attributes.get("role", "").strip().lower() in CONTENT:
            self._content_at = self._content_at or self._depth
        elif kind := boilerplate_kind(tag, attributes, bool(self._content_at), self._is_in_cell(tag)):
            place = self._target()
            self._regions.append(_Region(self._depth, kind, place, len(place), self._stats))
        if _quotes_message(tag, attributes):
            self._quotes.append(self._depth)

    def _leave(self) -> None:
        if self._content_at == self._depth:
            self._content_at = 0
        if self._quotes and self._quotes[-1] == self._depth:
            self._flush()
            self._quotes.pop()
        if self._regions and self._regions[-1].depth == self._depth:
            self._flush()
            region = self._regions.pop()
            if is_boilerplate(region.kind, self._stats - region.before, region.place[region.start :]):
                self._left_out += region.place[region.start :]
                del region.place[region.start :]

    def _measure(self, characters: int) -> None:
        stats, link = self._stats, self._link
        self._stats = replace(
            stats,
            characters=stats.characters + characters,
            linked=stats.linked + (characters if link else 0),
            linked_within=stats.linked_within + (characters if link and link.within_page else 0),
        )

    def _close_link(self) -> None:
        link = self._link
        if link is None or link.depth != self._depth:
            return
        self._link = None
        link_text = "".join(self._inline[link.start :])
        is_mark = link.is_note and len(link_text) <= _MAX_NOTE_MARK_CHARACTERS
        if is_mark or (link.to_place and _ANCHOR_SIGNS.fullmatch(link_text)):
            del self._inline[link.start :]
        elif self._raised_at is not None:
            self._has_note = self._has_note or link.to_place

    def _close_raised(self) -> None:
        if self._raised_at is None or self._raised_at[0] != self._depth:
            return
        start = self._raised_at[1]
        self._raised_at = None
        raised_text = "".join(self._inline[start:])
        before = "".join(self._inline[max(0, start - 4) : start]).rpartition("\n")[2]
        is_mark = self._has_note and len(raised_text) <= _MAX_NOTE_MARK_CHARACTERS
        self._inline[start:] = [] if is_mark else [raised(before, raised_text)]

    def _started_in_code(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "code":
            self._language = self._language or _language(attributes)
            # Consecutive listings: the same code in two languages, or code line by line.
            if self._code and not self._code[-1]:
                self._break_code()
        elif tag == "br":
            self._code = [*(self._code or []), "\n"]
        elif tag in _BLOCKS:
            self._break_code()

    def _break_code(self) -> None:
        """Add a line break within code where an element begins or ends that is a block outside code."""
        last = next(filter(None, reversed(self._code or [])), "\n")
        if self._code is not None and not last.endswith("\n"):
            self._code.append("\n")

    def _close_code(self) -> None:
        lines = [line.rstrip() for line in "".join(self._code or []).replace("\r", "").split("\n")]
        self._code = None
        code = "\n".join(lines).strip("\n")
        if not code or _LINE_NUMBERS.fullmatch(code):
            return
        self._flush_terms(":")
        if _is_prose(code):
            self._add(without_headings(code))
            self._measure(len(code))
            return
        self._stats = replace(self._stats, code=self._stats.code + 1)
        self._add(fenced(code, self._language))

    def _next_mark(self) -> str:
        if not self._lists:
            return "- "
        indent = "  " * (len(self._lists) - 1)
        if not self._lists[-1]:
            return f"{indent}- "
        self._lists[-1] += 1
        return f"{indent}{self._lists[-1] - 1}. "

    def _flush(self, level: int = 0) -> None:
        """Write the pending inline text as one block; ``level`` is the heading level, or 0."""
        inline_text = "".join(self._inline)
        self._inline = []
        if self._link is not None:
            self._link.start = 0
        if self._raised_at is not None:
            self._raised_at = self._raised_at[0], 0
        text = "\n".join(line.strip() for line in _SPACES_ON_A_LINE.sub(" ", inline_text).split("\n")).strip()
        if not text:
            return
        if self._in_term and not level:
            self._terms.append(" ".join(text.split()))
        elif level:
            self._stats = replace(self._stats, headings=self._stats.headings + 1)
            self._add(f"{'#' * level} {' '.join(text.split())}", is_heading=True)
        else:
            self._add(_defined(self._take_terms(), without_headings(text)))

    def _flush_terms(self, colon: str = "") -> None:
        """Write pending terms without a definition paragraph, each as a list item.

        With a colon, the last term is defined by the list, table or code that follows.
        """
        terms, self._terms = self._terms, []
        for number, term in enumerate(terms, start=1):
            self._mark = self._term_mark()
            self._add(_defined(term, "") if colon and number == len(terms) else term)

    def _take_terms(self) -> str:
        """Return the pending terms for their definition, and mark the next block as a list item."""
        terms, self._terms = ", ".join(self._terms), []
        if terms:
            self._mark = self._term_mark()
        return terms

    def _term_mark(self) -> str:
        return f"{'  ' * max(0, len(self._lists) - 1)}- "

    def _add(self, text: str, is_heading: bool = False) -> None:
        """Write a block: as a list item, indented as the continuation of one, or marked as a quotation."""
        if not self._mark and self._lists and not is_heading:
            indent = "  " * len(self._lists)
            text = "\n".join(indent + line if line else "" for line in text.split("\n"))
        text = self._mark + text
        self._mark = ""
        if self._quotes:
            text = "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
        self._target().append(text)

    def _target(self) -> list[str]:
        """Return the list that receives blocks: the open table cell, or the page."""
        cell = self._cell()
        return self._blocks if cell is None else cell.blocks

    def _is_in_cell(self, tag: str) -> bool:
        """Return whether the element that has just been opened is inside a table cell or list item."""
        return self._cell() is not None or len(self._lists) > (tag in _LISTS)

    def _cell(self) -> HtmlCell | None:
        """Return the open table cell, if there is one."""
        for table in reversed(self._tables):
            if table.rows and table.rows[-1]:
                return table.rows[-1][-1]
        return None

    def _note(self, attributes: Mapping[str, str]) -> None:
        name = attributes.get("name", attributes.get("property", "")).strip().lower()
        key = _METADATA.get(name)
        if key and key not in self._metadata:
            self._metadata[key] = attributes.get("content", "")


def _link(depth: int, start: int, attributes: Mapping[str, str]) -> _Link | None:
    target = attributes.get("href", "").strip()
    if not target:
        return None
    types = f"{attributes.get('epub:type', '')} {attributes.get('role', '')}".lower().split()
    return _Link(depth, start, "#" in target, target.startswith("#"), any(name in types for name in _NOTE_TYPES))


def _language(attributes: Mapping[str, str]) -> str:
    """Return the programming language of code from its class, such as ``language-python``; empty if not given."""
    found = _LANGUAGE.search(attributes.get("class", ""))
    return found.group(1) if found else ""


def _is_prose(text: str) -> bool:
    """Return whether preformatted text is prose, as in mailing list archives."""
    tokens = text.split()
    if len(tokens) < _MIN_PROSE_WORDS:
        return False
    plain_words = sum(_PLAIN_WORD.fullmatch(word) is not None for word in tokens)
    ends = sum(1 for _ in _SENTENCE_END.finditer(text))
    return plain_words >= _MIN_PLAIN_SHARE * len(tokens) and ends * _MAX_SENTENCE_WORDS >= len(tokens)


def _defined(term: str, definition: str) -> str:
    """Join a term with its definition: "Facts: what documents state"."""
    if not term:
        return definition
    bare = term.rstrip(" :")
    colon = "" if bare.endswith(_ENDS_A_TERM) else ":"
    return f"{bare}{colon} {definition}".rstrip()


def _quotes_message(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element contains the quoted message of a reply, as marked by mail programs."""
    if tag == "blockquote":
        return attributes.get("type", "").lower() == "cite"
    return tag == "div" and not _MAIL_QUOTES.isdisjoint(attributes.get("class", "").split())


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    if "hidden" in attributes or attributes.get("role") == "navigation":
        return True
    return bool(_NOT_SHOWN.search(attributes.get("style", "")))


def _joined(blocks: list[str]) -> str:
    """Join blocks with blank lines, but without them between list items or table rows."""
    text: list[str] = []
    for before, block in zip(["", *blocks], blocks, strict=False):
        text += ["\n" if _is_item(before) and _is_item(block) else "\n\n", block]
    return "".join(text).strip("\n")


def _is_item(block: str) -> bool:
    return _ITEM.match(block) is not None
