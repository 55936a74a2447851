"""Render Markdown of models and documents as trees of elements, also of an answer that is still growing.

The page builds its nodes from them. No HTML is ever written or parsed: raw HTML is text, elements come from a fixed
list, links lead to web and mail addresses only, and images become links, so that nothing is loaded from other hosts.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from time import perf_counter
from typing import Any
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARKER = re.compile(r"\[(\d{1,4})\](?!\()")
# A private-use character and the index of a marker replace its number, so that its position is still known later.
_SIGN = "\ue000"
_SIGNED = re.compile(rf"(?:{_SIGN}|{quote(_SIGN)})(\d{{1,6}})")
_SIGNED_MARKER = re.compile(rf"\[{_SIGN}(\d+)\]")
_LINE_END = re.compile(r"\r\n?|\n")
_ADDRESSES = ("http://", "https://", "mailto:")
# The question is a heading of level 2, and so is the title of a document.
_HEADING_OFFSET, _LOWEST_HEADING = 2, 6
# Blocks nested more deeply are left out by the parser, and emphasis nested more deeply is not shown as such.
_DEEPEST = 40

# Pause before a text is rendered again, as a multiple of the time that the last rendering took.
_PAUSE = 5.0


@dataclass(frozen=True, slots=True)
class Element:
    """An element of rendered text.

    Parameters
    ----------
    tag
        Name of an HTML element; ``citation`` for a citation marker.
    children
        Texts and elements.
    attributes
        ``href`` of a link, ``start`` of a numbered list, ``align`` of a cell, ``marker`` and ``at`` of a citation: its
        number, and the position in the text of its first character.
    """

    tag: str
    children: tuple["Node", ...] = ()
    attributes: Mapping[str, str | int] = field(default_factory=dict)


Node = Element | str


@dataclass(frozen=True, slots=True)
class Block:
    """A block of rendered text, and the position in the text where it begins."""

    start: int
    element: Element


def render_markdown(text: str, is_document: bool = False) -> list[Block]:
    """Render Markdown with tables.

    Parameters
    ----------
    text
        Markdown.
    is_document
        Whether it is a document rather than an answer. In an answer, each line of a paragraph becomes a paragraph, as
        chat programs show them, and numbers in square brackets are citation markers.

    >>> render_markdown("Ada **wrote** it [1].")[0].element.children[1]
    Element(tag='strong', children=('wrote',), attributes={})
    >>> render_markdown("[x](javascript:y) <b>")[0].element.children
    ('[x](javascript:y) <b>',)
    """
    signed = _SignedText(text, ()) if is_document else _SignedText.of(text)
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    return [
        Block(starts[tokens[0].map[0]] if tokens[0].map else 0, element)
        for tokens in _top_level(_parser().parse(signed.text))
        for element in _Tree(signed, keeps_lines=not is_document).of(tokens)
        if isinstance(element, Element)
    ]


def render_quotations(text: str) -> list[Block]:
    """Render quotations, one per line: inline code and ``**bold**`` are rendered, everything else is shown as it is.

    >>> render_quotations('"See *args and __init__." [1]')[0].element.children[0]
    '"See *args and __init__." '
    """
    signed = _SignedText.of(text)
    tree = _Tree(signed, is_quoted=True)
    return [
        Block(0, Element("p", tree.of(_line_parser().parseInline(line))))
        for line in signed.text.split("\n")
        if line.strip()
    ]


@dataclass(frozen=True, slots=True)
class _SignedText:
    """A text whose markers have an index in place of their number, and the number and position of each marker."""

    text: str
    markers: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str) -> "_SignedText":
        markers: list[tuple[int, int]] = []

        def signed(match: re.Match[str]) -> str:
            markers.append((int(match[1]), match.start()))
            return f"[{_SIGN}{len(markers) - 1}]"

        return cls(_MARKER.sub(signed, text.replace(_SIGN, "\ufffd")), tuple(markers))

    def restored(self, text: str) -> str:
        """Return text with the numbers of its markers."""
        return _SIGNED.sub(self._number, text)

    def _number(self, match: re.Match[str]) -> str:
        # Text may contain the percent-encoded sign itself.
        index = int(match[1])
        return str(self.markers[index][0]) if index < len(self.markers) else match[0]

    def nodes(self, text: str) -> Iterator[Node]:
        """Split text at its markers."""
        for part, found in enumerate(_SIGNED_MARKER.split(text)):
            if part % 2:
                number, at = self.markers[int(found)]
                yield Element("citation", (), {"marker": number, "at": at})
            elif found:
                yield self.restored(found)


@cache
def _parser() -> MarkdownIt:
    # Definitions of links would turn markers into links.
    parser = (
        MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEPEST})
        .enable(["table", "strikethrough"])
        .disable("reference")
    )
    parser.validateLink = _is_address  # type: ignore[method-assign]
    return parser


@cache
def _line_parser() -> MarkdownIt:
    return MarkdownIt("zero").enable(["backticks", "emphasis"])


def _is_address(url: str) -> bool:
    return url.lower().startswith(_ADDRESSES)


def _top_level(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the tokens of each top-level block."""
    first = 0
    for number, token in enumerate(tokens, 1):
        if token.level == 0 and token.nesting <= 0:
            yield tokens[first:number]
            first = number


