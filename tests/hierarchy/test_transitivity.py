from itertools import combinations

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.hierarchy import transitivity as measured
from polyadic.hierarchy.community_graph import CommunityGraph
from polyadic.hierarchy.transitivity import transitivity


def graph_of(pairs: list[tuple[int, int]], nodes: int) -> CommunityGraph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return CommunityGraph(nodes, ends[:, 0], ends[:, 1], np.ones(len(pairs)))


@pytest.mark.parametrize(
    ("pairs", "expected"), [([], 0.0), ([(0, 1)], 0.0), ([(0, 1), (1, 2)], 0.0), ([(0, 1), (1, 2), (0, 2)], 1.0)]
)
def test_transitivity_of_small_graphs(pairs: list[tuple[int, int]], expected: float) -> None:
    assert transitivity(graph_of(pairs, 4)) == expected


@given(st.sets(st.sampled_from(list(combinations(range(14), 2)))))
def test_transitivity_equals_networkx(pairs: set[tuple[int, int]]) -> None:
    graph = nx.Graph()
    graph.add_edges_from(pairs)
    assert transitivity(graph_of(sorted(pairs), 14)) == pytest.approx(nx.transitivity(graph))


def test_summaries_close_triples_of_binary_facts_and_open_those_of_others() -> None:
    """The example of docs/quality-hierarchy.md; nodes 4 and 6 are summaries."""
    stars = [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert transitivity(graph_of([(0, 1), (2, 3)], 5)) == 0
    assert transitivity(graph_of([(0, 1), *stars[:2], (2, 3), *stars[2:]], 5)) == 0.6
    facts_of_three = [*combinations(range(3), 2), *combinations(range(3, 6), 2)]
    assert transitivity(graph_of(facts_of_three, 7)) == 1
    assert transitivity(graph_of([*facts_of_three, (0, 6), (3, 6)], 7)) == pytest.approx(6 / 11)


def test_edges_are_processed_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = graph_of(list(combinations(range(9), 2)), 9)
    monkeypatch.setattr(measured, "_EDGES_AT_ONCE", 5)
    assert transitivity(pairs) == 1.0
