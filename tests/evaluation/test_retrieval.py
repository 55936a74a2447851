"""Running a method over questions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.evaluation.datasets import Question
from polyadic.evaluation.measures.recall import all_gold_at, recall_at
from polyadic.evaluation.retrieval import Run, run_method
from polyadic.knowledge import Document
from polyadic.settings import EmbeddingSettings, Settings
from polyadic.workspace import Workspace

QUESTIONS = [
    Question("q1", "Who designed the Analytical Engine?", ("Charles Babbage",), frozenset({"engine"})),
    Question("q2", "When was the father of Ada Lovelace born?", ("1788",), frozenset({"ada", "byron"})),
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
def test_what_was_retrieved_is_kept_by_question_with_its_time(kb: Workspace, method: str) -> None:
    runs = run_method(kb, QUESTIONS, method, 4_000)
    assert [run.question for run in runs] == QUESTIONS
    for run in runs:
        assert len(run.retrieved) == len(set(run.retrieved))
        assert set(run.retrieved) <= {"ada", "byron", "engine", "bread"}
        assert run.recall(4) == run.all_gold(4) == 1.0
        assert run.seconds > 0
        assert run.embedding_seconds > 0
    assert runs[0].retrieved[0] == "engine"


def test_a_walk_reaches_what_shares_no_name_with_the_question(kb: Workspace) -> None:
    run = run_method(kb, QUESTIONS[1:], "walk", 4_000)[0]
    assert set(run.retrieved[:2]) == {"ada", "byron"}


def test_without_knowledge_nothing_is_recalled(kb: Workspace) -> None:
    assert [run.retrieved for run in run_method(kb, QUESTIONS, "none", 4_000)] == [(), ()]
    assert [run.retrieved for run in run_method(kb, QUESTIONS, "chunks", 0)] == [(), ()]
    assert run_method(kb, [], "walk", 4_000) == []


def test_measures_of_a_run() -> None:
    run = Run(Question("q", "?", (), frozenset({"a", "b"})), ("a", "x", "b"), 0.1, 0.0)
    assert [run.recall(k) for k in (1, 2, 3, 9)] == [0.5, 0.5, 1.0, 1.0]
    assert [run.all_gold(k) for k in (1, 2, 3, 9)] == [0.0, 0.0, 1.0, 1.0]
    assert recall_at(0, ["a"], {"a"}) == all_gold_at(0, ["a"], {"a"}) == 0.0
