"""Paths are the shortest there are, the same every time, and go through summaries where they use memberships."""

import asyncio
from itertools import combinations, pairwise

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.errors import PackageMissing
from polyadic.retrieval import shortest_paths
from polyadic.retrieval.hierarchy_nodes import names
from polyadic.retrieval.shortest_paths import (
    PathCosts,
    PathGraph,
    ShortestPath,
    first_ring,
    further_ring,
    paths_between,
    paths_in,
    steps,
    weights,
)
from polyadic.storage.protocol import Vectors
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stores_with_hierarchy import with_hierarchy
from tests.retrieval.stories import FactsByDocument

NAMES = "ABCDEFGHIJKL"
FACTS = st.lists(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True), min_size=1, max_size=14)
SUMMARIES = st.lists(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True), max_size=3)


def vector(text: str = "A meets B") -> Vectors:
    embedded: Vectors = asyncio.run(HashingEmbedder().embed([text]))[0]
    return embedded


def store(facts: list[list[str]], summaries: list[list[str]]) -> MemoryReader:
    known = {name for fact in facts for name in fact}
    covered = [[name for name in members if name in known] for members in summaries]
    first = {f"S{i}": members for i, members in enumerate(covered) if len(members) > 1}
    above = {"T": list(first)} if len(first) > 1 else {}
    return with_hierarchy({f"d{i}": [sorted(fact)] for i, fact in enumerate(facts)}, first | above)


def node(reader: MemoryReader, name: str) -> int:
    hierarchy = reader.hierarchy_reader()
    every = np.concatenate([np.arange(reader.size("entity")), ~np.arange(hierarchy.summary_count)])
    return next(one for one, called in names(every, reader, hierarchy).items() if called == name)


def every_node(reader: MemoryReader) -> list[int]:
    return [*range(reader.size("entity")), *(~row for row in range(reader.hierarchy_reader().summary_count))]


def as_networkx(graph: PathGraph, lengths: PathCosts) -> nx.Graph:
    """The graph as a person would draw it: a node for each fact, memberships straight from summary to member."""
    drawn = nx.Graph()
    drawn.add_nodes_from(graph.nodes.tolist())
    for fact, place in graph.participation.T.tolist():
        length = (lengths.facts[fact] + lengths.nodes[place]) / 2
        drawn.add_edge(("fact", int(graph.facts[fact])), int(graph.nodes[place]), weight=length)
    for (summary, member), along in zip(graph.membership.T.tolist(), lengths.memberships.tolist(), strict=True):
        length = along + (lengths.nodes[summary] + lengths.nodes[member]) / 2
        drawn.add_edge(int(graph.nodes[summary]), int(graph.nodes[member]), weight=length)
    return drawn


def whole(reader: MemoryReader) -> PathGraph:
    return first_ring(np.array(every_node(reader)), vector(), reader, reader.hierarchy_reader())


def check(path: ShortestPath, reader: MemoryReader) -> None:
    """Each step is what it says it is."""
    hierarchy = reader.hierarchy_reader()
    for (first, second), step in zip(pairwise(path.nodes), path.steps, strict=True):
        if step >= 0:
            assert {first, second} <= set(reader.links("fact_entities", np.array([step])).targets.tolist())
            continue
        covered = hierarchy.covered(np.array([~step]))
        members = {*covered.entities.targets.tolist(), *(~covered.summaries.targets).tolist()}
        assert (first == step and second in members) or (second == step and first in members)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(FACTS, SUMMARIES, st.booleans())
def test_paths_are_shortest_within_the_graph(
    facts: list[list[str]], summaries: list[list[str]], weighted: bool
) -> None:
    reader = store(facts, summaries)
    graph = whole(reader)
    lengths = weights(graph, vector(), reader, reader.hierarchy_reader()) if weighted else steps(graph)
    drawn = as_networkx(graph, lengths)
    pairs = list(combinations(every_node(reader), 2))
    for pair, path in zip(pairs, paths_in(graph, lengths, pairs), strict=True):
        if path is None:
            assert not nx.has_path(drawn, *pair)
            continue
        assert (path.nodes[0], path.nodes[-1]) == pair
        assert path.length == pytest.approx(nx.shortest_path_length(drawn, *pair, weight="weight"))
        assert weighted or path.length == len(path.steps)
        check(path, reader)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(FACTS, SUMMARIES, st.data())
def test_paths_up_to_four_steps_are_found_and_up_to_five_shortest(
    facts: list[list[str]], summaries: list[list[str]], data: st.DataObject
) -> None:
    reader = store(facts, summaries)
    keys = data.draw(st.lists(st.sampled_from(every_node(reader)), min_size=2, max_size=4, unique=True))
    pairs = list(pairwise(keys))
    graph = whole(reader)
    drawn = as_networkx(graph, steps(graph))
    true = {pair: nx.shortest_path_length(drawn, *pair, weight="weight") for pair in pairs if nx.has_path(drawn, *pair)}
    paths, _ = paths_between(pairs, vector(), reader, reader.hierarchy_reader(), weighted=False)
    found = {(path.nodes[0], path.nodes[-1]): path.length for path in paths}
    assert all(found[pair] == length for pair, length in true.items() if length <= 4)
    assert all(length == true[pair] for pair, length in found.items() if length <= 5)


CHAIN: FactsByDocument = {"one": [["Ada", "Byron"]], "two": [["Byron", "Greece"]], "three": [["Mill", "Engine"]]}


