"""A build that is stopped changes nothing, and the next one pays for nothing twice."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import HierarchyBuildSettings
from polyadic.errors import ModelUnavailable, SettingsError
from polyadic.hierarchy.build_report import BuildProgress
from polyadic.llm.budget import SpendingBudget
from polyadic.model.hierarchy import EXTRACTIVE, Hierarchy
from polyadic.workspace import Workspace
from tests.crashes.commands import paid_twice
from tests.hierarchy.towns import by_model, document, documents, hierarchy_of, without_a_model, workspace
from tests.model_server import ModelServer, Replaced, Status, ready

DOCUMENTS = 14
SMALL = HierarchyBuildSettings(cluster_members=6)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


def undisturbed(folder: Path, server: ModelServer) -> tuple[Hierarchy, int]:
    """What a build ends with that nothing stops, and how many calls it takes; the server forgets these."""
    with workspace(folder, by_model(server, SMALL), DOCUMENTS) as kb:
        calls = kb.hierarchy.build().usage.calls
        held = hierarchy_of(kb)
    server.reset()
    return held, calls


@pytest.mark.slow
def test_budget_stops_the_build_and_a_larger_one_resumes(tmp_path: Path, server: ModelServer) -> None:
    expected, calls = undisturbed(tmp_path / "undisturbed", server)
    with workspace(tmp_path / "kb", by_model(server, SMALL, output_tokens=400), DOCUMENTS) as kb:
        stops = 0
        while (report := kb.hierarchy.build(budget=SpendingBudget(tokens=5000))).stopped:
            stops += 1
            assert hierarchy_of(kb) == Hierarchy() and not report.changed
            assert "budget" in report.stopped and 0 < report.usage.tokens <= 5000
        assert stops >= 2 and report.cache_hits
        assert (len(server.calls), paid_twice(server)) == (calls, 0)
        assert hierarchy_of(kb) == expected


def test_failed_build_keeps_the_previous_hierarchy(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SMALL, at_once=2), DOCUMENTS) as kb:
        kb.hierarchy.build()
        before = hierarchy_of(kb)
        kb.add([document(DOCUMENTS)])
        server.reset()
        server.misbehave(Status(401), times=None, when=lambda asked: asked.number > 1)
        report = kb.hierarchy.build()
        assert report.stopped and not report.changed and hierarchy_of(kb) == before
        server.behave()
        again = kb.hierarchy.build()
        assert again.changed and not again.stopped
        assert paid_twice(server) == 0 and again.cache_hits == 1


@pytest.mark.slow
def test_ctrl_c_keeps_the_previous_hierarchy(tmp_path: Path, server: ModelServer) -> None:
    expected, calls = undisturbed(tmp_path / "undisturbed", server)
    with workspace(tmp_path / "kb", by_model(server, SMALL, at_once=1), DOCUMENTS) as kb:

        async def interrupted() -> None:
            def stop(progress: BuildProgress) -> None:
                if progress.what == "reports" and progress.done == 3:
                    build.cancel()

            build = asyncio.create_task(kb.hierarchy.abuild(stop))
            with pytest.raises(asyncio.CancelledError):
                await build

        asyncio.run(interrupted())
        assert hierarchy_of(kb) == Hierarchy()
        assert kb.hierarchy.build().changed
        assert hierarchy_of(kb) == expected
        assert paid_twice(server) == 0 and calls <= len(server.calls) <= calls + 1


def test_unreadable_replies_fall_back_to_extractive_and_are_retried(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SMALL, at_once=1), DOCUMENTS) as kb:
        server.misbehave(Replaced("It is all very interesting."), on=[2, 4])
        report = kb.hierarchy.build()
        assert report.changed and sum(report.failed.values()) == 2
        assert sum(one.by == EXTRACTIVE for one in hierarchy_of(kb).summaries) == 2
        server.reset()
        again = kb.hierarchy.build()
        assert again.changed and not again.failed
        assert EXTRACTIVE not in {one.by for one in hierarchy_of(kb).summaries}
        assert not kb.hierarchy.build().changed


def test_repeated_useless_replies_stop_the_build(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SMALL, at_once=2), 60) as kb:
        server.misbehave(Replaced("It is all very interesting."), times=None)
        report = kb.hierarchy.build()
        assert "12 replies in a row" in report.stopped and not report.changed
        assert len(server.calls) <= 14


def test_a_budget_in_money_needs_prices(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server), 3) as kb, pytest.raises(SettingsError, match="needs prices"):
        kb.hierarchy.build(budget=SpendingBudget(money=1))
    with workspace(tmp_path, by_model(server, prompt_price=1000)) as kb:
        report = kb.hierarchy.build(budget=SpendingBudget(money=0))
        assert report.stopped and not server.calls


def test_missing_key_fails_immediately(tmp_path: Path, server: ModelServer) -> None:
    given = by_model(server, key_variable="A_KEY_THAT_NOBODY_SET")
    with workspace(tmp_path, given, 3) as kb, pytest.raises(ModelUnavailable, match="A_KEY_THAT_NOBODY_SET"):
        kb.hierarchy.build()


def test_model_is_called_only_if_configured(tmp_path: Path) -> None:
    with Workspace(tmp_path, without_a_model()) as kb:
        kb.add(documents(0, 3))
        with pytest.raises(SettingsError, match="needs a language model"):
            kb.hierarchy.build(by="model")
