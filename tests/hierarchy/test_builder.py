"""Building the hierarchy: what is there then, what a second build leaves alone, and what comes and goes."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from polyadic.config import EmbeddingSettings, HierarchyBuildSettings, Settings
from polyadic.errors import EmbedderMismatch, NotFound, StoreBusy
from polyadic.model.hierarchy import EXTRACTIVE, Hierarchy, Rearrangement
from polyadic.model.types import Document
from polyadic.model.value_entities import is_value
from polyadic.storage.sqlite.store import SqliteStore
from polyadic.workspace import Workspace
from tests.hierarchy.towns import (
    by_model,
    document,
    documents,
    hierarchy_of,
    source_of,
    without_a_model,
    words_of,
    workspace,
)
from tests.model_server import ModelServer, Replaced, ready
from tests.model_server.reading import wanted
from tests.support.with_a_model import fact, serving, settings

DOCUMENTS = 30
SMALL = HierarchyBuildSettings(cluster_members=6)
ZADOK = (
    "Quillon Zadok of Oskdorf hid the Zadok Letters under the Bridge 3. The Zadok Letters told of Quillon Zadok and"
    " the Zadok Tunnel. The Zadok Tunnel leads from the Zadok Mill to the Bridge 3."
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready(), delay=0.01) as running:
        yield running


def check(kb: Workspace) -> Hierarchy:
    """The hierarchy, once it has been found to be one of what the workspace holds."""
    hierarchy = hierarchy_of(kb)
    with kb.store().read() as reader:
        entities = {one.id for one in reader.entities(np.arange(reader.size("entity"))) if not is_value(one.name)}
        facts = {one.id for one in reader.facts(np.arange(reader.size("fact")))}
    items = entities
    for layer in sorted({one.layer for one in hierarchy.clusters}):
        clusters = [one for one in hierarchy.clusters if one.layer == layer]
        assert Counter(member for one in clusters for member in one.own) == Counter(items)
        assert all(items.issuperset(one.members) and not one.stale and one.summaries for one in clusters)
        for one in clusters:
            assert all(set(one.members).issuperset(summary.members) for summary in one.summaries)
        items = {summary.id for one in clusters for summary in one.summaries}
    nodes = entities | {one.id for one in hierarchy.summaries}
    for level in {one.level for one in hierarchy.communities}:
        here = [one for one in hierarchy.communities if one.level == level]
        assert set(Counter(member for one in here for member in one.members).values()) == {1}
        found = Counter(fact for one in here if one.report for said in one.report.findings for fact in {*said.facts})
        assert facts.issuperset(found) and set(found.values()) <= {1}
        assert all(len(one.basis.split()) >= 3 for one in here if one.report)
        assert all(nodes.issuperset(one.members) and not one.stale for one in here)
    known = {one.id: one for one in hierarchy.communities}
    assert all(set(one.members) <= set(known[one.parent].members) for one in hierarchy.communities if one.parent)
    assert SqliteStore(kb.folder, None).problems() == []
    return hierarchy


def test_build_has_layers_and_communities_and_requests_each_once(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SMALL, at_once=4), DOCUMENTS) as kb:
        report = kb.hierarchy.build()
        hierarchy = check(kb)
        assert report.rebuilt and report.changed and report.is_whole
        assert report.usage.calls == len(server.calls) == report.clusters_built + report.reports_written
        assert kb.status().spent == report.usage
        assert 1 < server.most_at_once <= 4
        assert (report.clusters, report.summaries) == (len(hierarchy.clusters), len(hierarchy.summaries))
        assert {one.by for one in hierarchy.summaries} == {"recorded"}
        assert report.layers >= 2 and report.reports == sum(one.report is not None for one in hierarchy.communities)
        again = kb.hierarchy.build()
        assert not again.changed and not again.usage.calls and not again.rebuilt and hierarchy_of(kb) == hierarchy


@pytest.mark.slow
def test_build_does_not_depend_on_order_or_concurrency(tmp_path: Path, server: ModelServer) -> None:
    built = []
    for number, at_once in enumerate((1, 8)):
        with Workspace(tmp_path / str(number), by_model(server, SMALL, at_once=at_once)) as kb:
            kb.add(documents(0, DOCUMENTS)[:: -1 if number else 1])
            kb.hierarchy.build()
            built.append(hierarchy_of(kb))
    assert built[0] == built[1] and built[0].summaries


def test_added_entities_are_placed_and_other_texts_kept(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SMALL), DOCUMENTS) as kb:
        kb.hierarchy.build()
        before = hierarchy_of(kb)
        kb.add([document(DOCUMENTS)])
        assert (status := kb.status().hierarchy) and status.unplaced and not status.is_up_to_date
        server.reset()
        report = kb.hierarchy.build()
        after = check(kb)
        assert not report.rebuilt and report.clusters_built + report.reports_written == len(server.calls)
        assert len(server.calls) < 0.2 * (report.clusters + report.reports)
        kept = {one.id for one in after.clusters} & {one.id for one in before.clusters}
        assert len(kept) >= len(before.clusters) - 3
        words = {one.id: one.summaries for one in before.clusters}
        assert sum(one.summaries == words.get(one.id) for one in after.clusters) == len(after.clusters) - (
            report.clusters_built
        )
        assert (status := kb.status().hierarchy) and status.is_up_to_date


def test_dates_and_amounts_are_in_no_cluster_or_community(tmp_path: Path) -> None:
    with workspace(tmp_path, without_a_model(SMALL), 10) as kb:
        built = [kb.hierarchy.build() and check(kb)]
        dated = Document(
            "memory:dated", "", "In 1843 Mira Falk 0 crossed the Bridge 0 and the Bridge 1, 139 km in 1843."
        )
        kb.add([dated])
        report = kb.hierarchy.build()
        built.append(check(kb))
        assert not report.rebuilt and built[0].clusters == built[1].clusters
        assert (status := kb.status().hierarchy) and status.is_up_to_date
        assert report.entities == kb.hierarchy.outline().entities < kb.status().counts.entities
        kb.delete("memory:dated")
        kb.hierarchy.build()
        assert check(kb).clusters == built[0].clusters


@pytest.mark.slow
def test_deleted_document_leaves_no_text_in_the_hierarchy(tmp_path: Path, server: ModelServer) -> None:
    secret = Document("memory:secret", "", ZADOK)
    with workspace(tmp_path, by_model(server, SMALL), DOCUMENTS) as kb:
        kb.add([secret])
        kb.hierarchy.build()
        assert "Zadok" in words_of(check(kb))
        kb.delete("memory:secret")
        at_once = hierarchy_of(kb)
        assert "Zadok" not in words_of(at_once)
        assert any(one.stale for one in at_once.clusters) and any(one.stale for one in at_once.communities)
        assert (status := kb.status().hierarchy) and status.stale_clusters and status.stale_communities
        report = kb.hierarchy.build()
        assert report.changed and "Zadok" not in words_of(check(kb))
        for method in ("hierarchy", "global", "local", "bridge"):
            knowledge = kb.retrieve("Who hid the Zadok Letters?", method)
            assert not any("Zadok" in item.text for item in knowledge.items)


@pytest.mark.slow
def test_changed_document_replaces_its_text_in_the_hierarchy(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SMALL), DOCUMENTS) as kb:
        kb.hierarchy.build()
        assert "Bridge 3 " in words_of(check(kb)) + " "
        kb.add([Document(source_of(3), "", document(3).text.replace("Bridge 3", "Ferry Undine"))])
        assert "Bridge 3 " not in words_of(hierarchy_of(kb)).replace("\n", " ")
        kb.hierarchy.build()
        assert "Ferry Undine" in words_of(check(kb))


@pytest.mark.slow
def test_resolution_decisions_are_applied_to_the_hierarchy(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, by_model(server, SMALL), DOCUMENTS) as kb:
        kb.hierarchy.build()
        before = hierarchy_of(kb)
        kb.entities.merge(["Bridge 3", "Bridge 4"], into="Bridge 3")
        assert any(one.stale for one in hierarchy_of(kb).clusters)
        kb.hierarchy.build()
        check(kb)
        kb.entities.undo(*(decision.id for decision, _ in kb.entities.decisions()))
        kb.hierarchy.build()
        assert len(check(kb).summaries) >= len(before.summaries) - 2


@pytest.mark.slow
def test_repeated_deletes_and_adds_keep_the_hierarchy_complete(tmp_path: Path) -> None:
    drawn = np.random.default_rng(3)
    with workspace(tmp_path, without_a_model(SMALL), DOCUMENTS) as kb:
        kb.hierarchy.build()
        for _ in range(6):
            for number in drawn.choice(DOCUMENTS, 3, replace=False).tolist():
                if any(record.source == source_of(number) for record in kb.documents()):
                    kb.delete(source_of(number))
                else:
                    kb.add([document(number)])
            kb.hierarchy.build()
            check(kb)


def test_many_additions_trigger_a_full_rebuild(tmp_path: Path) -> None:
    with workspace(tmp_path, without_a_model(SMALL), 10) as kb:
        assert kb.hierarchy.build().rebuilt
        kb.add(documents(10, 11))
        assert not kb.hierarchy.build().rebuilt and hierarchy_of(kb).since > 0
        kb.add(documents(11, 14))
        assert kb.hierarchy.build().rebuilt
        held = check(kb)
        assert held.since == 0 and held.settled == kb.status().counts.entities


def test_communities_without_clusters_are_updated(tmp_path: Path) -> None:
    with workspace(tmp_path, without_a_model(HierarchyBuildSettings(layers=0)), DOCUMENTS) as kb:
        assert kb.hierarchy.build().layers == 0
        before = {one.id for one in hierarchy_of(kb).communities}
        assert before and not kb.hierarchy.build().changed
        kb.add([document(DOCUMENTS)])
        report = kb.hierarchy.build()
        assert not report.rebuilt and len(before & {one.id for one in hierarchy_of(kb).communities}) >= len(before) - 4
        assert report.reports_written < report.reports


def test_emptied_workspace_has_no_hierarchy(tmp_path: Path) -> None:
    with workspace(tmp_path, without_a_model(SMALL), 5) as kb:
        kb.hierarchy.build()
        for number in range(5):
            kb.delete(source_of(number))
        report = kb.hierarchy.build()
        assert report.changed and report.removed and not report.entities
        assert hierarchy_of(kb) == Hierarchy() and kb.status().hierarchy is None
        assert not kb.hierarchy.build().changed


@pytest.mark.parametrize("names", [0, 2, 3])
def test_tiny_workspace_builds(tmp_path: Path, names: int) -> None:
    text = {0: "it rains.", 2: "Ada met Bob.", 3: "Ada met Bob and Cyril."}[names]
    with Workspace(tmp_path, without_a_model()) as kb:
        kb.add([Document("memory:a", "", text)])
        report = kb.hierarchy.build()
        assert (report.entities, report.layers) == (names, int(names >= 3))
        assert hierarchy_of(kb).communities == () or names == 3
        assert not kb.hierarchy.build().changed
        if names == 3:
            check(kb)


def test_entities_with_equal_names_are_clustered(tmp_path: Path) -> None:
    names = [f"Osk{mark}Lund" for mark in (" ", "-", "/", ", ", "; ", " & ", ": ", " | ")]
    rows = [fact(f"{a} wrote to {b}.", [a, b]) for a, b in pairwise(names)]
    for row in rows:
        for entity in row["entities"]:
            entity["description"] = ""  # it would tell them apart
    with serving(*rows) as server:
        given = settings(server).model_copy(
            update={"hierarchy_build": HierarchyBuildSettings(by="extractive", cluster_members=4)}
        )
        with Workspace(tmp_path, given) as kb:
            kb.add([Document("memory:a", "", "Osk and Lund wrote to each other.")])
            with kb.store().read() as reader:
                vectors = reader.directions("entity", np.arange(reader.size("entity")))
            assert len(vectors) == len(names) and np.allclose(vectors, vectors[0], atol=1e-6)
            kb.hierarchy.build()
            assert max(len(one.members) for one in check(kb).clusters) <= 4


def test_model_texts_replace_extractive_ones_but_not_vice_versa(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, without_a_model(SMALL), 12) as kb:
        kb.hierarchy.build()
        clusters = {one.id for one in check(kb).clusters if one.layer == 0}
    with Workspace(tmp_path, by_model(server, SMALL)) as kb:
        report = kb.hierarchy.build()
        held = check(kb)
        assert report.usage.calls and not report.rebuilt
        assert {one.by for one in held.summaries} == {"recorded"}
        assert {one.id for one in held.clusters if one.layer == 0} == clusters
        assert not kb.hierarchy.build(by="extractive").changed
        assert kb.hierarchy.build(by="extractive", rebuild=True).changed
        assert {one.by for one in check(kb).summaries} == {EXTRACTIVE}


def test_concurrent_writer_blocks_the_build(tmp_path: Path) -> None:
    with workspace(tmp_path, without_a_model(), 3) as kb:
        other = SqliteStore(tmp_path, None)
        with other.exclusive_session(), pytest.raises(StoreBusy):
            kb.hierarchy.build()
        other.close()
        assert kb.hierarchy.build().changed


def test_build_needs_a_workspace_of_its_embedding_model(tmp_path: Path) -> None:
    with Workspace(tmp_path / "none", without_a_model()) as kb, pytest.raises(NotFound):
        kb.hierarchy.build()
    with workspace(tmp_path / "kb", without_a_model(), 3):
        pass
    other = Settings(embedding=EmbeddingSettings(model="minilm"))
    with Workspace(tmp_path / "kb", other) as kb, pytest.raises(EmbedderMismatch):
        kb.hierarchy.build()


def test_summaries_that_a_store_has_lost_are_rebuilt(tmp_path: Path) -> None:
    with workspace(tmp_path, without_a_model(SMALL), 8) as kb:
        kb.hierarchy.build()
        whole = hierarchy_of(kb)
        gone = [one.id for one in whole.clusters if one.layer == 0][:2]
        with kb.store().write() as writer:
            writer.update_hierarchy(Rearrangement((), (), gone, whole.sparsities, whole.settled, whole.since))
            assert not writer.attach()
        assert len(hierarchy_of(kb).clusters) < len(whole.clusters)
        kb.hierarchy.build()
        check(kb)


def test_no_layer_follows_one_whose_sparsity_hardly_changes(tmp_path: Path) -> None:
    def layers(sparsity_change: float) -> tuple[int, int]:
        given = without_a_model(HierarchyBuildSettings(cluster_members=6, sparsity_change=sparsity_change))
        with workspace(tmp_path / f"{sparsity_change}", given, DOCUMENTS) as kb:
            kb.hierarchy.build()
            hierarchy = hierarchy_of(kb)
        return len({one.layer for one in hierarchy.clusters}), len(hierarchy.sparsities)

    # Of the second layer the sparsity is known, and that it is none: its clusters are not summarized.
    assert layers(0.0)[0] > 1
    assert layers(1e6) == (1, 2)


@pytest.mark.parametrize(("number", "cluster_members"), [(8, 20), (DOCUMENTS, 2)])
def test_layer_that_only_pairs_summaries_is_not_built(tmp_path: Path, number: int, cluster_members: int) -> None:
    def layers(redundant: bool) -> tuple[int, int]:
        given = HierarchyBuildSettings(cluster_members=cluster_members, redundant_layers=redundant)
        with workspace(tmp_path / str(redundant), without_a_model(given), number) as kb:
            kb.hierarchy.build()
            hierarchy = check(kb)
            assert not kb.hierarchy.build().changed
        return len({one.layer for one in hierarchy.clusters}), len(hierarchy.sparsities)

    assert layers(True)[0] > 1
    assert layers(False) == (1, 2)


def test_layer_whose_summaries_have_no_words_of_their_own_is_not_kept(tmp_path: Path, server: ModelServer) -> None:
    def layers(redundant: bool) -> int:
        given = SMALL.model_copy(update={"redundant_layers": redundant})
        with workspace(tmp_path / str(redundant), by_model(server, given), DOCUMENTS) as kb:
            kb.hierarchy.build()
            return len({one.layer for one in check(kb).clusters})

    same = {"name": "Works", "type": "organization", "description": "Works in towns.", "members": [1, 2]}
    server.misbehave(
        Replaced(json.dumps({"summaries": [same]})),
        times=None,
        when=lambda asked: (request := wanted(asked)) is not None and request.subject == "summaries",
    )
    assert layers(True) > 1
    assert layers(False) == 1
