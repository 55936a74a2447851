"""Run a method over the questions of a data set and keep what it retrieved."""

from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.evaluation.datasets import DatasetQuestion, corpus_id
from polyadic.evaluation.outcome import QuestionOutcome
from polyadic.workspace import Workspace

EMBEDDING_STEP = "embed"


@dataclass(frozen=True, slots=True)
class RetrievalRun:
    """What one method retrieved for one question, and the seconds it took, those of embedding apart."""

    outcome: QuestionOutcome
    seconds: float
    embedding_seconds: float


def run_method(
    workspace: Workspace, questions: Sequence[DatasetQuestion], method: str, context_tokens: int
) -> list[RetrievalRun]:
    """One run a question, in the order of the questions."""
    runs = []
    for question in questions:
        found = workspace.retrieve(question.text, method, context_tokens)
        embedding = sum(step.seconds for step in found.trace if step.name.startswith(EMBEDDING_STEP))
        total = sum(step.seconds for step in found.trace)
        passages = tuple(corpus_id(source) for source in found.documents)
        texts = tuple(item.text for item in found.items)
        outcome = QuestionOutcome(question, passages, texts, found.tokens)
        runs.append(RetrievalRun(outcome, total - embedding, embedding))
    return runs
