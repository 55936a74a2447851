"""Find the comments of YAML files; the parser drops them, so they are read from the text between its events."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_COMMENT = re.compile(r"(?:^|(?<=\s))#([^\n]*)", re.MULTILINE)
# What may precede a comment that describes what follows it: indentation, the mark of a list item or of a document.
_BEFORE = re.compile(r"[\s\-?.]*")
# The comment in the first line of a block scalar: "text: |  # How to write."
_BLOCK_HEADER = re.compile(r"[^\n]*?[|>][-+\d]{0,2}[ \t]+#([^\n]*)")
_RULE = re.compile(r"[\W_]*")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: its line and column, its text, and whether a value precedes it on its line.

    The column is that of the mark of a list item or document before it, if any. The text of a rule is empty.
    """

    line: int
    column: int
    text: str
    is_trailing: bool


def comments_between(text: str, start: int, end: int, line: int) -> Iterator[Comment]:
    r"""Yield the comments between two values.

    Parameters
    ----------
    text
        The whole file.
    start, end
        The end of a value and the beginning of the next one.
    line
        The number of the line where ``start`` is.

    >>> text = "a: 1  # One.\n# Two.\nb: 2"
    >>> [(found.line, found.text, found.is_trailing) for found in comments_between(text, 4, 21, 0)]
    [(0, 'One.', True), (1, 'Two.', False)]
    """
    for found in _COMMENT.finditer(text, start, end):
        mark = found.start()
        line_start = text.rfind("\n", 0, mark) + 1
        number = line + text.count("\n", start, mark)
        is_trailing = _BEFORE.fullmatch(text, line_start, mark) is None
        indent = next(place for place in range(line_start, mark + 1) if text[place] not in " \t")
        yield Comment(number, (mark if is_trailing else indent) - line_start, _words(found[1]), is_trailing)


def header_comment(text: str, start: int, line: int) -> Iterator[Comment]:
    r"""Yield the comment in the first line of a block scalar, if it has one.

    >>> [found.text for found in header_comment("|-  # Raw.\n  # no comment\n", 0, 0)]
    ['Raw.']
    """
    if found := _BLOCK_HEADER.match(text, start):
        yield Comment(line, found.start(1) - 1 - (text.rfind("\n", 0, start) + 1), _words(found[1]), is_trailing=True)


def _words(comment: str) -> str:
    words = comment.lstrip("#").strip()
    return "" if _RULE.fullmatch(words) else words
