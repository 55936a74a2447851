"""The preset ``hirag`` retrieves what HiRAG's equations 12 to 16 say, and nothing else."""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyadic.config import HierarchyBuildSettings, HierarchySearchSettings
from polyadic.config.presets import PRESETS
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.types import Item, ItemKind, Knowledge, RetrievalSection
from polyadic.retrieval.bridge_knowledge import bridge_items, consecutive
from polyadic.retrieval.hierarchy_nodes import names
from polyadic.retrieval.hierarchy_search import HierarchySearch, find
from polyadic.retrieval.methods.hierarchy import HierarchyMethod
from polyadic.retrieval.shortest_paths import paths_between
from polyadic.storage.protocol import Vectors
from tests.retrieval.hirag_equations import HierarchicalGraph
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stores_with_hierarchy import with_hierarchy
from tests.retrieval.stories import sentence
from tests.retrieval.test_entity_search import described

HIRAG = HierarchySearchSettings.model_validate(PRESETS["hirag"]["hierarchy"])
NAMES = ("Ada", "Byron", "Engine", "London", "Mill", "Store", "Keats", "Turin")
EVERYTHING = 10**9


def embed(texts: Sequence[str]) -> Vectors:
    return asyncio.run(HashingEmbedder().embed(texts))


class Case:
    """A store, the same written down for the equations, and a question; N and m as given."""

    def __init__(
        self,
        facts: Sequence[Sequence[str]],
        summaries: Mapping[str, Sequence[str]],
        communities: Sequence[Sequence[str]],
        question: str,
        n: int = HIRAG.entities,
        m: int = HIRAG.key_entities,
    ) -> None:
        self.settings = HIRAG.model_copy(update={"entities": n, "key_entities": m})
        self.question, self.reader = question, with_hierarchy({"one": facts}, summaries, communities)
        entities = sorted({name for fact in facts for name in fact})
        texts = entities + [f"{name}: All about {name}." for name in summaries]
        vectors = embed([question, *texts])
        similarity = dict(zip([*entities, *summaries], (vectors[1:] @ vectors[0]).tolist(), strict=True))
        self.graph = HierarchicalGraph(
            [frozenset(fact) for fact in facts],
            {name: frozenset(members) for name, members in summaries.items()},
            [frozenset(community) for community in communities],
            similarity,
        )

    def search(self) -> HierarchySearch:
        return find(self.question, embed([self.question])[0], 0.25, self.settings, self.reader)

    def named(self, nodes: Sequence[int]) -> list[str]:
        given = names(np.array(nodes, dtype=np.int64), self.reader, self.reader.hierarchy_reader())
        return [given[node] for node in nodes]

    def members(self, row: int) -> frozenset[str]:
        held = self.reader.hierarchy_reader().held(np.array([row]))
        return frozenset(self.named([*held.entities.targets.tolist(), *(~held.summaries.targets).tolist()]))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    facts = draw(
        st.lists(st.lists(st.sampled_from(NAMES), min_size=2, max_size=3, unique=True), min_size=1, max_size=9)
    )
    facts = [list(fact) for fact in dict.fromkeys(map(tuple, map(sorted, facts)))]
    entities = sorted({name for fact in facts for name in fact})
    some = st.lists(st.sampled_from(entities), min_size=2, max_size=4, unique=True)
    summaries = {name: draw(some) for name in draw(st.sampled_from([(), ("People",), ("People", "Towns")]))}
    nodes = st.lists(st.sampled_from([*entities, *summaries]), min_size=1, max_size=6, unique=True)
    first = nodes.filter(lambda chosen: chosen[0] in entities)
    communities = draw(st.lists(first.map(tuple), max_size=4, unique_by=frozenset))
    question = " ".join(draw(st.lists(st.sampled_from([*NAMES, "People"]), min_size=1, max_size=3)))
    return Case(facts, summaries, communities, question, draw(st.integers(1, 6)), draw(st.integers(2, 4)))


def test_the_preset_has_the_numbers_of_the_paper() -> None:
    build = HierarchyBuildSettings.model_validate(PRESETS["hirag"]["hierarchy_build"])
    assert (HIRAG.entities, HIRAG.key_entities, build.sparsity_change) == (20, 10, 0.05)


@settings(deadline=None)
@given(cases())
def test_nodes_communities_and_key_entities_are_those_of_the_equations(case: Case) -> None:
    search, graph = case.search(), case.graph
    near = case.named(search.near.rows.tolist())
    found = [graph.similarity[node] for node in near]
    assert found == pytest.approx(graph.highest(graph.similarity, case.settings.entities), abs=1e-5)
    assert len(set(near)) == len(near)
    communities = [case.members(community.row) for community in search.communities]
    assert set(communities) == graph.communities_of(near) and len(communities) == len(set(communities))
    for community, keys in zip(communities, search.keys, strict=False):
        chosen = case.named(keys.tolist())
        assert set(chosen) <= community and len(set(chosen)) == len(chosen)
        expected = graph.highest(community, case.settings.key_entities)
        assert [graph.similarity[node] for node in chosen] == pytest.approx(expected, abs=1e-5)


