"""Render a Markdown document with a span of its text marked."""

import re
from collections.abc import Iterator, Sequence

from polyadic.model.types import Span
from polyadic.server.markdown_rendering import Element, Node, render_markdown

LONGEST_RENDERED = 100_000
"""Most characters of a document that is rendered."""
# Characters for private use at the beginning and the end of the span.
_BEGIN, _END = "\ue001", "\ue002"
_SIGNS = re.compile(f"([{_BEGIN}{_END}])")
# Syntax at the beginning of a block; the sign must come after it.
_OPENING = re.compile(r"(?:[ \t\n>|*_]|#{1,6}[ \t]|[-+][ \t]|\d{1,9}[.)][ \t]|(?:```|~~~)[^\n]*\n)*")
_CLOSING = " \t\n|*_`~"


def render_document(text: str, span: Span) -> tuple[list[Element], bool]:
    """Render a document, with ``mark`` elements around the text of a span.

    Parameters
    ----------
    text
        Markdown of at most LONGEST_RENDERED characters.
    span
        Characters of the text; may be empty.

    Returns
    -------
    tuple
        The blocks, and whether the span is marked: it is not if it consists of syntax only.

    >>> blocks, is_marked = render_document("# Ada\\n\\nShe *wrote* it.", Span(7, 18))
    >>> is_marked, blocks[1].children[1].children
    (True, (Element(tag='mark', children=('wrote',), attributes={}),))
    """
    text = re.sub("[\ue000-\ue002]", "\ufffd", text)
    plain = _elements(text)
    start, end = _inner(text, span)
    if start >= end:
        return plain, False
    signed = _elements(f"{text[:start]}{_BEGIN}{text[start:end]}{_END}{text[end:]}")
    if [_without_signs(element) for element in signed] != plain:
        # The signs have changed what the text around them means.
        return plain, False
    return _Marking().blocks(signed), True


def _elements(text: str) -> list[Element]:
    return [block.element for block in render_markdown(text, is_document=True)]


def _inner(text: str, span: Span) -> tuple[int, int]:
    """Return the span without syntax at both ends."""
    opening = _OPENING.match(text, span.start, span.end)
    start, end = opening.end() if opening else span.start, span.end
    while end > start and text[end - 1] in _CLOSING:
        end -= 1
    return start, end


def _without_signs(element: Element) -> Element:
    children = tuple(
        _without_signs(child) if isinstance(child, Element) else _SIGNS.sub("", child) for child in element.children
    )
    return Element(element.tag, tuple(child for child in children if child), element.attributes)


class _Marking:
    """Wraps the texts between the signs in ``mark`` elements."""

    def __init__(self) -> None:
        self._is_inside = False

    def blocks(self, elements: Sequence[Element]) -> list[Element]:
        return [self._element(element) for element in elements]

    def _element(self, element: Element) -> Element:
        return Element(element.tag, tuple(self._children(element.children)), element.attributes)

    def _children(self, children: Sequence[Node]) -> Iterator[Node]:
        for child in children:
            if isinstance(child, Element):
                yield self._element(child)
                continue
            for part in _SIGNS.split(child):
                if part in (_BEGIN, _END):
                    self._is_inside = part == _BEGIN
                elif part:
                    yield Element("mark", (part,)) if self._is_inside and part.strip() else part
