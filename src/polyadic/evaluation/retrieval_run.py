"""Run a retrieval method over the questions of a data set."""

from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.evaluation.datasets import DatasetQuestion, corpus_id
from polyadic.evaluation.outcome import QuestionOutcome
from polyadic.workspace import Workspace

EMBEDDING_STEP = "embed"


@dataclass(frozen=True, slots=True)
class RetrievalRun:
    """Outcome of one retrieval; ``seconds`` excludes ``embedding_seconds``."""

    outcome: QuestionOutcome
    seconds: float
    embedding_seconds: float


def run_method(
    workspace: Workspace, questions: Sequence[DatasetQuestion], method: str, context_tokens: int
) -> list[RetrievalRun]:
    """Retrieve for each question, in order."""
    runs = []
    for question in questions:
        knowledge = workspace.retrieve(question.text, method, context_tokens)
        embedding = sum(step.seconds for step in knowledge.trace if step.name.startswith(EMBEDDING_STEP))
        total = sum(step.seconds for step in knowledge.trace)
        passages = tuple(corpus_id(source) for source in knowledge.documents)
        texts = tuple(item.text for item in knowledge.items)
        outcome = QuestionOutcome(question, passages, texts, knowledge.tokens)
        runs.append(RetrievalRun(outcome, total - embedding, embedding))
    return runs