class _Tree:
    """Builds elements from tokens, without recursion: emphasis may be nested as deeply as a text is long."""

    def __init__(self, signed: _SignedText, is_quoted: bool = False, keeps_lines: bool = True) -> None:
        self._signed = signed
        self._is_quoted = is_quoted
        self._leaves: dict[str, Callable[[Token], Iterable[Node]]] = {
            "text": lambda token: self._signed.nodes(token.content),
            "softbreak": lambda token: [Element("br") if keeps_lines else " "],
            "hardbreak": lambda token: [Element("br")],
            "hr": lambda token: [Element("hr")],
            "code_inline": lambda token: [self._code(token)],
            "fence": lambda token: [Element("pre", (self._code(token),))],
            "code_block": lambda token: [Element("pre", (self._code(token),))],
            "image": lambda token: [self._image(token)],
            "inline": lambda token: self.of(token.children or []),
        }

    def of(self, tokens: Sequence[Token]) -> tuple[Node, ...]:
        """Return the nodes of balanced tokens; what is nested too deeply is added to the element around it."""
        opened: list[Token] = []
        levels: list[list[Node]] = [[]]
        for token in tokens:
            if token.nesting > 0:
                opened.append(token)
                levels.append([])
            elif token.nesting == 0:
                levels[-1] += self._leaves[token.type](token)
            else:
                inside = _joined(levels.pop())
                opening = opened.pop()
                levels[-1] += inside if len(opened) > _DEEPEST else self._closed(opening, inside)
        return _joined(levels[0])

    def _closed(self, token: Token, inside: tuple[Node, ...]) -> Iterable[Node]:
        """Return the nodes for a complete element."""
        if token.type == "paragraph_open":
            return inside if token.hidden else [Element("p", tuple(line)) for line in _lines(inside) if line]
        if token.type == "heading_open":
            return [Element(_heading(token.tag), inside)]
        if token.type == "link_open":
            # A button cannot be part of a link.
            return [Element("a", ("".join(_texts(inside)),), {"href": self._address(token, "href")})]
        if self._is_quoted and token.markup != "**":
            return [token.markup, *inside, token.markup]
        return [Element(token.tag, inside, _attributes(token))]

    def _code(self, token: Token) -> Element:
        return Element("code", (self._signed.restored(token.content),))

    def _image(self, token: Token) -> Element:
        address = self._address(token, "src")
        return Element("a", (self._signed.restored(token.content) or address,), {"href": address})

    def _address(self, token: Token, name: str) -> str:
        return self._signed.restored(str(token.attrs[name]))


def _joined(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Join neighbouring texts."""
    parts: list[Node] = []
    texts: list[str] = []
    for node in nodes:
        if isinstance(node, str):
            texts.append(node)
            continue
        if texts:
            parts.append("".join(texts))
            texts.clear()
        parts.append(node)
    return (*parts, "".join(texts)) if texts else tuple(parts)


def _heading(tag: str) -> str:
    return f"h{min(int(tag[1:]) + _HEADING_OFFSET, _LOWEST_HEADING)}"


def _attributes(token: Token) -> dict[str, str | int]:
    given: Mapping[str, Any] = token.attrs
    found: dict[str, str | int] = {}
    if "start" in given:
        found["start"] = int(given["start"])
    if "style" in given:
        found["align"] = str(given["style"]).removeprefix("text-align:")
    return found


def _lines(nodes: Sequence[Node]) -> list[list[Node]]:
    lines: list[list[Node]] = [[]]
    for node in nodes:
        if isinstance(node, Element) and node.tag == "br":
            lines.append([])
        else:
            lines[-1].append(node)
    return lines


def _texts(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        elif node.tag == "citation":
            yield f"[{node.attributes['marker']}]"
        else:
            yield from _texts(node.children)


class IncrementalRendering:
    """Renders a growing text; blocks before the last certain one no longer change and are not rendered again.

    Parameters
    ----------
    render
        Renders a text that starts at the beginning of a block.
    """

    def __init__(self, render: Callable[[str], list[Block]]) -> None:
        self._render = render
        self._text = ""
        self._start = 0
        self._settled = 0
        self._due = 0.0

    @property
    def is_due(self) -> bool:
        """Return whether enough time has passed since the last rendering."""
        return perf_counter() >= self._due

    def update(self, text: str) -> tuple[int, list[Element]]:
        """Render the text so far; return the index of the first block that may have changed, and the blocks from it on.

        >>> from polyadic.server.markdown_rendering import render_markdown
        >>> rendering = IncrementalRendering(render_markdown)
        >>> [rendering.update(text)[0] for text in ("One.", "One.\\n\\nTwo.\\n", "One.\\n\\nTwo.\\n\\nThree.")]
        [0, 0, 1]
        """
        started = perf_counter()
        if not text.startswith(self._text):
            self._start = self._settled = 0
        self._text = text
        first, begin = self._settled, self._start
        blocks = self._render(text[begin:])
        # What the last, incomplete line begins is not certain: "---" may become "---#", a row of the table above it.
        complete = text.rfind("\n", begin) + 1 - begin
        certain = [block.start for block in blocks if block.start < complete]
        if certain:
            last = certain[-1]
            self._start = begin + last
            self._settled = first + sum(block.start < last for block in blocks)
        moved = [_moved(block.element, begin) for block in blocks]
        now = perf_counter()
        self._due = now + _PAUSE * (now - started)
        return first, moved


def _moved(element: Element, by: int) -> Element:
    """Move the positions of citations."""
    attributes = dict(element.attributes)
    if "at" in attributes:
        attributes["at"] = int(attributes["at"]) + by
    children = (_moved(child, by) if isinstance(child, Element) else child for child in element.children)
    return Element(element.tag, tuple(children), attributes)
