"""What a method made of one question: what it retrieved and what was written from that. Measures are given this."""

import re
from dataclasses import dataclass

from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.generation.citation_parser import marked

_ANSWER = re.compile(r"<answer>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """All that a model wrote for a question, reasoning included.

    ``answer`` is what is scored: the text inside ``<answer>``, or the whole generation where that tag is nowhere, which
    ``tagged`` tells so that it can be counted. Markers of citations, which golden answers do not have, are left out.
    """

    text: str
    answer: str
    tagged: bool

    @classmethod
    def read(cls, text: str) -> "GeneratedText":
        """
        >>> read = GeneratedText.read("<think>Her mother was Ada.</think> <answer>Ada Lovelace [2]</answer>")
        >>> read.answer, read.tagged
        ('Ada Lovelace', True)
        >>> GeneratedText.read("It was Ada.").answer, GeneratedText.read("It was Ada.").tagged
        ('It was Ada.', False)
        """
        tagged = bool(_ANSWER.search(text))
        shown = marked(text, pieces=0, thinks=tagged)
        return cls(text, shown.text if tagged else f"{shown.reasoning}\n{shown.text}".strip(), tagged)


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """A question and what a method made of it.

    ``passages`` are the ids, in the data set's corpus, of the passages that were retrieved, best first. ``knowledge``
    are the texts that were retrieved, best first, and ``tokens`` what they have together. ``generation`` is None where
    nothing was asked of a model.
    """

    question: DatasetQuestion
    passages: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    tokens: int = 0
    generation: GeneratedText | None = None

    @property
    def answer(self) -> str | None:
        return self.generation.answer if self.generation else None
