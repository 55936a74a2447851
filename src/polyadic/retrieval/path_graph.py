"""The part of a hierarchical hypergraph in which paths between nodes are searched.

It grows in rings: the first contains the facts and memberships of the nodes themselves, the second those of the nodes
that the first one reached. The size of each ring is bounded, independent of the size of the store and of hubs.
"""

from dataclasses import dataclass

import numpy as np

from polyadic.retrieval.hierarchy_nodes import Nodes, entities_in, nodes_of, similarity, summaries_in
from polyadic.retrieval.subgraph import Places, position
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Links, Reader, Rows, Vectors

FACTS_OF_A_NODE = 50
"""Facts per node; for a hub, those most similar to the question."""
FRONTIER = 200
"""Number of nodes that a further ring starts from: those most similar to the question."""


@dataclass(frozen=True)
class PathGraph:
    """Nodes with the facts and the memberships that join them.

    ``nodes`` and ``facts`` are sorted. ``participation`` holds pairs of positions in facts and nodes, ``membership``
    pairs of positions in nodes, the summary first; both have shape (2, n). ``rings`` is the number of rings; all edges
    of the nodes of inner rings are included, within the bounds. It is 0 for the whole graph.
    """

    nodes: Nodes
    facts: Rows
    participation: Places
    membership: Places
    rings: int
    _inner: Nodes
    _memberships: Links


def whole_graph(reader: Reader, hierarchy: HierarchyReader) -> PathGraph:
    """Return the graph of all entities, summaries and facts."""
    facts, summaries = np.sort(reader.rows("fact")), np.arange(hierarchy.summary_count)
    nodes = np.sort(nodes_of(reader.rows("entity"), summaries))
    covered = hierarchy.covered(summaries)
    memberships = _merged(
        Links(~covered.entities.sources, covered.entities.targets),
        Links(~covered.summaries.sources, ~covered.summaries.targets),
    )
    return _graph(nodes, facts, reader.links("fact_entities", facts), memberships, rings=0, inner=nodes)


def first_ring(keys: Nodes, toward: Vectors, reader: Reader, hierarchy: HierarchyReader) -> PathGraph:
    """Return the graph of the key nodes; for a hub, with the facts most similar to ``toward``, shape (d,)."""
    none = np.zeros(0, dtype=np.int64)
    return _grown(
        np.unique(keys), PathGraph(none, none, _EMPTY, _EMPTY, 0, none, Links(none, none)), toward, reader, hierarchy
    )


def further_ring(graph: PathGraph, toward: Vectors, reader: Reader, hierarchy: HierarchyReader) -> PathGraph:
    """Extend the graph by the facts and memberships of its outermost nodes."""
    outer = np.setdiff1d(graph.nodes, graph._inner)
    if len(outer) > FRONTIER:
        nearest = np.argsort(-similarity(outer, toward, reader, hierarchy), kind="stable")[:FRONTIER]
        outer = np.sort(outer[nearest])
    return _grown(outer, graph, toward, reader, hierarchy)


_EMPTY: Places = np.zeros((2, 0), dtype=np.int64)


def _grown(frontier: Nodes, graph: PathGraph, toward: Vectors, reader: Reader, hierarchy: HierarchyReader) -> PathGraph:
    entities, summaries = entities_in(frontier), summaries_in(frontier)
    facts = np.union1d(graph.facts, reader.facts_of(entities, FACTS_OF_A_NODE, toward).targets)
    taking_part = reader.links("fact_entities", facts)
    memberships = _merged(graph._memberships, *_memberships(entities, summaries, hierarchy))
    ends = (taking_part.targets, memberships.sources, memberships.targets, frontier, graph.nodes)
    nodes = np.unique(np.concatenate(ends))
    inner = np.union1d(graph._inner, frontier)
    return _graph(nodes, facts, taking_part, memberships, graph.rings + 1, inner)


def _graph(nodes: Nodes, facts: Rows, taking_part: Links, memberships: Links, rings: int, inner: Nodes) -> PathGraph:
    return PathGraph(
        nodes,
        facts,
        np.stack([position(taking_part.sources, facts), position(taking_part.targets, nodes)]),
        np.stack([position(memberships.sources, nodes), position(memberships.targets, nodes)]),
        rings,
        inner,
        memberships,
    )


def _memberships(entities: Rows, summaries: Rows, hierarchy: HierarchyReader) -> list[Links]:
    """Return all memberships of these entities and summaries as pairs of nodes, the summary first."""
    below, above = hierarchy.summaries_of(entities), hierarchy.above(summaries)
    covered = hierarchy.covered(summaries)
    return [
        Links(~below.targets, below.sources),
        Links(~above.targets, ~above.sources),
        Links(~covered.entities.sources, covered.entities.targets),
        Links(~covered.summaries.sources, ~covered.summaries.targets),
    ]


def _merged(*links: Links) -> Links:
    """Merge links; each pair occurs once."""
    table = np.stack(
        [np.concatenate([part.sources for part in links]), np.concatenate([part.targets for part in links])], axis=1
    )
    once = np.unique(table, axis=0)
    return Links(once[:, 0], once[:, 1])
