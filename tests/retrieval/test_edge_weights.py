"""Conductance by numbers worked out by hand."""

import numpy as np
import pytest

from polyadic.retrieval.edge_weights import completeness, compute_edge_weights, standardize
from polyadic.retrieval.subgraph import surround
from tests.retrieval.stories import reader_of

NOTHING = np.zeros(0, dtype=np.int64)
# Every fact has score 8 of 10, and every entity score 80 of 100.
READER = reader_of({"one": [["Ada", "Byron"], ["Ada", "Kiel"]], "two": [["Ada", "Kiel"]]})


def test_a_fact_conducts_by_relevance_and_completeness() -> None:
    graph = surround(np.arange(2), NOTHING, READER)
    facts = compute_edge_weights(graph, np.array([0.0, 2.0], dtype=np.float32), READER).facts
    assert facts.tolist() == pytest.approx([0.8**0.5, np.exp(0.9 * 2) * 0.8**0.5])
    assert completeness(graph.facts, READER).tolist() == pytest.approx([0.8**0.5] * 2)


def test_an_entity_conducts_by_its_score_and_less_the_more_facts_it_has() -> None:
    graph = surround(np.arange(2), NOTHING, READER)
    entities = compute_edge_weights(graph, np.zeros(2, dtype=np.float32), READER).entities
    by_name = dict(zip((entity.name for entity in READER.entities(graph.entities)), entities.tolist(), strict=True))
    assert by_name == pytest.approx({"Ada": 0.8**4 / 2**0.25, "Byron": 0.8**4, "Kiel": 0.8**4})


def test_passages_conduct_alike() -> None:
    graph = surround(np.arange(2), NOTHING, READER)
    assert compute_edge_weights(graph, np.zeros(2, dtype=np.float32), READER).chunks.tolist() == [1.0, 1.0]


def test_values_are_standardized_unless_they_differ_by_rounding_only() -> None:
    assert standardize(np.array([0.0, 3.0, 6.0])).tolist() == pytest.approx([-(1.5**0.5), 0.0, 1.5**0.5])
    assert np.abs(standardize(np.array([1.0, 1.0 + 1e-9]))).max() < 1e-8
    assert standardize(np.zeros(0, dtype=np.float32)).tolist() == []
