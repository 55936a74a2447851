"""What building would cost, before anything is spent."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import HierarchyBuildSettings
from polyadic.llm.budget import SpendingBudget
from polyadic.workspace import Workspace
from tests.hierarchy.towns import by_model, document, hierarchy_of, without_a_model, workspace
from tests.model_server import ModelServer, ready

DOCUMENTS = 20
SMALL = HierarchyBuildSettings(cluster_members=6)
PRICES = {"prompt_price": 2.0, "completion_price": 8.0}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


def test_estimate_calls_no_model_and_is_about_right(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SMALL, **PRICES), DOCUMENTS) as kb:
        vectors = kb.status().counts.vectors
        found = kb.hierarchy.estimate()
        assert not server.calls and kb.status().hierarchy is None
        assert kb.status().counts.vectors == vectors
        assert found.rebuilt and "rule of thumb" in found.basis and found.usage.money > 0
        report = kb.hierarchy.build()
        assert found.usage.calls == pytest.approx(report.usage.calls, rel=0.2)
        assert found.usage.prompt_tokens == pytest.approx(report.usage.prompt_tokens, rel=0.25)
        assert found.max_usage.completion_tokens > report.usage.completion_tokens
        assert found.max_usage.money > report.usage.money
        after = kb.hierarchy.estimate()
        assert (after.summaries, after.reports, after.usage.calls) == (0, 0, 0)


def test_estimate_of_the_first_layer_is_exact(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, HierarchyBuildSettings(cluster_members=6, layers=1)), DOCUMENTS) as kb:
        found = kb.hierarchy.estimate()
        assert found.summaries == kb.hierarchy.build().clusters_built


@pytest.mark.slow
def test_estimate_uses_reply_lengths_from_the_ledger(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SMALL), DOCUMENTS) as kb:
        kb.hierarchy.build()
        kb.add([document(DOCUMENTS)])
        held = hierarchy_of(kb)
        found = kb.hierarchy.estimate()
        assert "calls before" in found.basis and hierarchy_of(kb) == held
        server.reset()
        report = kb.hierarchy.build()
        assert found.usage.calls == pytest.approx(report.usage.calls, abs=2)


@pytest.mark.slow
def test_cached_replies_of_a_stopped_run_are_not_counted(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SMALL, output_tokens=400), DOCUMENTS) as kb:
        whole = kb.hierarchy.estimate().usage.calls
        paid = kb.hierarchy.build(budget=SpendingBudget(tokens=4000)).usage.calls
        found = kb.hierarchy.estimate()
        assert found.cached == paid > 0
        assert found.usage.calls == pytest.approx(whole - paid, abs=0.2 * whole)


def test_extractive_estimate_costs_nothing(tmp_path: Path) -> None:
    with workspace(tmp_path, without_a_model(SMALL), DOCUMENTS) as kb:
        found = kb.hierarchy.estimate()
        assert found.by == "extractive" and found.summaries and found.reports and not found.usage.calls
    with Workspace(tmp_path, without_a_model(SMALL)) as kb:
        assert kb.hierarchy.build().clusters_built == pytest.approx(found.summaries, rel=0.2)