@settings(deadline=None)
@given(cases())
def test_paths_and_bridge_are_those_of_the_equations(case: Case) -> None:
    search, graph = case.search(), case.graph
    pairs = consecutive(search.keys)
    weighted, bounded = HIRAG.paths == "weighted", HIRAG.bounded
    paths, _ = paths_between(pairs, search.vector, case.reader, search.hierarchy, weighted, bounded)
    lengths = {tuple(case.named([path.nodes[0], path.nodes[-1]])): len(path.nodes) - 1 for path in paths}
    distances = {tuple(case.named(pair)): graph.distance(*case.named(pair)) for pair in pairs}
    assert lengths == {pair: length for pair, length in distances.items() if length is not None}
    for path in paths:
        assert all(graph.distance(*step) == 1 for step in pairwise(case.named(path.nodes)))
    on_paths = {node for path in paths for node in case.named(path.nodes)}
    facts, memberships = graph.triples(on_paths)
    items = bridge_items(paths, search, bounded)
    expected_facts = {sentence(sorted(fact)) for fact in facts}
    assert {item.text for item in items if item.kind is ItemKind.FACT} == expected_facts
    assert memberships_in([item for item in items if item.kind is not ItemKind.FACT]) == memberships
    assert len(items) == len(expected_facts) + len(memberships)


def memberships_in(items: Sequence[Item]) -> dict[str, set[str]]:
    """Read "People covers Ada, Byron and Keats: ..." as a summary and its members."""
    found = {}
    for item in items:
        summary, members = item.text.split(": All about")[0].split(" covers ")
        found[summary] = set(members.replace(" and ", ", ").split(", "))
    return found


def retrieve(reader: MemoryReader, question: str, chosen: HierarchySearchSettings) -> Knowledge:
    return asyncio.run(HierarchyMethod(chosen).retrieve(question, reader, HashingEmbedder(), EVERYTHING))


def section(found: Knowledge, wanted: RetrievalSection) -> list[Item]:
    return [item for item in found.items if item.section is wanted]


def test_paths_of_any_length_are_found() -> None:
    chain = [f"E{number}" for number in range(15)]
    reader = with_hierarchy({"one": [*pairwise(chain)]}, {}, [[chain[0], chain[-1]]])
    question = f"{chain[0]} {chain[-1]}"
    found, default = (
        section(retrieve(reader, question, chosen.model_copy(update={"entities": 2})), RetrievalSection.BRIDGE)
        for chosen in (HIRAG, HierarchySearchSettings())
    )
    assert len(found) == 14 and not default


def test_all_facts_among_the_entities_are_in_the_bridge() -> None:
    facts = [["Ada", "Engine", f"E{number}"] for number in range(150)]
    reader = with_hierarchy({"one": facts}, {}, [["Ada", "Engine"]])
    found = retrieve(reader, "Ada Engine", HIRAG.model_copy(update={"entities": 2}))
    assert {item.text for item in section(found, RetrievalSection.BRIDGE)} == {sentence(fact) for fact in facts}


def test_local_knowledge_is_descriptions_and_global_knowledge_whole_reports() -> None:
    facts = [["Ada", "Engine"], ["Engine", "Mill"], ["Byron", "Keats"]]
    reader = with_hierarchy({"one": facts}, {"Machines": ["Engine", "Mill"]}, [["Ada", "Engine", "Mill", "Machines"]])
    found = retrieve(reader, "Machines", HIRAG)
    assert [item.text for item in section(found, RetrievalSection.LOCAL)] == ["Machines (theme): All about Machines."]
    (report,) = section(found, RetrievalSection.GLOBAL)
    (community,) = reader.records.hierarchy().communities
    assert community.report and report.text == community.report.text


def test_an_entity_is_compared_by_its_most_frequent_description() -> None:
    reader = described([["a river", "a film"], ["a film"]])
    (best,) = find("?", embed(["e0: a film"])[0], 0.25, HIRAG.model_copy(update={"entities": 1}), reader).near.scores
    assert best == pytest.approx(float(embed(["e1: a film"])[0] @ embed(["e0: a film"])[0]), abs=1e-5)


def test_paths_have_the_fewest_steps() -> None:
    facts = [["Ada", "Byron", "Engine", "Keats", "Mill", "Turin"], ["Ada", "Store"], ["Store", "Turin"]]
    reader = with_hierarchy({"one": facts}, {}, [["Ada", "Turin"]])
    found = retrieve(reader, "Store Ada Store Turin", HIRAG.model_copy(update={"entities": 2}))
    assert sentence(facts[0]) == section(found, RetrievalSection.BRIDGE)[0].text


def test_neither_names_nor_general_questions_are_treated_specially() -> None:
    facts = [["Ada", "Engine"], ["Engine", "Mill"], ["Mill", "Byron"]]
    reader = with_hierarchy({"one": facts}, {}, [["Ada", "Engine", "Mill"], ["Byron", "Mill"]])
    vector = embed(["What are the main themes?"])[0]
    assert find("What are the main themes?", vector, 2.0, HierarchySearchSettings(), reader).whole
    assert not find("What are the main themes?", vector, 2.0, HIRAG, reader).whole
    # The vector of another question: "Byron" is named, but not near.
    one = {"entities": 1}
    named, plain = (
        find("Byron", embed(["Ada"])[0], 0.25, chosen.model_copy(update=one), reader).near.rows
        for chosen in (HierarchySearchSettings(), HIRAG)
    )
    assert [entity.name for entity in reader.entities(named)] == ["Byron"]
    assert [entity.name for entity in reader.entities(plain)] == ["Ada"]
