"""Reading what judges write: a mark, or the winners of a comparison. What is unclear is None, never a guess."""

import re
from collections.abc import Sequence

from polyadic.generation.citation_parser import unthought
from polyadic.llm.replies.json_repair import values
from polyadic.llm.replies.model import Problems

# Repeats are bounded: a reply may hold anything, and reading it must take linear time.
_MARK = re.compile(
    r"<score>[\s*]{0,20}(?P<mark>[^<\s*/]{1,9})[\s*]{0,20}(?:(?:/|out of)\s{0,9}10[\s*]{0,20})?(?=<|\Z)", re.IGNORECASE
)
_WHOLE = re.compile(r"(\d{1,2})(?:\.0{1,6})?")
_WINNER = re.compile(r"\W*(?:the\s+)?(?:answer[\s_-]*)?(?P<number>[12])\W*", re.IGNORECASE)
# What names a winner is as short as that; a sentence about both is no name.
_LONGEST_NAME = 30


def read_mark(reply: str) -> int | None:
    """A whole number from 0 to 10, from ``<score>`` or from JSON; None where there is none, or more than one.

    >>> read_mark("Well. <score> 8/10 </score><explanation>Fine.</explanation>"), read_mark('{"score": 8}')
    (8, 8)
    >>> read_mark("<score>11</score>"), read_mark("<score>7.5</score>"), read_mark("Eight, I think: 8.")
    (None, None, None)
    """
    text = unthought(reply)
    found = [match["mark"] for match in _MARK.finditer(text)] or [str(_entry(_object(text), "score"))]
    marks = {_whole(mark) for mark in found}
    return marks.pop() if len(marks) == 1 else None


def read_winners(reply: str, criteria: Sequence[str]) -> tuple[int | None, ...]:
    """1 or 2 for each criterion, None where the reply names neither, or both.

    >>> said = 'Sure: {"Diversity": {"Winner": "Answer 2", "Explanation": "..."}, "Overall Winner": {"Winner": "tie"}}'
    >>> read_winners(said, ("diversity", "overall", "empowerment"))
    (2, None, None)
    """
    judged = _object(unthought(reply))
    return tuple(_winner(_entry(judged, criterion)) for criterion in criteria)


def _whole(mark: str) -> int | None:
    """
    >>> _whole("8"), _whole("8.0"), _whole("-1"), _whole("10.5")
    (8, 8, None, None)
    """
    found = _WHOLE.fullmatch(mark)
    return int(found[1]) if found and int(found[1]) <= 10 else None


def _winner(said: object) -> int | None:
    if isinstance(said, dict):
        said = _entry(said, "winner")
    found = _WINNER.fullmatch(str(said)) if len(str(said)) <= _LONGEST_NAME else None
    return int(found["number"]) if found else None


def _object(text: str) -> object:
    """The last JSON object in a text, mended where that is needed: what comes before it may be a draft."""
    found = [value for value in values(text, Problems()) if isinstance(value, dict)]
    return found[-1] if found else None


def _entry(given: object, name: str) -> object:
    """The value under a key that has this name, in whatever case, alone or before " winner"."""
    if not isinstance(given, dict):
        return None
    known = {str(key).strip().lower().replace("_", " ").removesuffix(" winner"): value for key, value in given.items()}
    return known.get(name)
