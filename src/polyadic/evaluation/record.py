"""Record of one question with one method: retrieved items, answer, time and cost."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from polyadic.evaluation.datasets import DatasetQuestion, corpus_id
from polyadic.evaluation.outcome import GeneratedText, QuestionOutcome
from polyadic.model.identity import digest
from polyadic.model.types import Answer, Item, Knowledge, Usage

AnswerBy = Literal["model", "quotes"]
EMBEDDING_STEP = "embed"


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
