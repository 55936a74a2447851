"""What polyadic eval prints and writes, and how it ends."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.evaluation.tiny_dataset import write_beir
from tests.model_server import ModelServer, Status, says


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_beir(tmp_path / "little")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer([says("Charles Babbage [1]")], key="sk-test") as running:
        monkeypatch.setenv("POLYADIC_MODEL__NAME", "recorded")
        monkeypatch.setenv("POLYADIC_MODEL__BASE_URL", running.url)
        monkeypatch.setenv("POLYADIC_MODEL__RETRIES", "0")
        monkeypatch.setenv("POLYADIC_EXTRACTION__EXTRACTOR", "sentences")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        yield running


@pytest.mark.slow
def test_eval_prints_a_table_and_writes_two_files(
    polyadic: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    outcome = polyadic("eval", str(data), "--methods", "chunks,walk,none")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "little: 4 questions, at most 4,000 tokens each"
    assert lines[2].split() == ["method", "recall@5", "all-gold@5", "all-gold@8", "ndcg@10"]
    assert lines[3].split()[:4] == ["chunks", "1.000", "[1.000,", "1.000]"]
    assert lines[5].split()[:4] == ["none", "0.000", "[0.000,", "0.000]"]
    assert all(len(line) <= 100 for line in lines[:-1])
    assert "answers are sentences quoted from the retrieved text, without a language model" in lines
    assert lines[-1] == "written: polyadic-eval/little/results.json, polyadic-eval/little/report.html"
    folder = tmp_path / "polyadic-eval" / "little"
    assert len(json.loads((folder / "results.json").read_text())["questions"]) == 4
    assert "little: 3 methods compared" in (folder / "report.html").read_text()


@pytest.mark.slow
def test_variants_are_further_rows(polyadic: Command, data: Path) -> None:
    outcome = polyadic("eval", str(data), "--methods", "chunks", "--variant", "passages=1", "--variant", "passages=2")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert sum(line.startswith("chunks passages=1 ") for line in lines) >= 2
    differences = lines[next(n for n, line in enumerate(lines) if line.startswith("difference from its method")) :]
    assert [line.split()[:2] for line in differences[1:3]] == [["chunks", "passages=1"], ["chunks", "passages=2"]]


@pytest.mark.slow
def test_json_contains_all_but_single_questions(polyadic: Command, data: Path) -> None:
    outcome = polyadic("eval", str(data), "--methods", "walk", "--limit", "2", "--out", "out", "--json")
    said = json.loads(outcome.out)
    assert (outcome.code, said["questions_asked"], said["plan"]["limit"]) == (0, 2, 2)
    assert said["methods"][0]["scores"]["recall@5"] == {"mean": 1.0, "low": 1.0, "high": 1.0, "best": 1.0}
    assert "questions" not in said


@pytest.mark.slow
def test_results_are_printed_by_budget(polyadic: Command, data: Path) -> None:
    options = ("--methods", "chunks,walk", "--answers", "none", "--measures", "recall@5,ndcg@10", "--out", "out")
    outcome = polyadic("eval", str(data), *options, "--context-tokens", "200", "--budgets", "1,30")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("recall@5 by tokens"))
    assert lines[at].split()[3:] == ["1", "30", "200"]
    rows = [line.split() for line in lines[at + 1 : at + 3]]
    assert [row[0] for row in rows] == ["chunks", "walk"]
    assert all(row[1] == "0.000" and float(row[2]) <= float(row[3]) == 1 for row in rows)
    assert "ndcg@10 by tokens" not in outcome.out


@pytest.mark.slow
def test_existing_workspace_is_reused(polyadic: Command, data: Path, tmp_path: Path) -> None:
    assert polyadic("-w", "kb", "index", str(data / "corpus.jsonl")).code == 0
    (tmp_path / "more.md").write_text("# More\n\nMore Words came to Rome with Ada Lovelace.\n")
    assert polyadic("-w", "kb", "index", "more.md").code == 0
    outcome = polyadic("eval", str(data), "-w", "kb", "--methods", "walk", "--out", "out")
    assert outcome.code == 0
    assert "documents in the workspace that are not in the data set: 1" in outcome.out
    assert not (tmp_path / "out" / "workspace").exists()


@pytest.mark.slow
def test_all_methods_can_be_evaluated(polyadic: Command, data: Path) -> None:
    outcome = polyadic("eval", str(data), "--methods", "all", "--answers", "none", "--limit", "1", "--measures", "em")
    assert outcome.code == 0
    assert {"none", "chunks", "walk", "auto"} <= {line.split(" ")[0] for line in outcome.out.splitlines()}
    assert "kag" not in outcome.out and "left out, because no language model is set: kag" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (["nowhere"], 1, "there is no data set nowhere: supported are corpus.jsonl"),
        (["."], 1, ". has none of the supported layouts of question sets: supported are corpus.jsonl"),
        (["little", "--methods", "hops"], 1, "there is no method 'hops': use some of none"),
        (["little", "--measures", "f2"], 1, 'there is no measure "f2": known: f1'),
        (["little", "--measures", "g-e"], 1, "the measure g-e needs a language model as judge"),
        (["little", "--answers", "model"], 1, "this needs a language model, but none is configured"),
        (["little", "--methods", "kag"], 1, "this needs a language model, but none is configured"),
        (["little", "--limit", "0"], 2, "invalid value for '--limit'"),
        (["little", "--context-tokens", "0"], 2, "invalid value for '--context-tokens'"),
        (
            ["little", "--methods", "chunks", "--variant", "passages=0"],
            1,
            "the variant chunks.passages=0 has an invalid",
        ),
        (["little", "--variant", "decay=1"], 1, "no method of --methods has all settings of the variant decay=1"),
        (["little", "--budgets", "500,few"], 2, "--budgets must be comma-separated numbers of tokens, not 500,few"),
        ([], 2, "missing argument 'DATASET'"),
    ],
)
def test_errors_are_one_line(polyadic: Command, data: Path, arguments: list[str], code: int, problem: str) -> None:
    outcome = polyadic("eval", *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith(f"polyadic: {problem}") and outcome.err.count("\n") == 1


@pytest.mark.slow
def test_different_settings_need_another_folder(polyadic: Command, data: Path) -> None:
    assert polyadic("eval", str(data), "--methods", "walk").code == 0
    outcome = polyadic("eval", str(data), "--methods", "walk", "--seed", "3")
    assert outcome.code == 1
    assert outcome.err.endswith(
        "holds results made with another --seed: choose another --out, or delete that file to start over\n"
    )


@pytest.mark.parametrize("library", ["matplotlib", "ir_measures"])
def test_missing_library_is_reported_before_any_work(
    polyadic: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    from polyadic.evaluation.measures import ranking_measures

    ranking_measures.named.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    outcome = polyadic("eval", str(data))
    assert outcome.code == 1
    assert f"{library}, which is not installed: pip install 'polyadic[eval]'" in outcome.err
    assert not (tmp_path / "polyadic-eval" / "little" / "workspace").exists()


@pytest.mark.slow
def test_failed_questions_give_exit_code_3(polyadic: Command, data: Path, server: ModelServer) -> None:
    server.misbehave(Status(400), times=None, when=lambda asked: "bread" in asked.last_user_text.split("Question")[-1])
    outcome = polyadic("eval", str(data), "--methods", "chunks", "--measures", "f1")
    assert outcome.code == 3
    assert "  q4 by chunks: " in outcome.err
    assert outcome.err.endswith("1 question failed; run the same command again to retry\n")
    assert "questions: 3 calls, " in outcome.out
    server.behave()
    assert polyadic("eval", str(data), "--methods", "chunks", "--measures", "f1").code == 0


@pytest.mark.slow
def test_unavailable_model_stops_the_evaluation(polyadic: Command, data: Path, server: ModelServer) -> None:
    server.misbehave(Status(401), times=None, when=lambda asked: asked.number > 2)
    outcome = polyadic("eval", str(data), "--methods", "chunks", "--at-once", "1")
    assert outcome.code == 3
    assert outcome.err.startswith("stopped: ")
    assert outcome.err.endswith("finished work is kept, run the same command again to resume\n")
    server.misbehave(Status(401), times=None)
    assert polyadic("eval", str(data), "--methods", "walk", "--out", "other").code == 1


def test_default_methods_include_the_query_method_and_a_keyword_baseline() -> None:
    from polyadic.cli.eval import DEFAULT_METHODS
    from polyadic.config import METHODS, RetrievalSettings

    methods = DEFAULT_METHODS.split(",")
    assert {RetrievalSettings().method, "bm25"} <= set(methods) <= set(METHODS)
