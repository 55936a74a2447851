"""Evaluations of methods that need a hierarchy: it is built, its cost counts, and results of two are not mixed."""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.config import HierarchyBuildSettings, Settings
from polyadic.errors import ModelUnavailable, StoreError
from polyadic.evaluation.dataset_formats import load_dataset
from polyadic.evaluation.evaluate import evaluate
from polyadic.evaluation.hierarchies import FOLDER
from polyadic.evaluation.journal import FILE_NAME
from polyadic.evaluation.plan import EvalPlan
from polyadic.evaluation.results import EvaluationResults, as_json
from polyadic.workspace import Workspace
from tests.evaluation.tiny_dataset import evaluated, write_beir
from tests.hierarchy.towns import by_model, document, without_a_model
from tests.model_server import ModelServer, Status
from tests.model_server.hierarchy_responders import hierarchy_replies

pytestmark = pytest.mark.slow

PEOPLE = 40
MEASURES = ("recall@5",)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    passages = {f"p{n}": (f"Bridge {n}", document(n).text) for n in range(PEOPLE)}
    asked = [{"id": f"q{n}", "text": f"Who built the Bridge {n}?", "answers": [], "gold": [f"p{n}"]} for n in range(3)]
    return write_beir(tmp_path / "towns", passages, asked)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(hierarchy_replies()) as running:
        yield running


def run(data: Path, out: Path, settings: Settings | None = None, *variants: str) -> EvaluationResults:
    plan = {"methods": ("chunks", "hierarchy", "global"), "measures": MEASURES, "answers": "none", "variants": variants}
    return evaluated(data, out, settings or without_a_model(), **plan)


def lines(out: Path) -> list[bytes]:
    return (out / FILE_NAME).read_bytes().splitlines()


def test_missing_hierarchy_is_built(data: Path, tmp_path: Path) -> None:
    results = run(data, tmp_path / "out")
    (hierarchy,) = results.construction.hierarchies
    assert hierarchy.systems == ("hierarchy", "global") and hierarchy.summaries and hierarchy.communities
    assert not [note for note in results.notes if "hierarchy" in note]
    by_method = {method["method"]: method for method in as_json(results)["methods"]}
    assert by_method["hierarchy"]["tokens"] > by_method["global"]["tokens"] > 0
    records = [json.loads(line) for line in lines(tmp_path / "out")[1:]]
    assert {record["method"] for record in records if record["hierarchy"]} == {"hierarchy", "global"}


def test_empty_hierarchy_is_noted(tmp_path: Path) -> None:
    few = {"p0": ("", "It rains, and then it rains again.")}
    data = write_beir(tmp_path / "few", few, [{"id": "q0", "text": "Who?", "answers": [], "gold": ["p0"]}])
    notes = run(data, tmp_path / "out").notes
    assert "the hierarchy of hierarchy, global is empty: there are too few facts to build one" in notes


