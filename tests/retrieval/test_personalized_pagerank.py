"""Personalized PageRank over incidence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.retrieval.personalized_pagerank import PPRScores, graph_pagerank, subgraph_pagerank
from polyadic.retrieval.subgraph import Places, Subgraph


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Subgraph, PPRScores, PPRScores]:
    sizes = [draw(st.integers(1, 6)) for _ in range(3)]
    facts, entities, chunks = (np.arange(size) for size in sizes)

    def pairs(sources: int, targets: int) -> Places:
        one = st.tuples(st.integers(0, sources - 1), st.integers(0, targets - 1))
        return np.array(draw(st.lists(one, unique=True, max_size=12)), dtype=np.int64).reshape(-1, 2).T

    graph = Subgraph(
        facts,
        entities,
        chunks,
        pairs(sizes[0], sizes[1]),
        pairs(sizes[0], sizes[2]),
        pairs(sizes[2], sizes[1]),
        pairs(sizes[1], sizes[1]),
    )
    numbers = st.floats(0, 10, width=32)

    def masses() -> PPRScores:
        return PPRScores(*(np.array(draw(st.lists(numbers, min_size=n, max_size=n)), dtype=np.float32) for n in sizes))

    return graph, masses(), masses()


@given(graphs())
def test_scores_sum_to_one_for_any_seeds(drawn: tuple[Subgraph, PPRScores, PPRScores]) -> None:
    graph, seeds, conductance = drawn
    masses = subgraph_pagerank(graph, seeds, conductance).joined
    assert (masses >= 0).all()
    assert np.isclose(masses.sum(), 1.0 if seeds.joined.sum() > 0 else 0.0, atol=1e-4)


@given(graphs())
def test_it_solves_the_equation(drawn: tuple[Subgraph, PPRScores, PPRScores]) -> None:
    graph, seeds, conductance = drawn
    if not seeds.joined.sum() > 0:
        return
    facts, entities, _ = graph.sizes
    first = {"fact": 0, "entity": facts, "chunk": facts + entities}
    size = sum(graph.sizes)
    moving = np.zeros((size, size))
    for places, source, target in (
        (graph.participation, "fact", "entity"),
        (graph.statement, "fact", "chunk"),
        (graph.naming, "chunk", "entity"),
        (graph.likeness, "entity", "entity"),
    ):
        for one, other in places.T.tolist():
            for start, end in (
                (first[source] + one, first[target] + other),
                (first[target] + other, first[source] + one),
            ):
                moving[end, start] += conductance.joined[end]
    leaving = moving.sum(axis=0)
    reset = seeds.joined.astype(np.float64) / seeds.joined.sum(dtype=np.float64)
    moving = np.where(leaving > 0, moving / np.where(leaving > 0, leaving, 1.0), reset[:, None])
    masses = subgraph_pagerank(graph, seeds, conductance, 0.3)
    assert tuple(map(len, (masses.facts, masses.entities, masses.chunks))) == graph.sizes
    assert np.allclose(masses.joined, 0.3 * moving @ masses.joined + 0.7 * reset, atol=1e-5)


def test_scores_follow_edge_weights() -> None:
    # One entity in two facts; the second conducts three times as well.
    graph = Subgraph(
        np.arange(2), np.arange(1), np.zeros(0, np.int64), np.array([[0, 1], [0, 0]]), _none(), _none(), _none()
    )
    seeds = PPRScores(np.zeros(2, np.float32), np.ones(1, np.float32), np.zeros(0, np.float32))
    conductance = PPRScores(np.array([1, 3], np.float32), np.ones(1, np.float32), np.zeros(0, np.float32))
    facts = subgraph_pagerank(graph, seeds, conductance).facts
    assert np.isclose(facts[1], 3 * facts[0])


def test_lower_damping_stays_closer_to_the_seeds() -> None:
    graph = Subgraph(
        np.arange(1), np.arange(1), np.zeros(0, np.int64), np.zeros((2, 1), np.int64), _none(), _none(), _none()
    )
    seeds = PPRScores(np.zeros(1, np.float32), np.ones(1, np.float32), np.zeros(0, np.float32))
    even = PPRScores(np.ones(1, np.float32), np.ones(1, np.float32), np.zeros(0, np.float32))
    near, far = (subgraph_pagerank(graph, seeds, even, damping).entities[0] for damping in (0.2, 0.9))
    assert near > far


def _none() -> Places:
    return np.zeros((2, 0), dtype=np.int64)


NODES = 6


@given(
    st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.floats(0.1, 2.0)), max_size=20),
    st.lists(st.floats(0.0, 1.0), min_size=NODES, max_size=NODES).filter(lambda seeds: sum(seeds) > 0.01),
)
def test_pagerank_solves_its_equation(edges: list[tuple[int, int, float]], seeds: list[float]) -> None:
    table = np.array(edges).reshape(-1, 3)
    mass = graph_pagerank(table[:, :2].T.astype(np.int64), table[:, 2], np.array(seeds), 0.5)
    moving = np.zeros((NODES, NODES))
    for one, other, weight in edges:
        moving[other, one] += weight
        moving[one, other] += weight
    start = np.array(seeds) / sum(seeds)
    leaving = moving.sum(axis=0)
    # What cannot move returns to the seeds.
    moving = np.where(leaving > 0, moving / np.where(leaving > 0, leaving, 1.0), start[:, None])
    assert mass == pytest.approx(0.5 * moving @ mass + 0.5 * start, abs=1e-6)
    assert mass.sum() == pytest.approx(1.0)


def test_without_seeds_there_is_no_mass() -> None:
    assert graph_pagerank(np.array([[0], [1]]), np.ones(1), np.zeros(2), 0.5).tolist() == [0.0, 0.0]


def test_an_edge_without_weight_carries_nothing() -> None:
    assert graph_pagerank(np.array([[0], [1]]), np.zeros(1), np.array([1.0, 0.0]), 0.5).tolist() == [1.0, 0.0]


def test_a_heavier_edge_carries_more() -> None:
    edges, seeds = np.array([[0, 0], [1, 2]]), np.array([1.0, 0.0, 0.0])
    mass = graph_pagerank(edges, np.array([3.0, 1.0]), seeds, 0.5)
    assert mass[1] == pytest.approx(3 * mass[2])
