"""Each fact belongs to one community of a level at most: that of its most specific participants."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyadic.hierarchy.fact_assignment import TOKENS_OF_A_LINE, assigned, within
from polyadic.model.types import Fact
from polyadic.storage.protocol import Links

ENTITIES, FACTS = 8, 6
hypergraphs = st.lists(st.sets(st.integers(0, ENTITIES - 1), min_size=2, max_size=4), min_size=FACTS, max_size=FACTS)


def links_of(facts: list[set[int]]) -> Links:
    pairs = [(number, entity) for number, fact in enumerate(facts) for entity in sorted(fact)]
    return Links(*np.array(pairs, dtype=np.int64).T)


@given(hypergraphs, st.lists(st.integers(-1, 3), min_size=ENTITIES, max_size=ENTITIES))
def test_fact_is_assigned_to_the_strongest_community(facts: list[set[int]], home: list[int]) -> None:
    links = links_of(facts)
    degrees = np.maximum(np.bincount(links.targets, minlength=ENTITIES), 1).astype(np.float64)
    found = assigned(links, degrees, np.array(home), FACTS)
    for number, fact in enumerate(facts):
        pulls = {
            one: sum(1 / degrees[entity] for entity in sorted(fact) if home[entity] == one)
            for one in {home[entity] for entity in fact} - {-1}
        }
        if not pulls:
            assert found[number] == -1
        else:
            assert pulls[int(found[number])] >= max(pulls.values()) - 1e-12


def test_of_communities_that_pull_alike_the_first_has_the_fact() -> None:
    links = links_of([{0, 1, 2}, {0, 2}])
    assert assigned(links, np.array([2.0, 2.0, 2.0]), np.array([2, 1, 0]), 2).tolist() == [0, 0]


def test_empty_assignment() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert assigned(Links(nothing, nothing), np.ones(0), nothing, 0).tolist() == []
    assert assigned(Links(np.array([0, 0]), np.array([0, 1])), np.ones(2), np.array([-1, -1]), 1).tolist() == [-1]


def test_facts_fill_the_token_budget() -> None:
    facts = [Fact(str(number), "", 8.0, (), 1, tokens=10) for number in range(5)]
    each = 10 + TOKENS_OF_A_LINE
    assert within([3, 1, 0], facts, 2 * each) == [3, 1]
    assert within([3, 1, 0], facts, 2 * each - 1) == [3]
    assert within([3], facts, 1) == [3]
    assert within([], facts, 100) == []
