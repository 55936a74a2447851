"""polyadic hierarchy: building and showing from the command line, and what other verbs say of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.cli.main import run
from tests.cli.conftest import Command
from tests.hierarchy.towns import document
from tests.model_server import ModelServer, ready
from tests.model_server.batches import answer_batch
from tests.support.batches import put_lines

TOWNS = 12


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model that writes summaries and reports; sentences are facts."""
    with ModelServer(ready()) as running:
        monkeypatch.setenv("POLYADIC_MODEL__NAME", "recorded")
        monkeypatch.setenv("POLYADIC_MODEL__BASE_URL", running.url)
        monkeypatch.setenv("POLYADIC_MODEL__KEY_VARIABLE", "")
        monkeypatch.setenv("POLYADIC_MODEL__RETRIES", "0")
        monkeypatch.setenv("POLYADIC_MODEL__OUTPUT_TOKENS", "400")
        monkeypatch.setenv("POLYADIC_EXTRACTION__EXTRACTOR", "sentences")
        yield running


@pytest.fixture
def towns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with documents about towns; clusters are small."""
    monkeypatch.setenv("POLYADIC_HIERARCHY_BUILD__CLUSTER_MEMBERS", "6")
    folder = tmp_path / "towns"
    folder.mkdir()
    for number in range(TOWNS):
        (folder / f"{number:02}.txt").write_text(document(number).text)
    return folder


@pytest.fixture
def indexed(polyadic: Command, towns: Path) -> Path:
    assert polyadic("index", str(towns)).code == 0
    return towns


def test_hierarchy_is_built_shown_and_rebuilt(polyadic: Command, indexed: Path) -> None:
    assert polyadic("hierarchy", "show").out == "there is no hierarchy yet: polyadic hierarchy build creates it\n"
    assert "hierarchy" not in polyadic("status").out
    built = polyadic("hierarchy", "build")
    assert built.code == 0 and not [line for line in built.err.splitlines() if not line.startswith("building: ")]
    assert "; written without a language model\n" in built.out and "all rebuilt: " in built.out
    shown = polyadic("hierarchy", "show")
    for part in ("layers", "0: 5", "(sparsity 0.", "summaries", "communities", "members", "rated", "extractive"):
        assert part in shown.out
    assert len(shown.out.splitlines()) < 200
    assert "nothing to do" in polyadic("hierarchy", "build").out


def test_stale_parts_are_reported_and_rebuilt(polyadic: Command, indexed: Path) -> None:
    polyadic("hierarchy", "build")
    status = polyadic("status")
    assert "summaries by layer" in status.out and "cluster sparsity by layer: 0." in status.out
    assert "updates them" not in status.out
    polyadic("delete", str(indexed / "03.txt"))
    said = polyadic("status").out
    assert "stale" in said and "polyadic hierarchy build updates them" in said
    shown = polyadic("hierarchy", "show").out
    assert "stale, polyadic hierarchy build updates it" in shown and "Bridge 3" not in shown
    (indexed / "99.txt").write_text(document(99).text)
    polyadic("index", str(indexed / "99.txt"))
    assert "not included yet" in polyadic("status").out
    assert polyadic("hierarchy", "build").code == 0
    assert "updates them" not in polyadic("status").out


def test_json_output(polyadic: Command, indexed: Path) -> None:
    built = json.loads(polyadic("hierarchy", "build", "--json").out)
    assert built["by"] == "extractive" and built["changed"] and built["summaries"] == built["clusters_built"]
    shown = json.loads(polyadic("hierarchy", "show", "--depth", "9", "--json").out)
    assert sum(layer["summaries"] for layer in shown["layers"]) == built["summaries"]
    assert shown["unplaced"] == 0

    def leaves(branch: dict[str, object]) -> int:
        below = branch["branches"]
        assert isinstance(below, list)
        return sum(map(leaves, below)) if below else int(branch["size"] == 0)

    assert sum(map(leaves, shown["top"])) >= shown["entities"] == built["entities"]
    status = json.loads(polyadic("status", "--json").out)["hierarchy"]
    assert sum(status["layers"]) == built["summaries"] and sum(status["levels"]) == built["communities"]
    assert status["sparsities"] == built["sparsities"] and status["extractive"] == built["summaries"] + built["reports"]


@pytest.mark.slow
def test_measures(polyadic: Command, indexed: Path, tmp_path: Path) -> None:
    missing = polyadic("hierarchy", "measure")
    assert missing.code == 1 and missing.err.count("\n") == 1 and "has no hierarchy" in missing.err
    polyadic("hierarchy", "build")
    measured = polyadic("hierarchy", "measure")
    assert measured.code == 0 and "clustering coefficient" in measured.out and "bridge" not in measured.out
    table = tmp_path / "questions.csv"
    table.write_text("question,expected\nWho built the Bridge 3?,Pavel\nWho built the Bridge 5?,Emil\n")
    asked = ("hierarchy", "measure", "--questions", str(table), "--context-tokens", "300")
    assert "mean of 2 questions" in polyadic(*asked).out
    values = json.loads(polyadic(*asked, "--json").out)
    assert values["layers"][0]["items"] == json.loads(polyadic("hierarchy", "show", "--json").out)["entities"]
    assert 0 < values["clustering"] < 1 and values["bridge"]["questions"] == 2
    assert 0 < values["bridge"]["local_in_bridge"] <= 1


def test_index_builds_the_hierarchy(polyadic: Command, towns: Path) -> None:
    report = json.loads(polyadic("index", str(towns), "--hierarchy", "--json").out)
    assert report["added"] == TOWNS and report["hierarchy"]["changed"]
    again = polyadic("index", str(towns), "--hierarchy")
    assert again.code == 0 and "nothing to do: the hierarchy is up to date" in again.out


def test_failed_indexing_does_not_build_the_hierarchy(polyadic: Command, tmp_path: Path) -> None:
    outcome = polyadic("index", str(tmp_path / "nowhere"), "--hierarchy")
    assert outcome.code == 1 and "the hierarchy was not built" in outcome.err


@pytest.mark.slow
def test_dry_runs(polyadic: Command, server: ModelServer, towns: Path) -> None:
    before = polyadic("estimate", str(towns), "--hierarchy")
    assert before.code == 0 and "includes new documents only after indexing" in before.out
    assert polyadic("index", str(towns)).code == 0
    for arguments in (["hierarchy", "build", "--dry-run"], ["estimate", "--hierarchy"]):
        found = polyadic(*arguments)
        assert found.code == 0 and "clusters to summarize" in found.out and "at most" in found.out
        assert "by recorded: " in found.out and "rule of thumb" in found.out
    both = json.loads(polyadic("index", str(towns), "--hierarchy", "--dry-run", "--json").out)
    alone = json.loads(polyadic("estimate", "--hierarchy", "--json").out)
    assert both["unchanged"] == TOWNS and both["hierarchy"] == alone and alone["usage"]["calls"] > 0
    assert not server.calls


def test_build_stopped_by_budget_resumes(polyadic: Command, server: ModelServer, towns: Path) -> None:
    polyadic("index", str(towns))
    stopped = polyadic("hierarchy", "build", "--spend-tokens", "4000")
    assert stopped.code == 3
    assert "stopped: the budget of 4,000 tokens" in stopped.err and "the hierarchy is unchanged" in stopped.err
    assert polyadic("hierarchy", "build", "--spend-tokens", "0").code == 3
    done = polyadic("hierarchy", "build")
    assert done.code == 0 and "by recorded" in done.out
    assert json.loads(polyadic("status", "--json").out)["spent"]["calls"] == len(server.calls)


@pytest.mark.slow
def test_hierarchy_by_batch_files(polyadic: Command, server: ModelServer, indexed: Path, tmp_path: Path) -> None:
    rounds = 0
    written = polyadic("batch", "write", "0.jsonl", "--hierarchy")
    while "written to" in written.out:
        assert written.code == 0 and "summaries or reports pending in batch files" in written.out
        assert "pending: " in polyadic("batch", "status").out
        put_lines(tmp_path / "answers.jsonl", answer_batch(server, tmp_path / f"{rounds}.jsonl"))
        read = polyadic("batch", "read", "answers.jsonl")
        rounds += 1
        written = polyadic("batch", "write", f"{rounds}.jsonl")
        assert read.code == (3 if "written to" in written.out else 0)
    assert rounds >= 3 and "by recorded" in read.out
    assert polyadic("batch", "status").out == "no pending requests\n"
    assert "nothing to do" in polyadic("hierarchy", "build").out


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["build", "--by", "model"], 1, "needs a language model"),
        (["build", "--by", "magic"], 2, "'magic' is not one of"),
        (["build", "--budget", "nan"], 2, "'nan' is not a number"),
        (["build", "--dry-run", "--spend-tokens", "5"], 2, "--dry-run cannot be combined with --budget"),
        (["show", "--depth", "0"], 2, "0 is not in the range"),
        (["measure", "--context-tokens", "5"], 2, "--context-tokens needs --questions"),
        (["measure", "--questions", "nowhere.csv"], 1, "there is no file"),
        (["paint"], 2, "no such command 'paint'"),
    ],
)
def test_errors_are_one_line(polyadic: Command, indexed: Path, arguments: list[str], code: int, reason: str) -> None:
    outcome = polyadic("hierarchy", *arguments)
    assert outcome.code == code
    assert reason in outcome.err.casefold()
    assert outcome.err.count("\n") == 1


def test_missing_workspace_is_reported(polyadic: Command) -> None:
    for arguments in (["build"], ["show"], ["build", "--dry-run"]):
        outcome = polyadic("hierarchy", *arguments)
        assert outcome.code == 1 and "there is no workspace" in outcome.err
    assert run(["estimate"]) == 2
