"""The sentences that announce lists, as an item often says little without them.

"The Team plan includes:" says what "- unlimited projects" is about.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.model.types import Span

LONGEST_LEAD_IN = 240
"""Characters of a sentence that is put before each item; a longer one tells too much beside."""

_ITEM = re.compile(r"(?:[-*+•‣▪◦–]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ \t]+\S|o[ \t]{2,}\S")
_COLONS = (":", "：", ":**", ":*", ":__")
# A list within a list has two sentences before its items, one that announces the outer list and one the inner.
_MOST_LEAD_INS = 2
_DEEPEST_COLUMN = 200


@dataclass(frozen=True, slots=True)
class _List:
    """An open list: the column in which its items begin, and the sentences that announce it."""

    column: int
    lead_ins: tuple[Span, ...]


def lead_ins(text: str, spans: Sequence[Span]) -> dict[Span, tuple[Span, ...]]:
    """For the first sentence of each item of a list the sentences that announce it, the outermost first.

    A sentence announces a list if it ends with a colon right before the first item. What is longer than
    ``LONGEST_LEAD_IN`` is left out, and so are items that nothing announces.

    Parameters
    ----------
    text
        The text.
    spans
        Its sentences in order, or those of a stretch of it.

    >>> from polyadic.text.sentences import sentences
    >>> text = "The plan includes:\\n\\n- projects:\\n  - small ones\\n- support"
    >>> found = lead_ins(text, sentences(text, "en"))
    >>> [[text[s.start : s.end] for s in (*above, item)] for item, above in found.items()][1:]
    [['The plan includes:', '- projects:', '- small ones'], ['The plan includes:', '- support']]
    """
    found: dict[Span, tuple[Span, ...]] = {}
    open_: list[_List] = []
    announcing: Span | None = None
    for span in spans:
        column = _column(text, span.start)
        if column is not None and _ITEM.match(text, span.start, span.end):
            while open_ and open_[-1].column > column:
                open_.pop()
            if not open_ or open_[-1].column < column:
                above = open_[-1].lead_ins if open_ else ()
                new = (announcing,) if announcing is not None else ()
                open_.append(_List(column, (*above, *new)[-_MOST_LEAD_INS:]))
            if open_[-1].lead_ins:
                found[span] = open_[-1].lead_ins
        elif column is not None:
            # What is indented deeper than an item belongs to it.
            while open_ and open_[-1].column >= column:
                open_.pop()
        announcing = span if _announces(text, span) else None
    return found


def is_item(sentence: str) -> bool:
    """Whether a sentence is the first of an item of a list.

    >>> is_item("- small ones"), is_item("2. support"), is_item("2 is small")
    (True, True, False)
    """
    return _ITEM.match(sentence) is not None


def _column(text: str, start: int) -> int | None:
    """The column in which a sentence begins; None where it does not begin its line."""
    line = max(text.rfind("\n", max(0, start - _DEEPEST_COLUMN), start) + 1, start - _DEEPEST_COLUMN, 0)
    before = text[line:start]
    return None if before.strip() else len(before)


def _announces(text: str, span: Span) -> bool:
    return text.endswith(_COLONS, span.start, span.end) and span.end - span.start <= LONGEST_LEAD_IN