def test_records_of_another_hierarchy_are_asked_again(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = run(data, out)
    before = lines(out)
    run(data, out)
    assert lines(out) == before, "the same hierarchy: nothing is asked again"
    with Workspace(out / "workspace", without_a_model(HierarchyBuildSettings(cluster_members=4))) as kb:
        kb.hierarchy.build(rebuild=True)
    again = run(data, out)
    assert [json.loads(line)["method"] for line in lines(out)[len(before) :]] == ["hierarchy", "global"] * 3
    fresh_fingerprints = {json.loads(line)["hierarchy"] for line in lines(out)[len(before) :]}
    assert fresh_fingerprints.isdisjoint(json.loads(line)["hierarchy"] for line in before[1:])
    assert again.records[0] == first.records[0] and again.records[1] != first.records[1]


def test_variants_of_the_hierarchy_are_built_in_copies(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    results = run(data, out, None, "layers=0", "sparsity_change=0.9")
    sizes = {one.systems: (one.summaries, one.communities) for one in results.construction.hierarchies}
    assert sizes["hierarchy layers=0", "global layers=0"][0] == 0 < sizes["hierarchy", "global"][0]
    assert len(sizes) == 3
    with Workspace(out / "workspace", without_a_model()) as kb:
        status = kb.status().hierarchy
    assert status is not None and (sum(status.layers), sum(status.levels)) == sizes["hierarchy", "global"]
    flat = run(data, tmp_path / "flat", without_a_model(HierarchyBuildSettings(layers=0)))
    place = results.plan.names.index("global layers=0")
    assert [r and r.found for r in results.records[place]] == [r and r.found for r in flat.records[2]]
    copies = sorted((out / FOLDER).iterdir())
    before = lines(out), [(copy / "store.sqlite").stat().st_mtime_ns for copy in copies]
    run(data, out, None, "layers=0", "sparsity_change=0.9")
    assert (lines(out), [(copy / "store.sqlite").stat().st_mtime_ns for copy in copies]) == before


def test_hierarchy_without_index_is_built_in_a_copy(data: Path, tmp_path: Path) -> None:
    methods = ("hierarchy", "hierarchy-without-index")
    results = evaluated(
        data,
        tmp_path / "out",
        without_a_model(),
        methods=methods,
        measures=MEASURES,
        answers="none",
        variants=("layers=0",),
    )
    sizes = {one.systems: one.summaries for one in results.construction.hierarchies}
    flat = ("hierarchy-without-index", "hierarchy layers=0")
    assert sizes.keys() == {flat, ("hierarchy",)} and sizes[flat] == 0 < sizes["hierarchy",]
    with_layers, ablated, variant = ([r and r.found for r in records] for records in results.records)
    assert ablated == variant != with_layers


def test_calls_for_the_hierarchy_count_as_construction(data: Path, tmp_path: Path, server: ModelServer) -> None:
    settings = by_model(server, prompt_price=1.0, completion_price=2.0)
    results = run(data, tmp_path / "out", settings, "layers=0")
    variant, own = results.construction.hierarchies
    assert own.usage.calls and variant.usage.calls
    assert own.usage.calls + variant.usage.calls == len(server.asked)
    assert results.construction.usage == own.usage and results.construction.money_per_1000_tokens > 0
    again = run(data, tmp_path / "out", settings, "layers=0")
    assert again.construction.hierarchies == (variant, own)


def test_changed_prompt_gives_another_copy(data: Path, tmp_path: Path, server: ModelServer) -> None:
    out, settings = tmp_path / "out", by_model(server)
    run(data, out, settings, "layers=1")
    copies, asked = set((out / FOLDER).iterdir()), len(server.asked)
    run(data, out, settings, "layers=1")
    assert (set((out / FOLDER).iterdir()), len(server.asked)) == (copies, asked)
    prompts = out / "workspace" / "prompts"
    prompts.mkdir()
    shipped = (files("polyadic.llm") / "prompts" / "summarize_cluster.txt").read_text(encoding="utf-8")
    (prompts / "summarize_cluster.txt").write_text(f"{shipped}\nWrite in short sentences.\n", encoding="utf-8")
    run(data, out, settings, "layers=1")
    assert len(set((out / FOLDER).iterdir()) - copies) == 1
    assert any("Write in short sentences." in one.text for one in server.asked[asked:])


def test_unavailable_model_is_reported(data: Path, tmp_path: Path, server: ModelServer) -> None:
    server.misbehave(Status(401), times=None)
    with pytest.raises(ModelUnavailable, match="the hierarchy could not be built"):
        run(data, tmp_path / "out", by_model(server))
    server.behave()
    assert run(data, tmp_path / "out", by_model(server)).is_whole


def test_other_settings_are_refused_before_the_hierarchy_is_built(data: Path, tmp_path: Path) -> None:
    evaluated(data, tmp_path / "out", without_a_model(), methods=("chunks",), answers="none", measures=MEASURES)
    plan = EvalPlan(("chunks", "hierarchy"), MEASURES, context_tokens=100, answers="none")
    with Workspace(tmp_path / "out" / "workspace", without_a_model()) as kb:
        with pytest.raises(StoreError, match="made with another --context-tokens"):
            async_to_sync(evaluate)(kb, load_dataset(data), plan, tmp_path / "out")
        assert kb.status().hierarchy is None
