"""From the messages of a chat to a question and the conversation before it."""

from collections.abc import Iterable

from polyadic.model.types import Citation
from polyadic.query.engine import LONGEST_QUESTION
from polyadic.server.problem_details import ProblemError
from polyadic.server.schemas import TurnSchema
from polyadic.text.headings import heading_line

SOURCES = "\n\nSources:\n"
_TURNS = 50
_LONGEST_ANSWER = 100_000


def question_and_history(messages: Iterable[tuple[str, str]]) -> tuple[str, list[TurnSchema]]:
    """The last thing that was asked, and the turns before it, of messages with their roles.

    What a system message says is left out: how answers are made is the workspace's to say.

    >>> question_and_history([("user", "Who is Ada?"), ("assistant", "A writer [1]."), ("user", "Of what?")])
    ('Of what?', [TurnSchema(question='Who is Ada?', answer='A writer [1].')])

    Raises
    ------
    Refused
        The last message is no question.
    """
    asked: list[str] = []
    turns: list[TurnSchema] = []
    for role, text in messages:
        if role == "user":
            asked.append(text)
        elif role == "assistant" and asked:
            answer = text.partition(SOURCES)[0]
            turns.append(TurnSchema(question=_clipped(asked), answer=answer[:_LONGEST_ANSWER]))
            asked = []
    question = "\n".join(asked).strip()
    if not question or len(question) > LONGEST_QUESTION:
        raise ProblemError(
            422, "invalid-request", f"the last message has to be a question of 1 to {LONGEST_QUESTION:,} characters"
        )
    return question, turns[-_TURNS:]


def sources(citations: Iterable[Citation]) -> str:
    """What citation markers point at, as a list below an answer; empty where it cites nothing."""
    lines = []
    for citation in citations:
        place = citation.place
        page = f", page {place.page}" if place.page else ""
        where = heading_line((place.title or place.source, *place.headings))
        lines.append(f"[{citation.marker}] {where}{page}: “{' '.join(place.quote.split())}”")
    return SOURCES + "\n".join(lines) if lines else ""


def _clipped(asked: list[str]) -> str:
    return "\n".join(asked)[:LONGEST_QUESTION]
