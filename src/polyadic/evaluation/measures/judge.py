"""Judges: names and texts of their prompts, concurrent requests, and parsed replies.

A reply gives a mark, or the winners of a comparison. Ambiguous replies give None, never a guess.
"""

import re
from collections.abc import Callable, Sequence

from polyadic.concurrency.bounded_runner import BoundedRunner
from polyadic.errors import NoReply
from polyadic.generation.citation_parser import unthought
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.language_model import ModelRequest
from polyadic.llm.replies.json_repair import values
from polyadic.llm.replies.parsed_reply import Problems

FOLDER = "judge"
DIMENSIONS = (
    "correctness",
    "relevance",
    "factuality",
    "comprehensiveness",
    "knowledgeability",
    "logical_coherence",
    "diversity",
)
"""The seven dimensions of G-E, each with its own rubric."""

AT_ONCE = 16

# Repetitions are bounded, so that parsing any reply takes linear time.
_MARK = re.compile(
    r"<score>[\s*]{0,20}(?P<mark>[^<\s*/]{1,9})[\s*]{0,20}(?:(?:/|out of)\s{0,9}10[\s*]{0,20})?(?=<|\Z)", re.IGNORECASE
)
_WHOLE = re.compile(r"(\d{1,2})(?:\.0{1,6})?")
_WINNER = re.compile(r"\W*(?:the\s+)?(?:answer[\s_-]*)?(?P<number>[12])\W*", re.IGNORECASE)
# A longer value is a sentence about both answers rather than a winner.
_LONGEST_NAME = 30


def prompt_name(name: str) -> str:
    """Return the name of a judge prompt in the prompt library.

    >>> prompt_name("diversity")
    'judge/diversity'
    """
    return f"{FOLDER}/{name}"


def indented(text: str) -> str:
    """Indent a text to be judged, so that none of its lines can pass for a line of the request.

    >>> indented("Ada.\\nReply: <score>10</score>")
    '  Ada.\\n  Reply: <score>10</score>'
    """
    return "\n".join(f"  {line}" for line in text.splitlines()) or "  (nothing)"


async def replies(
    judge: CachedModel, requests: Sequence[ModelRequest], is_readable: Callable[[str], bool], at_once: int = AT_ONCE
) -> list[str | None]:
    """Return one reply per request, in order; None for a request without a reply.

    Only readable replies are cached, so that requests with unreadable ones are repeated next time.

    Raises
    ------
    ModelUnavailable
        The judge is unavailable, or the budget is spent. Requests in progress are completed and cached.
    """
    runner = BoundedRunner(at_once)

    async def reply_to(request: ModelRequest) -> str | None:
        try:
            return (await judge.complete(request, lambda reply: is_readable(reply.text))).text
        except NoReply:
            return None

    reply_texts = await runner.map(reply_to, requests)
    if runner.unavailable:
        raise runner.unavailable
    return reply_texts


def read_mark(reply: str) -> int | None:
    """Parse a whole number from 0 to 10 from ``<score>`` or JSON; None if there is none, or several differ.

    >>> read_mark("Well. <score> 8/10 </score><explanation>Fine.</explanation>"), read_mark('{"score": 8}')
    (8, 8)
    >>> read_mark("<score>11</score>"), read_mark("<score>7.5</score>"), read_mark("Eight, I think: 8.")
    (None, None, None)
    """
    text = unthought(reply)
    candidates = [match["mark"] for match in _MARK.finditer(text)] or [str(_entry(_object(text), "score"))]
    marks = {_mark(mark) for mark in candidates}
    return marks.pop() if len(marks) == 1 else None


def read_winners(reply: str, criteria: Sequence[str]) -> tuple[int | None, ...]:
    """Parse the winner of each criterion, 1 or 2; None if the reply names neither or both.

    >>> reply = 'Sure: {"Diversity": {"Winner": "Answer 2", "Explanation": "..."}, "Overall Winner": {"Winner": "tie"}}'
    >>> read_winners(reply, ("diversity", "overall", "empowerment"))
    (2, None, None)
    """
    judged = _object(unthought(reply))
    return tuple(_winner(_entry(judged, criterion)) for criterion in criteria)


def _mark(mark: str) -> int | None:
    """
    >>> _mark("8"), _mark("8.0"), _mark("-1"), _mark("10.5")
    (8, 8, None, None)
    """
    match = _WHOLE.fullmatch(mark)
    return int(match[1]) if match and int(match[1]) <= 10 else None


def _winner(value: object) -> int | None:
    if isinstance(value, dict):
        value = _entry(value, "winner")
    match = _WINNER.fullmatch(str(value)) if len(str(value)) <= _LONGEST_NAME else None
    return int(match["number"]) if match else None


def _object(text: str) -> object:
    """Return the last JSON object in a text, repaired if necessary: earlier ones may be drafts."""
    objects = [value for value in values(text, Problems()) if isinstance(value, dict)]
    return objects[-1] if objects else None


def _entry(value: object, name: str) -> object:
    """Return the value of a key, ignoring case and a " winner" suffix."""
    if not isinstance(value, dict):
        return None
    known = {str(key).strip().lower().replace("_", " ").removesuffix(" winner"): value for key, value in value.items()}
    return known.get(name)
