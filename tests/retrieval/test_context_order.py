"""One reading order of facts and passages."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyadic.model.types import ItemKind
from polyadic.retrieval.context_order import FACTS_FIRST, order_context
from polyadic.retrieval.subgraph import Subgraph
from polyadic.storage.protocol import Vectors


@st.composite
def stated(draw: st.DrawFn) -> tuple[Subgraph, Vectors]:
    """Facts, each stated by one or two chunks; some chunks may state none."""
    facts, chunks = draw(st.integers(0, 40)), draw(st.integers(1, 12))
    holders = [draw(st.sets(st.integers(0, chunks - 1), min_size=1, max_size=2)) for _ in range(facts)]
    pairs = np.array([(f, c) for f, own in enumerate(holders) for c in sorted(own)], dtype=np.int64).reshape(-1, 2)
    none = np.zeros((2, 0), dtype=np.int64)
    graph = Subgraph(np.arange(facts), np.arange(0), np.arange(chunks), none, pairs.T, none, none)
    scores = draw(st.lists(st.floats(0, 2, width=32), min_size=facts, max_size=facts))
    return graph, np.array(scores, dtype=np.float32)


@given(stated(), st.integers(0, 30))
def test_order_contains_each_chunk_and_fact_once(drawn: tuple[Subgraph, Vectors], most: int) -> None:
    graph, scores = drawn
    chunks = np.arange(len(graph.chunks))
    order = order_context(graph, chunks, scores, most)
    assert len(set(order)) == len(order)
    assert sum(kind is ItemKind.CHUNK for kind, _ in order) == len(chunks)
    assert sum(kind is ItemKind.FACT for kind, _ in order) <= most + len(chunks)


@given(stated())
def test_lead_facts_follow_passage_order(drawn: tuple[Subgraph, Vectors]) -> None:
    graph, scores = drawn
    chunks = np.arange(len(graph.chunks))[::-1]
    order = order_context(graph, chunks, scores, most=0)
    facts = [place for kind, place in order[:FACTS_FIRST] if kind is ItemKind.FACT]
    # Without other facts every fact leads a passage: the one among its chunks whose turn it is.
    turns = [set(graph.statement[1][graph.statement[0] == fact].tolist()) for fact in facts]
    remaining = chunks.tolist()
    for holders in turns:
        while remaining and remaining[0] not in holders:
            remaining.pop(0)
        assert remaining
        remaining.pop(0)


def test_passage_with_several_good_facts_lists_them_early() -> None:
    # Chunk 0 states facts 0 to 2, chunk 1 states fact 3.
    none = np.zeros((2, 0), dtype=np.int64)
    statement = np.array([[0, 1, 2, 3], [0, 0, 0, 1]])
    graph = Subgraph(np.arange(4), np.arange(0), np.arange(2), none, statement, none, none)
    order = order_context(graph, np.arange(2), np.array([0.9, 0.8, 0.1, 0.5], np.float32), most=5)
    assert [place for kind, place in order if kind is ItemKind.FACT] == [0, 1, 3, 2]


def test_passage_without_facts_takes_the_lead_position() -> None:
    none = np.zeros((2, 0), dtype=np.int64)
    graph = Subgraph(np.arange(1), np.arange(0), np.arange(2), none, np.array([[0], [1]]), none, none)
    order = order_context(graph, np.arange(2), np.ones(1, np.float32), most=5)
    assert order == [(ItemKind.CHUNK, 0), (ItemKind.FACT, 0), (ItemKind.CHUNK, 1)]
