"""What HiRAG measured: cluster sparsity by layer, and clustering with and without summaries."""

from itertools import combinations, pairwise
from pathlib import Path

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
import pytest

from polyadic.config import HierarchyBuildSettings
from polyadic.errors import NotFound
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
