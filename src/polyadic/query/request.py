"""A question with the options for answering it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polyadic.config import AnswerSettings
from polyadic.model.types import Citation, Filter, Knowledge, Turn


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """A question and the options for answering it; options left out default to the settings.

    Parameters
    ----------
    question
        The question.
    method
        Name of the retrieval method.
    context_tokens
        Token budget for the retrieved knowledge.
    history
        The conversation so far; a follow-up question is condensed into a standalone question first.
    answer
        Settings for the answer.
    only
        Filter for the documents to search; None for all.
    found
        Called with the retrieved knowledge before a streamed answer is generated.
    cite
        Called with each citation of a streamed answer once its sentence is complete; those of the last sentence are in
        the answer only.
    """

    question: str
    method: str | None = None
    context_tokens: int | None = None
    history: Sequence[Turn] = ()
    answer: AnswerSettings | None = None
    only: Filter | None = None
    found: Callable[[Knowledge], None] = lambda knowledge: None
    cite: Callable[[Citation], None] | None = None
