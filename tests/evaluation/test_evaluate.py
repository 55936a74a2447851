"""An evaluation from beginning to end without a language model: what is kept, what is not done again."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from polyadic.config import METHODS, WalkSettings
from polyadic.errors import SettingsError, StoreBusy, StoreError, UnreadableDataset
from polyadic.evaluation.evaluate import evaluate
from polyadic.evaluation.journal import FILE_NAME
from polyadic.evaluation.results import write_results
from polyadic.retrieval.registry import needs_model
from tests.evaluation.tiny_dataset import HASHING, PASSAGES, evaluated, without_times, write_beir


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_beir(tmp_path / "little")


def written(data: Path, folder: Path, **plan: Any) -> dict[str, Any]:
    results = evaluated(data, folder, **plan)
    said: dict[str, Any] = json.loads(write_results(results, folder).read_text(encoding="utf-8"))
    return said


def test_results_cover_every_question_and_method(data: Path, tmp_path: Path) -> None:
    methods = tuple(method for method in METHODS if not needs_model(method))
    said = written(data, tmp_path / "out", methods=methods, context_tokens=500)
    assert said["dataset"] == "little" and said["plan"]["methods"] == list(methods)
    assert [question["id"] for question in said["questions"]] == ["q1", "q2", "q3", "q4"]
    for question in said["questions"]:
        assert set(question["results"]) == set(methods)
        for method, result in question["results"].items():
            items = [said["items"][key] for key in result["items"]]
            assert result["tokens"] == sum(item["tokens"] for item in items) <= 500
            assert result["passages"] == list(dict.fromkeys(p for item in items for p in item["passages"]))
            assert set(result["passages"]) <= set(PASSAGES)
            assert result["seconds"]["retrieval"] >= 0 and result["seconds"]["answering"] >= 0
            assert (result["answer"]["by"], result["scores"]["recall@5"] is not None) == ("quotes", True)
            assert items or method not in {"chunks", "walk", "hipporag2", "hypergraph"}
        assert question["results"]["none"]["items"] == []
    walk = next(method for method in said["methods"] if method["method"] == "walk")
    assert walk["scores"]["recall@5"]["mean"] == 1.0
    assert said["curves"]["limits"] == [250, 500]
    assert said["construction"]["counts"]["documents"] == len(PASSAGES)
    assert said["construction"]["seconds"]["total"] > 0


def test_the_same_seed_gives_the_same_bytes_apart_from_times(data: Path, tmp_path: Path) -> None:
    first, second = (written(data, tmp_path / name, limit=3, seed=7) for name in "ab")
    assert json.dumps(without_times(first)) == json.dumps(without_times(second))
    assert len(first["questions"]) == 3


def test_recorded_questions_are_not_asked_again(data: Path, tmp_path: Path) -> None:
    first = written(data, tmp_path / "out")
    journal = (tmp_path / "out" / FILE_NAME).read_bytes()
    again = written(data, tmp_path / "out")
    # Times of questions are part of it: they would differ if these had been asked again.
    assert again["questions"] == first["questions"]
    assert (tmp_path / "out" / FILE_NAME).read_bytes() == journal
    more = written(data, tmp_path / "out", methods=("walk", "hypergraph"))
    assert more["questions"][0]["results"]["walk"] == first["questions"][0]["results"]["walk"]
    assert (tmp_path / "out" / FILE_NAME).read_bytes().startswith(journal)


def test_larger_sample_contains_the_smaller_one(data: Path, tmp_path: Path) -> None:
    two = [question["id"] for question in written(data, tmp_path / "out", limit=2)["questions"]]
    three = [question["id"] for question in written(data, tmp_path / "out", limit=3)["questions"]]
    assert set(two) < set(three) and three == sorted(three)


@pytest.mark.parametrize(
    ("plan", "part"),
    [
        ({"context_tokens": 100}, "--context-tokens"),
        ({"seed": 1}, "--seed"),
        ({"answers": "none"}, "--answers"),
        ({"settings": HASHING.model_copy(update={"walk": WalkSettings(passages=2)})}, r"section \[walk\]"),
    ],
)
def test_records_of_other_settings_are_not_mixed(data: Path, tmp_path: Path, plan: dict[str, Any], part: str) -> None:
    evaluated(data, tmp_path / "out")
    with pytest.raises(StoreError, match=f"made with another {part}.*: choose another --out"):
        evaluated(data, tmp_path / "out", **plan)


def test_records_of_another_dataset_are_not_mixed(data: Path, tmp_path: Path) -> None:
    evaluated(data, tmp_path / "out")
    with (data / "corpus.jsonl").open("a") as corpus:
        corpus.write('{"_id": "new", "title": "New", "text": "Something New came to Rome."}\n')
    with pytest.raises(StoreError, match="another data set, another index"):
        evaluated(data, tmp_path / "out")


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        ({"methods": ("walk", "hops")}, "there is no method 'hops': use some of none, bm25, chunks"),
        ({"methods": ("walk", "walk")}, "method walk is given twice"),
        ({"measures": ("f2",)}, 'there is no measure "f2"'),
        ({"measures": ("g-e",)}, "the measure g-e needs a language model as judge, and none is configured"),
        ({"measures": ("win-rate",)}, "the measure win-rate needs a language model"),
        ({"answers": "model"}, "this needs a language model"),
    ],
)
def test_invalid_plans_are_refused_before_any_work(
    data: Path, tmp_path: Path, plan: dict[str, Any], problem: str
) -> None:
    with pytest.raises(SettingsError, match=problem):
        evaluated(data, tmp_path / "out", **plan)
    assert not (tmp_path / "out" / FILE_NAME).exists()
    assert not (tmp_path / "out" / "workspace" / "store.sqlite").exists()


def test_unreadable_corpus_is_reported(tmp_path: Path) -> None:
    data = write_beir(tmp_path / "little", {})
    with pytest.raises(UnreadableDataset, match="has no readable passage"):
        evaluated(data, tmp_path / "out")


def test_retrieval_only_run_has_no_answer_scores(data: Path, tmp_path: Path) -> None:
    results = evaluated(data, tmp_path / "out", answers="none", measures=("recall@5", "f1", "r-s"))
    applies = {c.name: results.scores.applies(n) for n, c in enumerate(results.scores.columns)}
    assert applies == {"recall@5": True, "f1": False, "r-s": True}
    assert all(record and record.answer is None for row in results.records for record in row)


def test_budget_sweep_reuses_recorded_questions(data: Path, tmp_path: Path) -> None:
    plain_run = written(data, tmp_path / "out", methods=("chunks", "walk"), context_tokens=60)
    assert plain_run["sweep"] is None
    said = written(data, tmp_path / "out", methods=("chunks", "walk"), context_tokens=60, budgets=(20, 60, 200))
    sweep = said["sweep"]
    assert sweep["budgets"] == [20, 60, 200]
    assert said["questions"] == plain_run["questions"], "the budget itself is asked once"
    assert lines(tmp_path / "out" / FILE_NAME) == 1 + 4 * 2 * 3
    for method in ("chunks", "walk"):
        tokens, recall = sweep["tokens"][method], sweep["means"]["recall@5"][method]
        assert all(0 < used <= budget for used, budget in zip(tokens, (20, 60, 200), strict=True))
        assert tokens == sorted(tokens) and recall == sorted(recall) and recall[0] < recall[2] == 1.0
        whole = next(one for one in said["methods"] if one["method"] == method)
        assert (whole["tokens"], whole["scores"]["recall@5"]["mean"]) == (tokens[1], recall[1])


CHILD = """
import sys
from pathlib import Path
from tests.evaluation.tiny_dataset import evaluated
evaluated(Path(sys.argv[1]), Path(sys.argv[2]), methods=("chunks", "walk", "hypergraph"), context_tokens=400)
"""


def lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


@pytest.mark.slow
def test_evaluation_resumes_after_kill_at_any_moment(tmp_path: Path) -> None:
    people = {f"p{n}": (f"Person {n} Falk", f"Person {n} Falk met Ada Lovelace in Town {n}.") for n in range(60)}
    asked = [
        {"id": f"q{n}", "text": f"Whom did Person {n} Falk meet?", "answers": ["Ada"], "gold": [f"p{n}"]}
        for n in range(60)
    ]
    data, out = write_beir(tmp_path / "little", people, asked), tmp_path / "out"
    for wanted in (2, 80):
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(data), str(out)])
        deadline = time.monotonic() + 60
        while lines(out / FILE_NAME) < wanted and child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        assert lines(out / FILE_NAME) >= wanted
    before = (out / FILE_NAME).read_bytes()
    kept = before[: before.rindex(b"\n") + 1]
    methods = ("chunks", "walk", "hypergraph")
    whole = written(data, out, methods=methods, context_tokens=400)
    assert (out / FILE_NAME).read_bytes().startswith(kept), "what was there is kept as it was"
    assert lines(out / FILE_NAME) == 1 + 3 * 60, "every question was asked once by each method"
    fresh = written(data, tmp_path / "fresh", methods=methods, context_tokens=400)
    assert without_times(whole) == without_times(fresh)


def test_second_evaluation_of_the_same_folder_is_refused(data: Path, tmp_path: Path) -> None:
    said: list[str] = []

    def second(line: str) -> None:
        if not said:
            said.append(line)
            with pytest.raises(StoreBusy, match="another evaluation is writing into"):
                evaluated(data, tmp_path / "out")

    import asyncio

    from polyadic.evaluation.dataset_formats import load_dataset
    from polyadic.evaluation.plan import EvalPlan
    from polyadic.workspace import Workspace

    with Workspace(tmp_path / "workspace", HASHING) as kb:
        asyncio.run(evaluate(kb, load_dataset(data), EvalPlan(("walk",)), tmp_path / "out", second))
    assert said
