import hashlib
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest

from polyadic.hierarchy.community_graph import CommunityGraph
from polyadic.hierarchy.leiden import LeidenCommunity, communities


def graph_of(pairs: list[tuple[int, int]], nodes: int, weights: list[float] | None = None) -> CommunityGraph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return CommunityGraph(nodes, ends[:, 0], ends[:, 1], np.array(weights or [1.0] * len(pairs)))


def clique(first: int, size: int) -> list[tuple[int, int]]:
    return list(combinations(range(first, first + size), 2))


def woven(nodes: int = 600, seed: int = 0) -> CommunityGraph:
    """Groups of ten within groups of a hundred, with a few edges anywhere."""
    drawn = np.random.default_rng(seed)
    found = set()
    for within, edges in ((10, 2500), (100, 1500), (nodes, 300)):
        base = drawn.integers(nodes // within, size=edges) * within
        for a, b in zip(
            base + drawn.integers(within, size=edges), base + drawn.integers(within, size=edges), strict=True
        ):
            if a != b:
                found.add((int(min(a, b)), int(max(a, b))))
    return graph_of(sorted(found), nodes)


def test_graph_without_edges_has_no_communities() -> None:
    assert communities(graph_of([], 5), 50, 3, 0) == []


def test_every_component_counts_and_isolated_nodes_are_left_out() -> None:
    parts = communities(graph_of([*clique(0, 4), *clique(5, 3)], 9), 50, 3, 0)
    assert parts == [LeidenCommunity(0, (0, 1, 2, 3), -1), LeidenCommunity(0, (5, 6, 7), -1)]


def test_small_communities_are_left_out() -> None:
    graph = graph_of([*clique(0, 4), (4, 5)], 6)
    assert [part.members for part in communities(graph, 50, 3, 0)] == [(0, 1, 2, 3)]
    assert [part.members for part in communities(graph, 50, 2, 0)] == [(0, 1, 2, 3), (4, 5)]


def test_edge_weights_matter() -> None:
    square = [(0, 1), (1, 2), (2, 3), (0, 3)]
    for strong in ((0, 2), (1, 3)):
        weights = [9.0 if number in strong else 1.0 for number in range(4)]
        found = {part.members for part in communities(graph_of(square, 4, weights), 50, 2, 0)}
        assert found == {tuple(sorted(square[number])) for number in strong}


def test_large_communities_are_split_with_parent_links() -> None:
    parts = communities(woven(), 30, 3, 0)
    assert {part.level for part in parts} >= {0, 1}
    assert parts == sorted(parts, key=lambda part: (part.level, part.members))
    for place, part in enumerate(parts):
        below = [other for other in parts if other.parent == place]
        assert all(other.level == part.level + 1 and set(other.members) < set(part.members) for other in below)
        assert bool(below) == (len(part.members) > 30)
        assert (part.parent == -1) == (part.level == 0)


@pytest.mark.parametrize("level", [0, 1])
def test_communities_of_one_level_are_disjoint(level: int) -> None:
    members = [node for part in communities(woven(), 30, 3, 0) if part.level == level for node in part.members]
    assert len(members) == len(set(members)) > 0


def test_indivisible_communities_stay_whole() -> None:
    assert communities(graph_of(clique(0, 12), 12), 5, 3, 0) == [LeidenCommunity(0, tuple(range(12)), -1)]


def test_communities_do_not_depend_on_edge_order_or_direction() -> None:
    graph = woven()
    shuffled = np.random.default_rng(1).permutation(len(graph.sources))
    turned = CommunityGraph(graph.nodes, graph.targets[shuffled], graph.sources[shuffled], graph.weights[shuffled])
    assert communities(turned, 30, 3, 0) == communities(graph, 30, 3, 0)


def test_communities_are_the_same_in_other_processes() -> None:
    code = (
        "import hashlib; from tests.hierarchy.test_leiden import communities, woven;"
        "print(hashlib.sha256(repr(communities(woven(), 30, 3, 7)).encode()).hexdigest())"
    )
    elsewhere = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    here = hashlib.sha256(repr(communities(woven(), 30, 3, 7)).encode()).hexdigest()
    assert elsewhere.strip() == here
