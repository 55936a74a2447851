from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyadic.hierarchy import community_graph
from polyadic.hierarchy.community_graph import CommunityGraph, build_community_graph
from polyadic.storage.protocol import Links

NO_LINKS = Links(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def links(targets: list[list[int]], first: int = 0) -> Links:
    """The members of each, the first of which is numbered ``first``."""
    sources = [first + number for number, nodes in enumerate(targets) for _ in nodes]
    return Links(np.array(sources, dtype=np.int64), np.array([n for nodes in targets for n in nodes], dtype=np.int64))


def of_facts(facts: list[list[int]], nodes: int, scores: list[float] | None = None) -> CommunityGraph:
    given_scores = np.array(scores or [10.0] * len(facts), dtype=np.float32)
    return build_community_graph(links(facts), given_scores, NO_LINKS, nodes)


def edges(graph: CommunityGraph) -> dict[tuple[int, int], float]:
    pairs = zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)
    return dict(zip(pairs, graph.weights.tolist(), strict=True))


def strengths(graph: CommunityGraph) -> NDArray[np.float64]:
    ends = np.concatenate([graph.sources, graph.targets])
    summed = np.bincount(ends, np.concatenate([graph.weights, graph.weights]), graph.nodes)
    return summed.astype(np.float64)


@pytest.mark.parametrize("arity", [2, 3, 5, 17, 18, 40, 300])
def test_fact_score_counts_once_per_participant(arity: int) -> None:
    graph = of_facts([list(range(arity))], arity, [8.0])
    assert strengths(graph) == pytest.approx(np.full(arity, 8.0))


@pytest.mark.parametrize(("arity", "pairs"), [(16, 120), (17, 136), (18, 144), (25, 200)])
def test_up_to_seventeen_participants_are_joined_in_pairs_and_more_in_a_ring(arity: int, pairs: int) -> None:
    graph = of_facts([list(range(arity))], arity, [8.0])
    assert graph.weights == pytest.approx(np.full(pairs, 4 * arity / pairs))


def test_large_facts_are_connected_with_few_edges() -> None:
    arity = 5000
    graph = of_facts([list(range(arity))], arity)
    assert len(graph.sources) == arity * community_graph.REACH
    assert {(a, b) for a, b in pairwise(range(arity))} <= set(edges(graph))


def test_shared_facts_raise_and_hubs_lower_edge_weights() -> None:
    graph = edges(of_facts([[0, 1], [0, 1], [0, 2], [0, 3], [4, 5]], 6))
    assert graph[0, 1] == pytest.approx(20 / 8**0.25)
    assert graph[0, 2] == pytest.approx(10 / 4**0.25)
    assert graph[4, 5] == 10


def test_duplicate_participants_count_once() -> None:
    assert edges(of_facts([[0, 1, 0]], 2)) == {(0, 1): 10.0}


def test_unary_facts_add_no_edges() -> None:
    assert edges(of_facts([[0], [1]], 2)) == {}


def test_empty_input_gives_an_empty_graph() -> None:
    graph = build_community_graph(NO_LINKS, np.zeros(0, dtype=np.float32), NO_LINKS, 0)
    assert (graph.nodes, len(graph.sources), len(graph.weights)) == (0, 0, 0)


def test_memberships_connect_a_summary_to_members_only() -> None:
    scores = np.array([10.0], dtype=np.float32)
    graph = edges(build_community_graph(links([[0, 1]]), scores, links([[0, 1, 2], [3, 2]], first=3), 5))
    assert set(graph) == {(0, 1), (0, 3), (1, 3), (2, 3), (3, 4), (2, 4)}
    tied = 10 * community_graph.MEMBERSHIP
    assert [weight for pair, weight in graph.items() if pair != (0, 1)] == pytest.approx([tied] * 5)


def test_memberships_without_facts_add_edges() -> None:
    graph = edges(build_community_graph(NO_LINKS, np.zeros(0, dtype=np.float32), links([[0, 1]], first=2), 3))
    assert graph == {(0, 2): community_graph.MEMBERSHIP, (1, 2): community_graph.MEMBERSHIP}


def test_a_membership_weighs_a_tenth_of_the_median_strength_of_what_facts_join() -> None:
    # Strengths are 0.5 and 0.25, twice each; 0 and 1 are joined by no fact.
    scores, facts = np.array([0.5, 0.25], dtype=np.float32), links([[2, 3], [4, 5]])
    graph = edges(build_community_graph(facts, scores, links([[0, 1]], first=6), 7))
    assert graph == pytest.approx({(2, 3): 0.5, (4, 5): 0.25, (0, 6): 0.0375, (1, 6): 0.0375})


def test_nothing_is_joined_with_itself() -> None:
    graph = edges(build_community_graph(NO_LINKS, np.zeros(0, dtype=np.float32), links([[0, 2]], first=2), 3))
    assert graph == {(0, 2): community_graph.MEMBERSHIP}


@given(st.lists(st.sets(st.integers(0, 25), min_size=1, max_size=24), max_size=20))
def test_edges_are_unique_and_sorted(facts: list[set[int]]) -> None:
    given_links = links([sorted(fact) for fact in facts])
    scores = np.linspace(1, 10, len(facts), dtype=np.float32)
    graph = build_community_graph(given_links, scores, NO_LINKS, 26)
    assert (graph.sources < graph.targets).all()
    assert (np.diff(graph.sources * 26 + graph.targets) > 0).all()
    assert (graph.weights > 0).all()
    backwards = Links(given_links.sources[::-1].copy(), given_links.targets[::-1].copy())
    assert edges(build_community_graph(backwards, scores, NO_LINKS, 26)) == edges(graph)
