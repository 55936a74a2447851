"""One question with one method: its outcome, which measures score, and the record of it with answer, time and cost."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from polyadic.evaluation.datasets import DatasetQuestion, corpus_id
from polyadic.generation.citation_parser import marked
from polyadic.model.identity import digest
from polyadic.model.types import Answer, Item, Knowledge, Usage

_ANSWER = re.compile(r"<answer>", re.IGNORECASE)

AnswerBy = Literal["model", "quotes"]
EMBEDDING_STEP = "embed"


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


@dataclass(frozen=True)
class RetrievedRecord:
    """A retrieved item and the ids of the passages that it covers, in order of appearance.

    A fact or a chunk covers all passages that contain its evidence. A description or a report summarizes many passages
    and says little of each, so it covers only the passage of its underlying fact that is nearest to the question.
    """

    kind: str
    text: str
    tokens: int
    passages: tuple[str, ...]

    @classmethod
    def of(cls, item: Item) -> "RetrievedRecord":
        passages = dict.fromkeys(corpus_id(place.source) for place in item.shown_places)
        return cls(str(item.kind), item.text, item.tokens, tuple(passages))

    @cached_property
    def key(self) -> str:
        """Digest that identifies the item in the journal."""
        return digest("found", self.kind, str(self.tokens), self.text, *self.passages)[:16]


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """An answer, the reasoning that a model wrote before it, and its origin (``by``)."""

    text: str
    reasoning: str
    answered: bool
    by: AnswerBy

    @property
    def generation(self) -> GeneratedText:
        """The generation to score; empty if the question was refused, whatever the refusal says."""
        if not self.answered:
            return GeneratedText("", "", False)
        if not self.reasoning:
            return GeneratedText.read(self.text)
        return GeneratedText.read(f"<think>{self.reasoning}</think>\n<answer>{self.text}</answer>")


@dataclass(frozen=True, slots=True)
class QuestionTimes:
    """Seconds for retrieval, including ``embedding``, and for answering."""

    retrieval: float
    embedding: float
    answering: float = 0.0

    @property
    def total(self) -> float:
        return self.retrieval + self.answering


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """Retrieved items, answer, times and usage of one question (by id) with one method.

    ``hierarchy`` is the fingerprint of the hierarchy that was searched; empty if none was.
    """

    question: str
    method: str
    found: tuple[RetrievedRecord, ...]
    omitted: int
    answer: AnswerRecord | None
    times: QuestionTimes
    retrieval_usage: Usage = field(default_factory=Usage)
    answering_usage: Usage = field(default_factory=Usage)
    hierarchy: str = ""

    @classmethod
    def retrieved(cls, question: DatasetQuestion, method: str, knowledge: Knowledge) -> "QuestionRecord":
        """Create a record of a retrieval without an answer; ``method`` is the requested method."""
        items = tuple(RetrievedRecord.of(item) for item in knowledge.items)
        embedding = sum(step.seconds for step in knowledge.trace if step.name.startswith(EMBEDDING_STEP))
        times = QuestionTimes(sum(step.seconds for step in knowledge.trace), embedding)
        return cls(question.id, method, items, knowledge.omitted, None, times, knowledge.usage)

    @classmethod
    def answered(cls, question: DatasetQuestion, method: str, answer: Answer, by: AnswerBy) -> "QuestionRecord":
        """Create a record of an answer and its retrieved knowledge."""
        retrieval = cls.retrieved(question, method, answer.knowledge)
        return replace(
            retrieval,
            answer=AnswerRecord(answer.text, answer.reasoning, answer.answered, by),
            times=replace(retrieval.times, answering=answer.seconds - retrieval.times.retrieval),
            answering_usage=answer.usage - retrieval.retrieval_usage,
        )

    @property
    def tokens(self) -> int:
        """Tokens of all retrieved items."""
        return sum(item.tokens for item in self.found)

    @property
    def usage(self) -> Usage:
        return self.retrieval_usage + self.answering_usage

    @property
    def passages(self) -> tuple[str, ...]:
        """Ids of the passages that the items cover, in order of first appearance."""
        return tuple(dict.fromkeys(self._passage_ids()))

    def outcome(self, question: DatasetQuestion) -> QuestionOutcome:
        """Return the outcome for scoring."""
        texts = tuple(item.text for item in self.found)
        return QuestionOutcome(
            question, self.passages, texts, self.tokens, self.answer.generation if self.answer else None
        )

    def _passage_ids(self) -> Iterator[str]:
        return (passage for item in self.found for passage in item.passages)
