"""What is kept of one question put to one method: what was retrieved, what was answered, time and cost."""

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
    """An item that was retrieved; ``passages`` are the ids of those that it tells of, the first one first.

    A fact or a chunk tells of all passages that its evidence lies in. A description or a report rests on many of which
    it tells a word at most, so it counts as retrieving one: that of the fact below it nearest to the question.
    """

    kind: str
    text: str
    tokens: int
    passages: tuple[str, ...]

    @classmethod
    def of(cls, item: Item) -> "RetrievedRecord":
        passages = dict.fromkeys(corpus_id(place.source) for place in item.told)
        return cls(str(item.kind), item.text, item.tokens, tuple(passages))

    @cached_property
    def key(self) -> str:
        """What it is stored under, once however often it is retrieved."""
        return digest("found", self.kind, str(self.tokens), self.text, *self.passages)[:16]


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """An answer; ``reasoning`` is what a model wrote before it, ``by`` who made it."""

    text: str
    reasoning: str
    answered: bool
    by: AnswerBy

    @property
    def generation(self) -> GeneratedText:
        """What is scored; a question that got no answer has an empty one, whatever words say so."""
        if not self.answered:
            return GeneratedText("", "", False)
        if not self.reasoning:
            return GeneratedText.read(self.text)
        return GeneratedText.read(f"<think>{self.reasoning}</think>\n<answer>{self.text}</answer>")


@dataclass(frozen=True, slots=True)
class QuestionTimes:
    """Seconds: of retrieval, of which embedding took ``embedding``, and of answering."""

    retrieval: float
    embedding: float
    answering: float = 0.0

    @property
    def total(self) -> float:
        return self.retrieval + self.answering


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """What one method made of one question (by id)."""

    question: str
    method: str
    found: tuple[RetrievedRecord, ...]
    omitted: int
    said: AnswerRecord | None
    times: QuestionTimes
    retrieval_usage: Usage = field(default_factory=Usage)
    answering_usage: Usage = field(default_factory=Usage)

    @classmethod
    def retrieved(cls, question: DatasetQuestion, method: str, knowledge: Knowledge) -> "QuestionRecord":
        """Of a retrieval without an answer; ``method`` is the one that was asked for."""
        found = tuple(RetrievedRecord.of(item) for item in knowledge.items)
        embedding = sum(step.seconds for step in knowledge.trace if step.name.startswith(EMBEDDING_STEP))
        times = QuestionTimes(sum(step.seconds for step in knowledge.trace), embedding)
        return cls(question.id, method, found, knowledge.omitted, None, times, knowledge.usage)

    @classmethod
    def answered(cls, question: DatasetQuestion, method: str, answer: Answer, by: AnswerBy) -> "QuestionRecord":
        """Of an answer with the knowledge that it rests on."""
        before = cls.retrieved(question, method, answer.knowledge)
        return replace(
            before,
            said=AnswerRecord(answer.text, answer.reasoning, answer.answered, by),
            times=replace(before.times, answering=answer.seconds - before.times.retrieval),
            answering_usage=answer.usage - before.retrieval_usage,
        )

    @property
    def tokens(self) -> int:
        """Tokens of all that was retrieved."""
        return sum(found.tokens for found in self.found)

    @property
    def usage(self) -> Usage:
        return self.retrieval_usage + self.answering_usage

    @property
    def passages(self) -> tuple[str, ...]:
        """Ids of the passages that the items rest on, in the order in which they first appear."""
        return tuple(dict.fromkeys(self._named()))

    def outcome(self, question: DatasetQuestion) -> QuestionOutcome:
        """What measures are given."""
        texts = tuple(found.text for found in self.found)
        return QuestionOutcome(question, self.passages, texts, self.tokens, self.said.generation if self.said else None)

    def _named(self) -> Iterator[str]:
        return (passage for found in self.found for passage in found.passages)
