"""Personalized PageRank over incidence."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyadic.retrieval.personalized_pagerank import PPRScores, run_pagerank
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
    masses = run_pagerank(graph, seeds, conductance).joined
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
    masses = run_pagerank(graph, seeds, conductance, 0.3)
    assert tuple(map(len, (masses.facts, masses.entities, masses.chunks))) == graph.sizes
    assert np.allclose(masses.joined, 0.3 * moving @ masses.joined + 0.7 * reset, atol=1e-5)


def test_scores_follow_edge_weights() -> None:
    # One entity in two facts; the second conducts three times as well.
    graph = Subgraph(
        np.arange(2), np.arange(1), np.zeros(0, np.int64), np.array([[0, 1], [0, 0]]), _none(), _none(), _none()
    )
    seeds = PPRScores(np.zeros(2, np.float32), np.ones(1, np.float32), np.zeros(0, np.float32))
    conductance = PPRScores(np.array([1, 3], np.float32), np.ones(1, np.float32), np.zeros(0, np.float32))
    facts = run_pagerank(graph, seeds, conductance).facts
    assert np.isclose(facts[1], 3 * facts[0])


def test_lower_damping_stays_closer_to_the_seeds() -> None:
    graph = Subgraph(
        np.arange(1), np.arange(1), np.zeros(0, np.int64), np.zeros((2, 1), np.int64), _none(), _none(), _none()
    )
    seeds = PPRScores(np.zeros(1, np.float32), np.ones(1, np.float32), np.zeros(0, np.float32))
    even = PPRScores(np.ones(1, np.float32), np.ones(1, np.float32), np.zeros(0, np.float32))
    near, far = (run_pagerank(graph, seeds, even, damping).entities[0] for damping in (0.2, 0.9))
    assert near > far


def _none() -> Places:
    return np.zeros((2, 0), dtype=np.int64)
