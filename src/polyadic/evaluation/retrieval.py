"""Run a method over the questions of a data set and keep what it retrieved."""

from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.evaluation.datasets import Question, corpus_id
from polyadic.evaluation.measures.recall import all_gold_at, recall_at
from polyadic.workspace import Workspace

EMBEDDING_STEP = "embed"


@dataclass(frozen=True, slots=True)
class Run:
    """What one method retrieved for one question: passages best first, and seconds, those of embedding apart."""

    question: Question
    retrieved: tuple[str, ...]
    seconds: float
    embedding_seconds: float

    def recall(self, k: int) -> float:
        return recall_at(k, self.retrieved, self.question.gold)

    def all_gold(self, k: int) -> float:
        return all_gold_at(k, self.retrieved, self.question.gold)


def run_method(workspace: Workspace, questions: Sequence[Question], method: str, context_tokens: int) -> list[Run]:
    """One run a question, in the order of the questions."""
    runs = []
    for question in questions:
        knowledge = workspace.retrieve(question.text, method, context_tokens)
        embedding = sum(step.seconds for step in knowledge.trace if step.name.startswith(EMBEDDING_STEP))
        total = sum(step.seconds for step in knowledge.trace)
        retrieved = tuple(corpus_id(source) for source in knowledge.documents)
        runs.append(Run(question, retrieved, total - embedding, embedding))
    return runs
