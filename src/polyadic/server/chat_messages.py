"""Convert chat messages to a question and the conversation before it."""

from collections.abc import Iterable

from polyadic.model.types import Answer
from polyadic.query.request import LONGEST_QUESTION
from polyadic.server.problem_details import ProblemError
from polyadic.server.query_service import TurnSchema
from polyadic.text.headings import heading_line

SOURCES = "\n\nSources:\n"
_TURNS = 50
_LONGEST_ANSWER = 100_000


def question_and_history(messages: Iterable[tuple[str, str]]) -> tuple[str, list[TurnSchema]]:
    """Return the last question and the previous turns of a list of messages with roles.

    System messages are ignored: the workspace settings decide how answers are made.

    Raises
    ------
    ProblemError
        The last message is not a question.

    >>> question_and_history([("user", "Who is Ada?"), ("assistant", "A writer [1]."), ("user", "Of what?")])
    ('Of what?', [TurnSchema(question='Who is Ada?', answer='A writer [1].')])
    """
    pending: list[str] = []
    turns: list[TurnSchema] = []
    for role, text in messages:
        if role == "user":
            pending.append(text)
        elif role == "assistant" and pending:
            answer = text.partition(SOURCES)[0]
            turns.append(TurnSchema(question=_clipped(pending), answer=answer[:_LONGEST_ANSWER]))
            pending = []
    question = "\n".join(pending).strip()
    if not question or len(question) > LONGEST_QUESTION:
        raise ProblemError(
            422, "invalid-request", f"the last message must be a question of 1 to {LONGEST_QUESTION:,} characters"
        )
    return question, turns[-_TURNS:]


def sources(answer: Answer) -> str:
    """Format the list of sources below an answer, and what they do not support; empty without citations."""
    lines = []
    cited = {(citation.marker, citation.place): None for citation in answer.citations}
    quoted = {(citation.marker, citation.place) for citation in answer.citations if not citation.whole_item}
    for marker, place in sorted(cited, key=lambda pair: pair[0]):
        page = f", page {place.page}" if place.page else ""
        where = heading_line((place.title or place.source, *place.headings))
        quote = f": “{' '.join(place.quote.split())}”" if (marker, place) in quoted else ""
        lines.append(f"[{marker}] {where}{page}{quote}")
    lines += [f"Not supported by these sources: “{' '.join(claim.split())}”" for claim in answer.unsupported]
    return SOURCES + "\n".join(lines) if lines else ""


def _clipped(asked: list[str]) -> str:
    return "\n".join(asked)[:LONGEST_QUESTION]
