"""Outcome of one question with one method: retrieved passages and generated text. This is the input of measures."""

import re
from dataclasses import dataclass

from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.generation.citation_parser import marked

_ANSWER = re.compile(r"<answer>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """Text that a model generated for a question, including its reasoning.

    ``answer`` is the part that is scored: the text inside ``<answer>``, or the whole generation if that tag is missing
    (``tagged`` is False then). Citation markers are removed, since gold answers have none.
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
    """Outcome of a question.

    Attributes
    ----------
    passages
        Corpus ids of the retrieved passages, best first.
    knowledge
        Retrieved texts, best first.
    tokens
        Number of tokens of ``knowledge``.
    generation
        Generated answer; None if no answer was requested.
    """

    question: DatasetQuestion
    passages: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    tokens: int = 0
    generation: GeneratedText | None = None

    @property
    def answer(self) -> str | None:
        return self.generation.answer if self.generation else None
