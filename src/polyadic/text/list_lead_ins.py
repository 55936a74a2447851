"""Find the lead-in sentences of lists, which give list items their context.

"The Team plan includes:" is the lead-in of "- unlimited projects".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.model.types import Span

LONGEST_LEAD_IN = 240
"""Maximum number of characters of a lead-in; longer sentences contain too much unrelated text."""

_ITEM = re.compile(r"(?:[-*+•‣▪◦–]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{2,5})[.)])[ \t]+\S|o[ \t]{2,}\S")
_COLONS = (":", "：", ":**", ":*", ":__")
# Items of a nested list have two lead-ins, that of the outer list and that of the inner one.
_MAX_LEAD_INS = 2
_MAX_COLUMN = 200


@dataclass(frozen=True, slots=True)
class _List:
    """An open list: the column of its items, and its lead-ins."""

    column: int
    lead_ins: tuple[Span, ...]


def lead_ins(text: str, spans: Sequence[Span]) -> dict[Span, tuple[Span, ...]]:
    """Map the first sentence of each list item to its lead-ins, the outermost first.

    A lead-in is a sentence with a colon at its end, directly before the first item. Sentences longer than
    ``LONGEST_LEAD_IN`` do not count, and items without a lead-in are omitted.

    Parameters
    ----------
    text
        The text.
    spans
        Sentences of the text, or of a part of it, in order.

    >>> from polyadic.text.sentences import sentences
    >>> text = "The plan includes:\\n\\n- projects:\\n  - small ones\\n- support"
    >>> found = lead_ins(text, sentences(text, "en"))
    >>> [[text[s.start : s.end] for s in (*above, item)] for item, above in found.items()][1:]
    [['The plan includes:', '- projects:', '- small ones'], ['The plan includes:', '- support']]
    """
    found: dict[Span, tuple[Span, ...]] = {}
    open_: list[_List] = []
    lead_in: Span | None = None
    for span in spans:
        column = _column(text, span.start)
        if column is not None and _ITEM.match(text, span.start, span.end):
            while open_ and open_[-1].column > column:
                open_.pop()
            if not open_ or open_[-1].column < column:
                above = open_[-1].lead_ins if open_ else ()
                new = (lead_in,) if lead_in is not None else ()
                open_.append(_List(column, (*above, *new)[-_MAX_LEAD_INS:]))
            if open_[-1].lead_ins:
                found[span] = open_[-1].lead_ins
        elif column is not None:
            # Text indented deeper than an item belongs to it.
            while open_ and open_[-1].column >= column:
                open_.pop()
        lead_in = span if _is_lead_in(text, span) else None
    return found


def is_item(sentence: str) -> bool:
    """Return whether a sentence begins a list item.

    >>> is_item("- small ones"), is_item("2. support"), is_item("2 is small")
    (True, True, False)
    """
    return _ITEM.match(sentence) is not None


def _column(text: str, start: int) -> int | None:
    """Column in which a sentence begins; None if it does not begin its line."""
    line = max(text.rfind("\n", max(0, start - _MAX_COLUMN), start) + 1, start - _MAX_COLUMN, 0)
    before = text[line:start]
    return None if before.strip() else len(before)


def _is_lead_in(text: str, span: Span) -> bool:
    return text.endswith(_COLONS, span.start, span.end) and span.end - span.start <= LONGEST_LEAD_IN
