"""Running a method over questions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.measures.ranking_measures import AllGold, PassageRecall
from polyadic.evaluation.question_record import QuestionOutcome
from polyadic.evaluation.question_runner import run_method
from polyadic.model.types import Document
from polyadic.workspace import Workspace

QUESTIONS = [
    DatasetQuestion("q1", "Who designed the Analytical Engine?", ("Charles Babbage",), frozenset({"engine"})),
    DatasetQuestion("q2", "When was the father of Ada Lovelace born?", ("1788",), frozenset({"ada", "byron"})),
]


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Workspace]:
    said = {
        "ada": "Ada Lovelace was a daughter of Lord Byron.",
        "byron": "Lord Byron was born in London in 1788.",
        "engine": "Charles Babbage designed the Analytical Engine.",
        "bread": "Bread is made of flour.",
    }
    with Workspace(tmp_path / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as workspace:
        workspace.add([Document(f"/data/corpus.jsonl#{name}", "", text) for name, text in said.items()])
        yield workspace


@pytest.mark.parametrize("method", ["chunks", "hypergraph", "walk", "auto"])
def test_retrieved_items_are_recorded_with_times(kb: Workspace, method: str) -> None:
    runs = run_method(kb, QUESTIONS, method, 4_000)
    assert [run.outcome.question for run in runs] == QUESTIONS
    for run in runs:
        passages = run.outcome.passages
        assert len(passages) == len(set(passages))
        assert set(passages) <= {"ada", "byron", "engine", "bread"}
        assert PassageRecall(4).score(run.outcome) == AllGold(4).score(run.outcome) == 1.0
        assert run.seconds > 0
        assert run.embedding_seconds > 0
        assert 0 < run.outcome.tokens <= 4_000
        assert run.outcome.generation is None
    assert runs[0].outcome.passages[0] == "engine"
    assert any("designed the Analytical Engine" in text for text in runs[0].outcome.knowledge)


def test_walk_reaches_passages_without_a_shared_name(kb: Workspace) -> None:
    run = run_method(kb, QUESTIONS[1:], "walk", 4_000)[0]
    assert set(run.outcome.passages[:2]) == {"ada", "byron"}


def test_method_none_has_zero_recall(kb: Workspace) -> None:
    for method, tokens in (("none", 4_000), ("chunks", 0)):
        runs = run_method(kb, QUESTIONS, method, tokens)
        assert [run.outcome for run in runs] == [QuestionOutcome(question) for question in QUESTIONS]
    assert run_method(kb, [], "walk", 4_000) == []
