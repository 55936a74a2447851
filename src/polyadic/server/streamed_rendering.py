"""Render a streamed answer while it grows."""

from collections.abc import Callable
from time import perf_counter

from polyadic.server.rendering import Block, Element

# Pause before a text is rendered again, as a multiple of the time that the last rendering took.
_PAUSE = 5.0


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

        >>> from polyadic.server.rendering import render_markdown
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
