"""Scores after a walk, by numbers worked out by hand."""

import numpy as np
import pytest

from polyadic.retrieval.bridge_entities import BridgeEntities
from polyadic.retrieval.personalized_pagerank import PPRScores
from polyadic.retrieval.subgraph import NO_LINKS, Places, Subgraph
from polyadic.retrieval.walk_scores import best_target, score_chunks, score_facts
from polyadic.storage.protocol import Links, Vectors

NO_BRIDGES = BridgeEntities(np.zeros(0, np.int64), (), np.zeros(0, np.float32), NO_LINKS)
# Facts 10, 11; entities 20 to 23; chunks 30 to 32. Entity 20 names chunk 30, 21 names 31, 22 names 32.
FACTS, ENTITIES, CHUNKS = np.array([10, 11]), np.array([20, 21, 22, 23]), np.array([30, 31, 32])
EMPTY: Places = np.zeros((2, 0), dtype=np.int64)
STATEMENT, NAMING = np.array([[0, 0, 1], [0, 1, 1]]), np.array([[0, 1, 2], [0, 1, 2]])
GRAPH = Subgraph(FACTS, ENTITIES, CHUNKS, EMPTY, STATEMENT, NAMING, EMPTY)


def floats(*values: float) -> Vectors:
    return np.array(values, dtype=np.float32)


NO_SECOND = floats(0, 0)
MASSES = PPRScores(floats(0.04, 0.01), floats(0, 0, 0, 0), floats(0.16, 0.04, 0))


def scores(
    anchors: list[int], bridges: BridgeEntities = NO_BRIDGES, facts: Vectors = NO_SECOND, chunks: float = 0.0
) -> list[float]:
    second = floats(0, 0, chunks)
    found = score_chunks(GRAPH, MASSES, np.array(anchors, dtype=np.int64), bridges, facts, second)
    return [float(score) for score in found]


def test_a_passage_has_the_root_of_its_share_of_the_greatest_mass() -> None:
    assert scores([]) == pytest.approx([1.0, 0.5, 0.0])


def test_a_document_that_is_named_counts_more() -> None:
    assert scores([21]) == pytest.approx([1.0, 0.9, 0.0])


def test_a_document_named_by_a_bridge_counts_by_the_strength_of_the_bridge() -> None:
    bridges = BridgeEntities(np.array([22, 20]), ("x", "y"), floats(0.5, 0.25), NO_LINKS)
    assert scores([], bridges) == pytest.approx([1.1, 0.5, 0.2])
    # The question counts more than a bridge.
    assert scores([22], bridges) == pytest.approx([1.1, 0.5, 0.4])


def test_an_equivalent_has_the_strength_of_its_strongest_bridge() -> None:
    aliases = Links(np.array([22, 20, 22]), np.array([21, 21, 23]))
    for order in ([0, 1, 2], [1, 0, 2]):
        links = Links(aliases.sources[order], aliases.targets[order])
        bridges = BridgeEntities(np.array([22, 20]), ("x", "y"), floats(0.5, 0.25), links)
        assert scores([], bridges) == pytest.approx([1.1, 0.7, 0.2])


def test_a_bridge_that_is_another_ones_equivalent_has_its_own_strength() -> None:
    bridges = BridgeEntities(np.array([22, 20]), ("x", "y"), floats(0.5, 0.25), Links(np.array([22]), np.array([20])))
    assert scores([], bridges) == pytest.approx([1.1, 0.5, 0.2])


def test_a_passage_counts_by_the_best_of_its_facts_for_a_bridge_question() -> None:
    # Fact 0 is in chunks 0 and 1, fact 1 in chunk 1.
    assert scores([], facts=floats(0.5, 1.0)) == pytest.approx([1.15, 0.8, 0.0])
    assert scores([], chunks=0.5) == pytest.approx([1.0, 0.5, 0.05])


def test_a_fact_has_the_root_of_its_share_and_its_similarity_to_a_bridge_question() -> None:
    assert score_facts(MASSES, floats(0, 1)).tolist() == pytest.approx([1.0, 0.8])


def test_without_mass_there_is_no_score() -> None:
    assert score_facts(PPRScores(floats(0, 0), floats(), floats()), floats(0, 0)).tolist() == [0.0, 0.0]
    assert score_facts(PPRScores(floats(), floats(), floats()), floats()).tolist() == []


def test_the_best_target_of_each_source() -> None:
    incidence = np.array([[0, 0, 2], [1, 0, 1]])
    assert best_target(incidence, floats(0.5, 0.25), 3).tolist() == [0.5, 0.0, 0.25]
