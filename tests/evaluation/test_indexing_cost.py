"""Costs per 1,000 tokens and per 1,000 questions (HyperGraphRAG, Table 3), and the size of the index (Figure 5f)."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from polyadic.evaluation.indexing_cost import construction_of
from polyadic.evaluation.results import MethodCost
from polyadic.model.types import Document, Usage
from polyadic.text.tokens import count_tokens
from polyadic.workspace import Workspace
from tests.evaluation.tiny_dataset import HASHING

TEXT = "Ada Lovelace met Charles Babbage and Mary Somerville in London. Charles Babbage lived in London."


def test_costs_are_per_1000_tokens(tmp_path: Path) -> None:
    with Workspace(tmp_path, HASHING) as kb:
        kb.add([Document("memory:ada", "", TEXT)])
        built = construction_of(kb, 4.0, Usage(2, 300, 100, 0.05))
    (tokens,) = count_tokens([TEXT])
    assert built.tokens == tokens
    assert built.seconds_per_1000_tokens == pytest.approx(4000 / tokens)
    assert built.money_per_1000_tokens == pytest.approx(50 / tokens)
    assert (built.usage.calls, built.usage.tokens) == (2, 400)
    nothing = replace(built, tokens=0)
    assert (nothing.seconds_per_1000_tokens, nothing.money_per_1000_tokens) == (None, 0.0)


def test_relations_are_the_pairs_within_facts(tmp_path: Path) -> None:
    with Workspace(tmp_path, HASHING) as kb:
        kb.add([Document("memory:ada", "", TEXT)])
        facts = {fact.id: fact.entities for fact in kb.facts_of("London")}
        built = construction_of(kb, None)
    pairs = [pair for entities in facts.values() for pair in combinations(entities, 2)]
    assert (built.pairs, built.counts.facts) == (len(pairs), 2)
    degrees = Counter(entity for entities in facts.values() for entity in entities)
    assert dict(built.degrees) == Counter(degrees.values())
    assert dict(built.arities) == Counter(map(len, facts.values()))


def test_costs_of_a_method_are_per_1000_questions() -> None:
    cost = MethodCost(4, 900.0, 0.1, 0.1, 2.0, Usage(4, 400, 40, 0.01), Usage(4, 4000, 400, 0.03))
    assert cost.money_per_1000_questions == pytest.approx(10.0)
    assert replace(cost, questions=0).money_per_1000_questions == 0.0
