"""The recipe in docs/paper-experiments.md for the paper's protocol, as far as it can be tried without a key."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.workspace import Workspace
from tests.cli.conftest import Command
from tests.evaluation.test_judge_verdicts import answer, judge
from tests.evaluation.tiny_dataset import PASSAGES, QUESTIONS
from tests.model_server import ModelServer, entities_of_question, facts_by_sentence

pytestmark = pytest.mark.slow

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "paper-experiments.md"
RECIPE = re.search(r"<!-- recipe -->\n```\n(.*?)```", DOCUMENTATION.read_text(), re.DOTALL)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Stands where the recipe's endpoints do."""
    responders = [facts_by_sentence(), entities_of_question(), answer, judge]
    with ModelServer(
        responders, key="sk-test", models=("gpt-4o-mini",), embedding_models=("text-embedding-3-small",)
    ) as running:
        monkeypatch.setenv("POLYADIC_MODEL__BASE_URL", running.url)
        monkeypatch.setenv("POLYADIC_EMBEDDING__BASE_URL", running.url)
        monkeypatch.setenv("POLYADIC_EMBEDDING__MODEL", "endpoint")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        yield running


def write_papers_layout(folder: Path) -> None:
    """The little data set, laid out as in HyperGraphRAG's repository."""
    (folder / "contexts").mkdir(parents=True)
    (folder / "datasets" / "hypertension").mkdir(parents=True)
    contexts = [text for _, text in PASSAGES.values()]
    (folder / "contexts" / "hypertension_contexts.json").write_text(json.dumps(contexts))
    rows = [
        {
            "question": question["text"],
            "golden_answers": question["answers"],
            "context": [PASSAGES[id][1] for id in question["gold"]],
            "nary": 2 + number % 2,
            "nhop": len(question["gold"]),
        }
        for number, question in enumerate(QUESTIONS)
    ]
    (folder / "datasets" / "hypertension" / "questions.json").write_text(json.dumps(rows))


def answers_paid(folder: Path) -> int:
    with Workspace(folder) as kb:
        return next(paid.usage.calls for paid in kb.ledger().purposes if paid.purpose == "answer")


def test_documented_protocol_runs(polyadic: Command, server: ModelServer, tmp_path: Path) -> None:
    assert RECIPE is not None
    init, first, ablations = [line.split()[1:] for line in RECIPE[1].splitlines()]
    write_papers_layout(tmp_path / "evaluation")
    assert polyadic(*init).code == 0
    compared = polyadic(*first)
    assert compared.code == 0, compared.err
    said = json.loads((tmp_path / "out" / "results.json").read_text())
    assert said["model"] == "gpt-4o-mini" and server.embeddings.asked
    methods = {method["method"]: method for method in said["methods"]}
    assert list(methods) == ["none", "chunks", "lightrag", "pathrag", "hipporag2", "hypergraph", "walk"]
    for method in methods.values():
        assert {"f1", "em", "r-s", "g-e", "c-rec", "c-erec", "a-rel"} <= method["scores"].keys()
        assert method["scores"]["f1"]["mean"] == 100.0 and method["scores"]["g-e"]["mean"] == 90.0
    assert {breakdown["by"] for breakdown in said["breakdowns"]} >= {"arity", "hops"}
    assert all(asked.temperature == 1.0 for asked in server.asked)
    assert said["plan"]["context_tokens"] == 16_000

    workspace = tmp_path / "out" / "workspace"
    assert answers_paid(workspace) == 7 * len(QUESTIONS)
    assert polyadic(*ablations).code == 0
    assert answers_paid(workspace) == (7 + 4) * len(QUESTIONS), "hypergraph was asked before"
