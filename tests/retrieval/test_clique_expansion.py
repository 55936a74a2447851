"""Facts broken into pairs."""

import numpy as np
import pytest

from polyadic.retrieval.clique_expansion import (
    ENTITIES_OF_A_FACT,
    FACTS_OF_A_PAIR,
    PairwiseEdges,
    expand_cliques,
    gathered,
    pair_items,
)
from polyadic.storage.protocol import Vectors
from polyadic.text.tokens import count_tokens
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stories import reader_of


def all_pairs(reader: MemoryReader) -> PairwiseEdges:
    return expand_cliques(np.arange(reader.size("fact"), dtype=np.int64), reader)


def ones(pairs: PairwiseEdges) -> Vectors:
    return np.ones(len(pairs), dtype=np.float32)


def texts(reader: MemoryReader, sentences: bool) -> list[str]:
    pairs = all_pairs(reader)
    return [item.text for item in pair_items(pairs, ones(pairs), ["why"] * len(pairs), reader, sentences)]


@pytest.mark.parametrize("n", [2, 3, 5, ENTITIES_OF_A_FACT])
def test_clique_expansion_gives_every_pair_once(n: int) -> None:
    pairs = all_pairs(reader_of({"one": [[f"Person {i}" for i in range(n)]]}))
    assert len(pairs) == len(set(pairs.ends)) == n * (n - 1) // 2
    assert all(first < second for first, second in pairs.ends)


def test_large_facts_are_truncated() -> None:
    pairs = all_pairs(reader_of({"one": [[f"Person {i}" for i in range(ENTITIES_OF_A_FACT + 9)]]}))
    assert len(pairs) == ENTITIES_OF_A_FACT * (ENTITIES_OF_A_FACT - 1) // 2


def test_pairs_follow_the_order_of_facts() -> None:
    reader = reader_of({"one": [["Ada", "Babbage"], ["Ada", "Byron", "Shelley"], ["Byron", "Shelley"]]})
    order = np.array([2, 0, 1], dtype=np.int64)
    assert list(dict.fromkeys(expand_cliques(order, reader).facts.tolist())) == [2, 0, 1]


def test_bare_pairs_lose_the_arity() -> None:
    """Proposition 1 of HyperGraphRAG."""
    whole = reader_of({"one": [["Ada", "Babbage", "Menabrea"]]})
    parts = reader_of({"one": [["Ada", "Babbage"], ["Ada", "Menabrea"], ["Babbage", "Menabrea"]]})
    assert sorted(texts(whole, False)) == sorted(texts(parts, False))
    assert sorted(texts(whole, False)) == ["Ada — Babbage", "Ada — Menabrea", "Babbage — Menabrea"]
    facts = [{fact.text for fact in reader.facts(np.arange(reader.size("fact")))} for reader in (whole, parts)]
    assert facts[0].isdisjoint(facts[1])


def test_pairs_keep_sentence_and_places_of_their_fact() -> None:
    reader = reader_of({"one": [["Ada", "Babbage", "Menabrea"]]})
    pairs = all_pairs(reader)
    items = pair_items(pairs, ones(pairs), ["why"] * 3, reader)
    fact = reader.facts(np.array([0]))[0]
    assert {item.text for item in items} >= {f"Ada — Babbage: {fact.text}"}
    assert {item.places for item in items} == {reader.fact_places(np.array([0]))[0]}
    assert [item.tokens for item in items] == count_tokens([item.text for item in items])
    assert all(item.id.startswith(fact.id) for item in items)
    assert len({item.id for item in items}) == 3


def test_equal_bare_pairs_are_merged_with_all_places() -> None:
    reader = reader_of({"one": [["Ada", "Babbage"]], "two": [["Babbage", "Ada"]]})
    pairs = all_pairs(reader)
    items = pair_items(pairs, ones(pairs), ["why"] * 2, reader, sentences=False)
    assert [item.text for item in items] == ["Ada — Babbage"]
    assert {place.source for place in items[0].places} == {"memory:one", "memory:two"}
    assert len(pair_items(pairs, ones(pairs), ["why"] * 2, reader)) == 2


def test_most_similar_statements_of_a_pair_are_kept() -> None:
    reader = reader_of({f"day {i}": [["Ada", "Babbage", f"Guest {i}"]] for i in range(FACTS_OF_A_PAIR + 4)})
    pairs = all_pairs(reader)
    ends = next(end for end in pairs.ends if pairs.ends.count(end) > 1)
    similarity = np.linspace(0, 1, len(pairs), dtype=np.float32)
    kept = gathered(pairs, [ends], similarity)
    said = [place for place, end in enumerate(pairs.ends) if end == ends]
    assert kept.tolist() == said[: -FACTS_OF_A_PAIR - 1 : -1]
    assert len(gathered(pairs, [], similarity)) == 0
