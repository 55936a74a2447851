"""Measures of a hierarchy: cluster sparsity and clustering coefficient (HiRAG, Eq. 17 and 18, Figures 4 and 5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from polyadic.errors import NotFound
from polyadic.hierarchy.community_graph import CommunityGraph, build_community_graph
from polyadic.hierarchy.layer_stopping import sparsity
from polyadic.hierarchy.outline import LayerOutline, outline_of
from polyadic.model.hierarchy import Cluster
from polyadic.storage.protocol import Links, Reader

_EDGES_AT_ONCE = 50_000


@dataclass(frozen=True, slots=True)
class LayerMeasures:
    """Measures of a layer.

    Parameters
    ----------
    layer
        Number of the layer; 0 is the entities.
    items, clusters
        Numbers of items and clusters; a layer that was not summarized has no clusters.
    sparsity
        Cluster sparsity that decided whether to add a layer; None if unknown.
    change
        Relative change of the sparsity from the layer below; None for the first layer, or if that sparsity is 0.
    overlapping_sparsity
        Eq. 17 as printed, which counts a member in each of its clusters; None for a layer without clusters. It is
        negative if clusters overlap so much that they contain more pairs than the layer has.
    """

    layer: int
    items: int
    clusters: int
    sparsity: float | None
    change: float | None
    overlapping_sparsity: float | None


@dataclass(frozen=True, slots=True)
class HierarchyMeasures:
    """Measures of the hierarchy of a workspace.

    Parameters
    ----------
    layers
        Measures of each layer, from the entities up.
    entities, summaries
        Numbers of nodes of the graph.
    clustering
        Global clustering coefficient of the entities, joined by facts, in [0, 1].
    clustering_with_summaries
        The same with an edge from each summary to each of its members.
    """

    layers: tuple[LayerMeasures, ...]
    entities: int
    summaries: int
    clustering: float
    clustering_with_summaries: float


def measures_of(reader: Reader) -> HierarchyMeasures:
    """Measure the current hierarchy; raises NotFound if there is none."""
    hierarchy = reader.records.hierarchy()
    if not hierarchy.clusters and not hierarchy.communities:
        raise NotFound("the workspace has no hierarchy", "build it with polyadic hierarchy build")
    return HierarchyMeasures(
        tuple(_layers(outline_of(reader, 0).layers, hierarchy.clusters)),
        reader.size("entity"),
        reader.hierarchy_reader().summary_count,
        clustering_coefficient(reader, with_summaries=False),
        clustering_coefficient(reader, with_summaries=True),
    )


def clustering_coefficient(reader: Reader, with_summaries: bool) -> float:
    """Compute the clustering coefficient of entities that share facts, optionally with summaries joined to members."""
    entities, facts, hierarchy = reader.size("entity"), np.arange(reader.size("fact")), reader.hierarchy_reader()
    links = reader.links("fact_entities", facts)
    rows = np.arange(hierarchy.summary_count if with_summaries else 0)
    below = hierarchy.covered(rows)
    sources = np.concatenate([below.entities.sources, below.summaries.sources]) + entities
    targets = np.concatenate([below.entities.targets, below.summaries.targets + entities])
    graph = build_community_graph(links, reader.scores("fact", facts), Links(sources, targets), entities + len(rows))
    return transitivity(graph)


def _layers(layers: Sequence[LayerOutline], clusters: Sequence[Cluster]) -> Iterator[LayerMeasures]:
    before: float | None = None
    for layer in layers:
        sizes = [len(one.members) for one in clusters if one.layer == layer.layer]
        change = abs(layer.sparsity - before) / before if before and layer.sparsity is not None else None
        overlapping = sparsity(sizes, layer.items) if sizes else None
        yield LayerMeasures(layer.layer, layer.items, layer.clusters, layer.sparsity, change, overlapping)
        before = layer.sparsity


def transitivity(graph: CommunityGraph) -> float:
    """Compute closed triples / all triples, in [0, 1]; 0 without triples. Weights are ignored.

    It is measured on the clique expansion of facts, with summaries as stars over their members. The incidence graph has
    no triangles, and if the members of a summary were neighbours, the coefficient would be high for that reason alone.

    >>> triangle_and_tail = CommunityGraph(4, np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3]), np.ones(4))
    >>> transitivity(triangle_and_tail)
    0.6
    """
    degrees = np.bincount(np.concatenate([graph.sources, graph.targets]), minlength=graph.nodes)
    triples = int((degrees * (degrees - 1) // 2).sum())
    return 3 * _triangles(graph, degrees) / triples if triples else 0.0


def _triangles(graph: CommunityGraph, degrees: np.ndarray) -> int:
    """Count triangles; edges are directed from lower to higher degree, which keeps out-degrees small."""
    from scipy.sparse import csr_array

    rank = np.argsort(np.argsort(degrees, kind="stable"), kind="stable")
    low, high = np.sort(np.stack([rank[graph.sources], rank[graph.targets]]), axis=0)
    shape = (graph.nodes, graph.nodes)
    ahead = csr_array((np.ones(len(low), dtype=np.int64), (low, high)), shape=shape)
    found = 0
    for start in range(0, len(low), _EDGES_AT_ONCE):
        part = slice(start, start + _EDGES_AT_ONCE)
        found += int((ahead[low[part]].multiply(ahead[high[part]])).sum())
    return found
