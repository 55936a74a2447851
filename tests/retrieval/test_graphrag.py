"""GraphRAG's local search on pairs of entities, and on communities of the graph of entities alone."""

import asyncio
from itertools import combinations
from pathlib import Path

from polyadic.config import GraphRAGSettings, HierarchyBuildSettings, Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.types import ItemKind, Knowledge
from polyadic.retrieval.registry import method_named
from tests.hierarchy.towns import hierarchy_of, without_a_model, workspace
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stories import FactsByDocument, reader_of

STORY: FactsByDocument = {
    "poets": [["Byron", "Shelley", "Geneva"], ["Byron", "Greece"], ["Shelley", "Keats"], ["Keats", "Rome"]],
    "engines": [["Babbage", "Byron"], ["Babbage", "Turin"], ["Menabrea", "Turin"], ["Shelley", "Rome"]],
}
QUESTION = "Byron meets Shelley"


def ask(reader: MemoryReader, **options: int) -> Knowledge:
    method = method_named("graphrag-binary", Settings(graphrag=GraphRAGSettings.model_validate(options)))
    return asyncio.run(method.retrieve(QUESTION, reader, HashingEmbedder(), 4000))


def test_pairs_have_the_order_of_relationships() -> None:
    found = [item.entities for item in ask(reader_of(STORY), entities=2).facts]
    facts = [fact for facts in STORY.values() for fact in facts]
    degree = {name: sum(name in fact for fact in facts) for fact in facts for name in fact}
    pairs = {pair for fact in facts for pair in combinations(sorted(fact), 2) if {"Byron", "Shelley"} & set(pair)}
    inside = [pair for pair in pairs if set(pair) == {"Byron", "Shelley"}]
    others = {pair: next(name for name in pair if name not in {"Byron", "Shelley"}) for pair in pairs - set(inside)}

    def rank(pair: tuple[str, ...]) -> tuple[int, int]:
        (other,) = (name for name in pair if name not in {"Byron", "Shelley"})
        return -sum(name == other for name in others.values()), -sum(degree[name] for name in pair)

    assert found[:1] == inside
    assert [rank(pair) for pair in dict.fromkeys(found[1:])] == sorted(map(rank, others))
    assert set(found) == pairs


def test_number_of_pairs_grows_with_the_entities() -> None:
    hub: FactsByDocument = {"hub": [["Byron", f"Guest {number}"] for number in range(20)]}
    assert len(ask(reader_of(hub), entities=1).facts) == 10


def test_communities_without_layers_contain_entities_only(tmp_path: Path) -> None:
    settings = without_a_model(HierarchyBuildSettings(layers=0))
    with workspace(tmp_path, settings, 12) as kb:
        kb.hierarchy.build()
        hierarchy = hierarchy_of(kb)
        with kb.store().read() as reader:
            entities = {entity.id for entity in reader.entities(reader.rows("entity"))}
        assert hierarchy.communities and not hierarchy.summaries
        assert {member for community in hierarchy.communities for member in community.members} <= entities
        found = kb.retrieve("Which bridge did Mira Falk 0 build?", "graphrag")
        assert found.of(ItemKind.REPORT) and found.facts and not found.note
