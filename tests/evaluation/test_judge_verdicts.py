"""An evaluation with a language model that answers and judges, over real HTTP."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polyadic.config import AnswerSettings, ExtractionSettings, ModelSettings, Settings
from polyadic.errors import ModelUnavailable
from polyadic.evaluation.measures.judge import DIMENSIONS
from polyadic.evaluation.measures.win_rate import CRITERIA
from polyadic.evaluation.report import page
from polyadic.evaluation.results import EvaluationResults, as_json
from polyadic.workspace import Workspace
from tests.evaluation.tiny_dataset import HASHING, evaluated, undrawn, write_beir
from tests.model_server import Asked, ModelServer, Replaced, Status

METHODS = ("chunks", "walk")
MARK = re.compile(r"^(Respect to be marked|---Evaluation Goal---)$", re.MULTILINE)
SAID = {"Who designed": "Charles Babbage", "When was": "1788", "Where was": "Turin", "What is bread": "flour and water"}


def answer(asked: Asked) -> str | None:
    """Answers right, after a thought; what asks for neither a mark nor a winner is a question."""
    if asked.schema or MARK.search(asked.text):
        return None
    right = next(said for words, said in SAID.items() if words in asked.last_user_text)
    return f"<think>It is said in [1].</think><answer>{right} [1]</answer>"


def judge(asked: Asked) -> str | None:
    """Marks 8 in everything, and prefers what stands first."""
    if MARK.search(asked.text):
        return "<score>8</score><explanation>fine</explanation>"
    return json.dumps({name: {"winner": "Answer 1", "reason": "so"} for name in CRITERIA}) if asked.schema else None


def is_answer(asked: Asked) -> bool:
    return answer(asked) is not None


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([answer, judge], models=("writer", "strict")) as running:
        yield running


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_beir(tmp_path / "little")


def settings(server: ModelServer, **model: Any) -> Settings:
    asked = {"name": "writer", "base_url": server.url, "key_variable": "", "retries": 0, "timeout": 20.0, "at_once": 4}
    return HASHING.model_copy(
        update={
            "model": ModelSettings.model_validate(asked | {"prompt_price": 1.0, "completion_price": 2.0} | model),
            "extraction": ExtractionSettings(extractor="sentences"),
            "answer": AnswerSettings(format="think"),
        }
    )


def judged(server: ModelServer, data: Path, folder: Path, **plan: Any) -> EvaluationResults:
    whole = {"methods": METHODS, "answers": "model", "at_once": 4, "measures": ("f1", "g-e", "win-rate")} | plan
    return evaluated(data, folder, settings(server), **whole)


@pytest.mark.slow
def test_scores_and_winners_are_recorded(server: ModelServer, data: Path, tmp_path: Path) -> None:
    results = judged(server, data, tmp_path / "out")
    said = as_json(results)
    for method in said["methods"]:
        assert method["scores"]["f1"]["mean"] == 100.0
        assert method["scores"]["g-e"]["mean"] == 90.0
        parts = [name for name in method["scores"] if name.startswith("g-e: ")]
        assert parts == [f"g-e: {name.replace('_', ' ')}" for name in DIMENSIONS]
        assert method["answering_usage"]["calls"] == 4
        assert method["money_per_1000_questions"] > 0
    (against,) = said["comparisons"]
    assert (against["method"], against["other"]) == ("walk", "chunks")
    assert against["criteria"]["overall"]["rate"] == 50.0
    assert (against["criteria"]["overall"]["flips"], against["overall"]["mean"]) == (4, 50.0)
    answer = said["questions"][0]["results"]["walk"]["answer"]
    assert (answer["text"], answer["reasoning"], answer["by"]) == ("Charles Babbage [1]", "It is said in [1].", "model")
    # Both methods have the same answers, so that what is asked about them is the same as well, and asked once.
    assert len(server.calls) == 2 * 4 + 7 * 4 + 4
    shown = page(results)
    assert "Seven dimensions" in shown and "walk against chunks" in shown and "answers by writer" in shown


def test_judgements_are_paid_once_and_recorded_by_purpose(server: ModelServer, data: Path, tmp_path: Path) -> None:
    first = judged(server, data, tmp_path / "out")
    calls = len(server.calls)
    again = judged(server, data, tmp_path / "out")
    assert len(server.calls) == calls
    assert again.records == first.records and again.comparisons == first.comparisons
    with Workspace(tmp_path / "out" / "workspace", settings(server)) as kb:
        spent = {paid.purpose: paid.usage.calls for paid in kb.ledger().purposes}
    assert spent == {"answer": 8, "judge": calls - 8}


def test_judge_model_can_differ(server: ModelServer, data: Path, tmp_path: Path) -> None:
    judged(server, data, tmp_path / "out", judge="strict", measures=("g-e",))
    models = {(asked.model, is_answer(asked)) for asked in server.asked}
    assert models == {("writer", True), ("strict", False)}


def test_unreadable_judgements_are_counted_and_requested_again(server: ModelServer, data: Path, tmp_path: Path) -> None:
    server.misbehave(Replaced("no mark at all"), times=3, when=lambda asked: bool(MARK.search(asked.text)))
    results = judged(server, data, tmp_path / "out", measures=("g-e",), methods=("walk",))
    said = as_json(results)["methods"][0]
    assert said["unreadable_judgements"] == 3
    assert said["scores"]["g-e"] is None or said["scores"]["g-e"]["mean"] == 90.0
    again = as_json(judged(server, data, tmp_path / "out", measures=("g-e",), methods=("walk",)))["methods"][0]
    assert (again["unreadable_judgements"], again["scores"]["g-e"]["mean"]) == (0, 90.0)


def test_failed_questions_are_repeated_by_the_next_run(
    server: ModelServer, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undrawn(monkeypatch)
    server.misbehave(Status(400), times=None, when=lambda asked: "When was" in asked.text and is_answer(asked))
    results = judged(server, data, tmp_path / "out", measures=("f1",))
    assert {(failure.question, failure.method) for failure in results.failures} == {("q2", m) for m in METHODS}
    assert not results.is_whole
    assert as_json(results)["methods"][0]["questions"] == 3
    assert "2 questions failed, among them q2" in page(results)
    server.behave()
    calls = len(server.calls)
    assert judged(server, data, tmp_path / "out", measures=("f1",)).is_whole
    assert len(server.calls) == calls + 2


def test_results_before_a_model_failure_are_kept(server: ModelServer, data: Path, tmp_path: Path) -> None:
    server.misbehave(Status(401), times=None, when=lambda asked: asked.number > 3)
    results = judged(server, data, tmp_path / "out", measures=("f1", "g-e"), at_once=1)
    assert results.stopped and sum(cost.questions for cost in results.costs) == 3
    assert as_json(results)["methods"][0]["scores"]["f1"]["mean"] == 100.0
    assert [column.name for column in results.scores.columns] == ["f1"], "there was nobody to judge"
    server.behave()
    assert judged(server, data, tmp_path / "out", measures=("f1", "g-e")).is_whole


def test_unavailable_model_is_reported(server: ModelServer, data: Path, tmp_path: Path) -> None:
    server.misbehave(Status(401), times=None)
    with pytest.raises(ModelUnavailable):
        judged(server, data, tmp_path / "out")
