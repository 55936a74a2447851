"""polyadic query with the methods that search a hierarchy: what is printed of sections, reports, and where none is."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

QUESTION = "Who designed the Analytical Engine?"
NOT_BUILT = "there is no up-to-date hierarchy: polyadic hierarchy build"
METHODS = ("hierarchy", "local", "bridge", "global", "graphrag", "graphrag-binary")


@pytest.fixture
def built(polyadic: Command, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The notes have too few facts for a report otherwise.
    monkeypatch.setenv("POLYADIC_HIERARCHY_BUILD__REPORT_FACTS", "1")
    assert polyadic("hierarchy", "build").code == 0
    return indexed


@pytest.mark.parametrize("method", METHODS)
def test_missing_hierarchy_is_reported(polyadic: Command, indexed: Path, method: str) -> None:
    context = polyadic("query", QUESTION, "--method", method, "--context-only")
    assert context.code == 0
    assert context.out.splitlines()[-1] == f"({NOT_BUILT})"
    assert f"; {NOT_BUILT})" in polyadic("query", QUESTION, "--method", method).out
    assert NOT_BUILT in polyadic("query", QUESTION, "--method", method, "--trace").out
    assert (
        json.loads(polyadic("query", QUESTION, "--method", method, "--context-only", "--json").out)["note"] == NOT_BUILT
    )


def test_context_is_grouped_by_section(polyadic: Command, built: Path) -> None:
    out = polyadic("query", QUESTION, "--method", "hierarchy", "--context-only").out
    assert "] fact, bridge  (" in out and "] report, global  (" in out
    assert NOT_BUILT not in out
    items = json.loads(polyadic("query", QUESTION, "--method", "hierarchy", "--context-only", "--json").out)["items"]
    assert {item["section"] for item in items} == {"local", "bridge", "global"}
    assert {item["kind"] for item in items} >= {"fact", "report", "chunk"}


def test_trace_explains_and_answer_counts_reports(polyadic: Command, built: Path) -> None:
    out = polyadic("query", QUESTION, "--method", "hierarchy", "--trace").out
    assert "global: report on a community that holds" in out and "; extractive" in out
    assert "bridge: on the path " in out and "local: similar to the question (" in out
    assert "report" in next(line for line in out.splitlines() if "(method hierarchy)" in line)
    assert "--trace shows" not in out and not [line for line in out.splitlines() if line.endswith(": ")]
    assert "designed the Analytical Engine" in out.splitlines()[0]


def test_output_of_other_methods_is_unchanged(polyadic: Command, built: Path) -> None:
    out = polyadic("query", QUESTION, "--method", "walk", "--context-only").out
    assert "] fact  (" in out and ", local" not in out
