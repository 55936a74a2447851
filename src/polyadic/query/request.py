"""A question with the options for answering it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from polyadic.config import AnswerSettings
from polyadic.errors import PolyadicError
from polyadic.model.types import Citation, Filter, Knowledge, Turn

LONGEST_QUESTION = 20_000
"""Characters of the longest question: about 5,000 tokens; longer input is a document rather than a question."""


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

    def validated(self) -> "QueryRequest":
        """Check the length of the question, and replace lone surrogates.

        A command-line argument that could not be decoded contains them, and neither models nor stores accept them.

        Raises
        ------
        PolyadicError
            The question is too long.
        """
        if len(self.question) > LONGEST_QUESTION:
            what = (
                f"the question has {len(self.question):,} characters, and at most {LONGEST_QUESTION:,} can be answered"
            )
            raise PolyadicError(what, "shorten the question, and index the text that it contains")
        turns = [Turn(_decoded(turn.question), _decoded(turn.answer)) for turn in self.history]
        return replace(self, question=_decoded(self.question), history=turns)


def _decoded(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