def names_on(path: ShortestPath, reader: MemoryReader) -> list[str]:
    named = names(np.array(path.nodes), reader, reader.hierarchy_reader())
    return [named[one] for one in path.nodes]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_route_through_a_membership_passes_through_its_summary(weighted: bool) -> None:
    reader = with_hierarchy(CHAIN, {"Machines": ["Ada", "Mill"]})
    pairs = [(node(reader, "Byron"), node(reader, "Engine"))]
    (path,), _ = paths_between(pairs, vector(), reader, reader.hierarchy_reader(), weighted)
    assert names_on(path, reader) == ["Byron", "Ada", "Machines", "Mill", "Engine"]
    summary = node(reader, "Machines")
    assert [step for step in path.steps if step < 0] == [summary, summary]


def test_disconnected_pairs_are_skipped() -> None:
    reader = with_hierarchy(CHAIN, {})
    ada, mill, greece = (node(reader, name) for name in ("Ada", "Mill", "Greece"))
    paths, graph = paths_between(
        [(ada, mill), (ada, greece)], vector(), reader, reader.hierarchy_reader(), weighted=True
    )
    assert [names_on(path, reader) for path in paths] == [["Ada", "Byron", "Greece"]]
    assert graph.rings == 2


def test_empty_input_has_no_paths() -> None:
    assert (
        paths_between(
            [], vector(), with_hierarchy(CHAIN, {}), with_hierarchy(CHAIN, {}).hierarchy_reader(), weighted=True
        )[0]
        == []
    )


ROUNDABOUT: FactsByDocument = {
    "list": [["Ada", "Greece", *(f"Other {i}" for i in range(30))]],
    "said": [["Ada", "Byron"], ["Byron", "Greece"]],
}


def test_weighted_paths_prefer_small_facts_and_unweighted_fewest_steps() -> None:
    reader = with_hierarchy(ROUNDABOUT, {})
    ends = [(node(reader, "Ada"), node(reader, "Greece"))]
    (plain,), _ = paths_between(ends, vector("xyz"), reader, reader.hierarchy_reader(), weighted=False)
    (weighted,), _ = paths_between(
        ends, vector("Ada meets Byron. Byron meets Greece."), reader, reader.hierarchy_reader(), True
    )
    assert (len(plain.steps), names_on(weighted, reader)) == (1, ["Ada", "Byron", "Greece"])


def test_relevant_facts_have_lower_cost() -> None:
    ways: FactsByDocument = {
        "one": [["Ada", "Byron"], ["Byron", "Greece"]],
        "two": [["Ada", "Turin"], ["Turin", "Greece"]],
    }
    reader = with_hierarchy(ways, {})
    ends = [(node(reader, "Ada"), node(reader, "Greece"))]
    for by in ("Byron", "Turin"):
        (path,), _ = paths_between(ends, vector(f"{by} meets {by}"), reader, reader.hierarchy_reader(), weighted=True)
        assert names_on(path, reader) == ["Ada", by, "Greece"]


def test_costs_by_relevance_size_degree_and_membership() -> None:
    reader = with_hierarchy(
        {"one": [["Ada", "Byron"], ["Ada", "Byron", "Cy", "Dee"], ["Ada", "Eve"]]}, {"S": ["Ada", "Eve"]}
    )
    hierarchy, toward = reader.hierarchy_reader(), vector("Ada meets Eve.")
    graph = first_ring(np.array(every_node(reader)), toward, reader, hierarchy)
    costs = weights(graph, toward, reader, hierarchy)
    cosines = dict(
        zip(graph.facts.tolist(), reader.similarity("fact", graph.facts, toward[None, :])[0].tolist(), strict=True)
    )
    texts = {fact.text: row for row, fact in zip(graph.facts.tolist(), reader.facts(graph.facts), strict=True)}
    # A fact of four entities has doubled once; its score is 8 of 10.
    expected = {row: (1.5 - cosines[row] * 0.8**0.5) * (1.25 if "Dee" in text else 1.0) for text, row in texts.items()}
    assert dict(zip(graph.facts.tolist(), costs.facts.tolist(), strict=True)) == pytest.approx(expected, rel=1e-5)
    passing = dict(zip(graph.nodes.tolist(), costs.nodes.tolist(), strict=True))
    degrees = {"Ada": np.log2(3), "Byron": 1, "Cy": 0, "Dee": 0, "Eve": 0, "S": 0}
    assert passing == pytest.approx({node(reader, name): 0.1 * cost for name, cost in degrees.items()})
    alike = hierarchy.similarity(np.array([0]), toward[None, :])[0, 0]
    assert costs.memberships.tolist() == pytest.approx([1.5 * (1.5 - alike)] * 2)


def test_hub_expansion_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortest_paths, "FACTS_OF_A_NODE", 3)
    monkeypatch.setattr(shortest_paths, "FRONTIER", 2)
    reader = with_hierarchy({"hub": [["Hub", f"Spoke {i}"] for i in range(40)]}, {})
    graph = first_ring(np.array([node(reader, "Hub")]), vector(), reader, reader.hierarchy_reader())
    assert (len(graph.facts), len(graph.nodes)) == (3, 4)
    assert len(further_ring(graph, vector(), reader, reader.hierarchy_reader()).facts) == 3


def test_missing_scipy_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = with_hierarchy(CHAIN, {})
    ends = [(node(reader, "Ada"), node(reader, "Greece"))]
    monkeypatch.setattr("polyadic.optional_dependencies.find_spec", lambda module: None)
    with pytest.raises(PackageMissing, match="path search needs scipy"):
        paths_between(ends, vector(), reader, reader.hierarchy_reader(), weighted=True)
    assert paths_between([], vector(), reader, reader.hierarchy_reader(), weighted=True)[0] == []
