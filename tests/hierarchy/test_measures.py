"""What HiRAG measured: cluster sparsity by layer, and clustering with and without summaries."""

from itertools import combinations, pairwise
from pathlib import Path

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.config import HierarchyBuildSettings
from polyadic.errors import NotFound
from polyadic.hierarchy import measures as measured
from polyadic.hierarchy.community_graph import CommunityGraph
from polyadic.hierarchy.measures import transitivity
from polyadic.workspace import Workspace
from tests.hierarchy.towns import hierarchy_of, without_a_model, workspace

SMALL = HierarchyBuildSettings(cluster_members=6)


def graph_of(kb: Workspace, with_summaries: bool) -> nx.Graph:
    """Entities that share a fact, and summaries with their members."""
    graph = nx.Graph()
    with kb.store().read() as reader:
        entities = reader.entities(np.arange(reader.size("entity")))
    for fact in {fact.id for entity in entities for fact in kb.facts_of(entity.id)}:
        graph.add_edges_from(combinations([entity.id for entity in kb.entities_of(fact)], 2))
    if with_summaries:
        graph.add_edges_from((one.id, member) for one in hierarchy_of(kb).summaries for member in one.members)
    return graph


def test_measures_are_those_of_the_equations(tmp_path: Path) -> None:
    with workspace(tmp_path / "kb", without_a_model(SMALL), 20) as kb:
        kb.hierarchy.build()
        measures, hierarchy = kb.hierarchy.measure(), hierarchy_of(kb)
        assert measures.clustering == pytest.approx(nx.transitivity(graph_of(kb, with_summaries=False)))
        assert measures.clustering_with_summaries == pytest.approx(nx.transitivity(graph_of(kb, with_summaries=True)))
    assert [layer.sparsity for layer in measures.layers] == list(hierarchy.sparsities)
    for layer in measures.layers:
        sizes = [len(one.members) for one in hierarchy.clusters if one.layer == layer.layer]
        together = sum(size * (size - 1) for size in sizes) / (layer.items * (layer.items - 1))
        assert len(sizes) == layer.clusters
        assert layer.overlapping_sparsity == (pytest.approx(1 - together) if sizes else None)
    for below, layer in pairwise(measures.layers):
        assert below.sparsity and layer.sparsity is not None
        assert layer.change == pytest.approx(abs(layer.sparsity / below.sparsity - 1))


def test_missing_hierarchy_is_reported(tmp_path: Path) -> None:
    with workspace(tmp_path / "kb", without_a_model(SMALL), 2) as kb, pytest.raises(NotFound, match="has no hierarchy"):
        kb.hierarchy.measure()


def community_graph_of(pairs: list[tuple[int, int]], nodes: int) -> CommunityGraph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return CommunityGraph(nodes, ends[:, 0], ends[:, 1], np.ones(len(pairs)))


@pytest.mark.parametrize(
    ("pairs", "expected"), [([], 0.0), ([(0, 1)], 0.0), ([(0, 1), (1, 2)], 0.0), ([(0, 1), (1, 2), (0, 2)], 1.0)]
)
def test_transitivity_of_small_graphs(pairs: list[tuple[int, int]], expected: float) -> None:
    assert transitivity(community_graph_of(pairs, 4)) == expected


@given(st.sets(st.sampled_from(list(combinations(range(14), 2)))))
def test_transitivity_equals_networkx(pairs: set[tuple[int, int]]) -> None:
    graph = nx.Graph()
    graph.add_edges_from(pairs)
    assert transitivity(community_graph_of(sorted(pairs), 14)) == pytest.approx(nx.transitivity(graph))


def test_summaries_close_triples_of_binary_facts_and_open_those_of_others() -> None:
    """The example of docs/quality-hierarchy.md; nodes 4 and 6 are summaries."""
    stars = [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert transitivity(community_graph_of([(0, 1), (2, 3)], 5)) == 0
    assert transitivity(community_graph_of([(0, 1), *stars[:2], (2, 3), *stars[2:]], 5)) == 0.6
    facts_of_three = [*combinations(range(3), 2), *combinations(range(3, 6), 2)]
    assert transitivity(community_graph_of(facts_of_three, 7)) == 1
    assert transitivity(community_graph_of([*facts_of_three, (0, 6), (3, 6)], 7)) == pytest.approx(6 / 11)


def test_edges_are_processed_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = community_graph_of(list(combinations(range(9), 2)), 9)
    monkeypatch.setattr(measured, "_EDGES_AT_ONCE", 5)
    assert transitivity(pairs) == 1.0
