"""No build costs more than the estimate says that it costs at most, however many summaries the model writes."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import HierarchyBuildSettings
from polyadic.hierarchy.layering import TOO_MANY_SUMMARIES
from polyadic.llm.budget import SpendingBudget
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.hierarchy.towns import by_model, document, documents, hierarchy_of, source_of, without_a_model, workspace
from tests.model_server import Asked, ModelServer, ready
from tests.model_server.hierarchy_responders import name_of
from tests.model_server.reading import numbered, wanted

DOCUMENTS = 30
PRICES = {"prompt_price": 2.0, "completion_price": 8.0}
SETTINGS = {
    "small": HierarchyBuildSettings(cluster_members=6, report_facts=1),
    "overlapping": HierarchyBuildSettings(cluster_members=8, soft_above=0.01, redundant_layers=True),
    "large": HierarchyBuildSettings(layers=3, community_split=10),
}


def many_summaries(asked: Asked) -> str | None:
    """As many summaries as a reply may have: one for every two members, with words that none of these has."""
    request = wanted(asked)
    if request is None or request.subject != "summaries":
        return None
    members = numbered(asked.last_user_text)
    chance = random.Random(len(asked.last_user_text))
    summaries = [
        {
            "name": f"Group {chance.random()} of {name_of(line)[:40]}",
            "type": "event",
            "description": f"Invented {chance.random()}.",
            "members": sorted(chance.sample([n for n, _ in members], min(len(members), 2 + chance.randrange(3)))),
        }
        for _, line in members[: len(members) // 2]
    ]
    return json.dumps({"summaries": summaries})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([many_summaries, *ready()]) as running:
        yield running


def build_within_bound(kb: Workspace, rebuild: bool = False) -> float:
    """Build; return the share of the maximum number of calls that were made."""
    most = kb.hierarchy.estimate(rebuild=rebuild).max_usage
    report = kb.hierarchy.build(rebuild=rebuild)
    assert report.is_whole and not report.failed
    used = report.usage
    assert used.calls <= most.calls
    assert used.prompt_tokens <= most.prompt_tokens and used.completion_tokens <= most.completion_tokens
    assert used.money <= most.money
    return used.calls / max(1, most.calls)


@pytest.mark.parametrize("settings", SETTINGS)
def test_builds_and_updates_stay_within_the_bound(tmp_path: Path, server: ModelServer, settings: str) -> None:
    with workspace(tmp_path, by_model(server, SETTINGS[settings], **PRICES), DOCUMENTS) as kb:
        expected = kb.hierarchy.estimate().usage.calls
        share = build_within_bound(kb)
        # The model writes more than was expected.
        assert len(server.calls) > expected and share > 0.2
        assert build_within_bound(kb) == 0 == kb.hierarchy.estimate().max_usage.calls
        kb.add(documents(DOCUMENTS, DOCUMENTS + 3))
        assert build_within_bound(kb) > 0
        text = document(7).text.replace("Bridge", "Ferry")
        kb.add([Document(source_of(7), "", text)])
        kb.delete(source_of(1))
        assert build_within_bound(kb) > 0
        kb.add(documents(DOCUMENTS + 3, 2 * DOCUMENTS))
        assert build_within_bound(kb) > 0


def test_resumed_builds_stay_within_the_bound(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SETTINGS["small"], output_tokens=1000), DOCUMENTS) as kb:
        before = kb.hierarchy.estimate().max_usage.calls
        paid = kb.hierarchy.build(budget=SpendingBudget(tokens=20_000)).usage.calls
        assert paid and kb.hierarchy.estimate().max_usage.calls <= before
        assert build_within_bound(kb) > 0


def test_layers_have_at_most_half_as_many_summaries_as_items(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SETTINGS["overlapping"]), DOCUMENTS) as kb:
        report = kb.hierarchy.build()
        found = hierarchy_of(kb)
        layers = [[one for one in found.clusters if one.layer == layer] for layer in range(report.layers)]
        for clusters in layers:
            items = {item for one in clusters for item in one.own}
            assert sum(len(one.summaries) for one in clusters) <= len(items) // 2
            assert all(one.summaries for one in clusters)
        assert report.dropped[TOO_MANY_SUMMARIES] > 0


def test_there_is_at_most_one_report_for_every_few_facts(tmp_path: Path) -> None:
    settings = HierarchyBuildSettings(report_facts=2, community_split=3, community_members=2)
    with workspace(tmp_path, without_a_model(settings), DOCUMENTS) as kb:
        report = kb.hierarchy.build()
        assert report.communities > report.reports == kb.status().counts.facts // 2
        # Parents come before their parts.
        found = hierarchy_of(kb).communities
        assert all(one.report for one in found if one.level == 0 and len(one.members) > 5)
