"""Personalized PageRank on graphs whose answer is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.retrieval.graph_pagerank import pagerank

NODES = 6


@given(
    st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.floats(0.1, 2.0)), max_size=20),
    st.lists(st.floats(0.0, 1.0), min_size=NODES, max_size=NODES).filter(lambda seeds: sum(seeds) > 0.01),
)
def test_pagerank_solves_its_equation(edges: list[tuple[int, int, float]], seeds: list[float]) -> None:
    table = np.array(edges).reshape(-1, 3)
    mass = pagerank(table[:, :2].T.astype(np.int64), table[:, 2], np.array(seeds), 0.5)
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
    assert pagerank(np.array([[0], [1]]), np.ones(1), np.zeros(2), 0.5).tolist() == [0.0, 0.0]


def test_an_edge_without_weight_carries_nothing() -> None:
    assert pagerank(np.array([[0], [1]]), np.zeros(1), np.array([1.0, 0.0]), 0.5).tolist() == [1.0, 0.0]


def test_a_heavier_edge_carries_more() -> None:
    edges, seeds = np.array([[0, 0], [1, 2]]), np.array([1.0, 0.0, 0.0])
    mass = pagerank(edges, np.array([3.0, 1.0]), seeds, 0.5)
    assert mass[1] == pytest.approx(3 * mass[2])
