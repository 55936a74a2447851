"""HippoRAG and FastGraphRAG against independent implementations of their formulas on small stores."""

import asyncio
from collections import defaultdict

import numpy as np
import pytest

from polyadic.config import FastGraphRAGSettings, HippoRAGSettings, Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.types import ItemKind, Knowledge
from polyadic.retrieval.entity_graph import entity_graph, synonyms_of
from polyadic.retrieval.registry import method_named
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.naive_pagerank import exact_pagerank, facts_of, pairs_of
from tests.retrieval.stories import FactsByDocument, reader_of, sentence

STORY: FactsByDocument = {
    "letters": [["Ada", "Byron"], ["Ada", "Babbage", "Turin"]],
    "poets": [["Byron", "Shelley", "Geneva"], ["Shelley", "Keats"]],
    "engine": [["Babbage", "Menabrea", "Turin"]],
    "travels": [["Byron", "Greece"], ["Byron", "Geneva"]],
    "apart": [["Darwin", "Beagle"]],
}
QUESTION = "What links Ada and Byron?"


def ask(method: str, reader: MemoryReader, question: str, settings: Settings) -> Knowledge:
    return asyncio.run(method_named(method, settings).retrieve(question, reader, HashingEmbedder(), 4000))


def passages_of(entity: str) -> int:
    return sum(any(entity in fact for fact in facts) for facts in STORY.values())


@pytest.mark.parametrize("specific", [True, False])
def test_hipporag_scores_passages_by_the_pagerank_of_their_entities(specific: bool) -> None:
    settings = Settings(hipporag=HippoRAGSettings(node_specificity=specific, synonyms_above=1.0))
    found = ask("hipporag", reader_of(STORY), QUESTION, settings)
    seeds = {name: 1 / passages_of(name) if specific else 1.0 for name in ("Ada", "Byron")}
    entity_scores = exact_pagerank(pairs_of(STORY), seeds, settings.hipporag.damping)
    expected = defaultdict[str, float](float)
    for document, fact in facts_of(STORY):
        expected[f"memory:{document}"] += sum(entity_scores[name] for name in fact)
    assert {item.kind for item in found.items} == {ItemKind.CHUNK}
    assert {item.places[0].source: item.score for item in found.items} == pytest.approx(
        {document: score for document, score in expected.items() if score > 1e-9}, abs=1e-6
    )
    assert [item.score for item in found.items] == sorted((item.score for item in found.items), reverse=True)


def test_hipporag_prefers_the_more_specific_name() -> None:
    guests = {f"hub {i}": [["Hub", f"Guest {i}"]] for i in range(3)}
    story = {"start": [["Ada", "Hub"]], **guests, "ada": [["Ada", "Rare"]]}

    def rare_share(specific: bool) -> float:
        options = HippoRAGSettings(node_specificity=specific, synonyms_above=1.0)
        found = ask("hipporag", reader_of(story), "Ada or Hub?", Settings(hipporag=options))
        return next(item.score for item in found.items if "Rare" in item.text)

    assert rare_share(True) > 1.2 * rare_share(False)


def test_hipporag_retrieves_similar_passages_without_names() -> None:
    found = ask("hipporag", reader_of(STORY), "zzz", Settings())
    assert len(found.items) == len(STORY)
    assert [step.detail for step in found.trace if step.name == "walk"] == [
        "none, as the question names no entity; the most similar passages"
    ]


def test_synonyms_connect_what_no_fact_joins() -> None:
    story = {"one": [["Ada Lovelace", "Engine"]], "two": [["Ada Lovelaces", "Ada Lovelace Institute", "London"]]}
    reader = reader_of(story)
    rows = reader.rows("entity")
    every, _ = synonyms_of(rows, 0.3, 10, reader)
    pairs = list(zip(every.sources.tolist(), every.targets.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs) and all(first < second for first, second in pairs)
    (ada,) = reader.named(["ada lovelace"])["ada lovelace"]
    seed = np.array([ada])
    near, cosines = synonyms_of(seed, 0.3, 10, reader)
    assert len(near.targets) and (cosines >= 0.3).all()
    assert all(ada in pair and pair in pairs for pair in zip(near.sources.tolist(), near.targets.tolist(), strict=True))
    vector = reader.directions("entity", seed)[0]
    assert len(entity_graph(seed, near, cosines, vector, reader).parts.chunks) == 2
    none, nothing = synonyms_of(seed, 1.0, 10, reader)
    assert len(entity_graph(seed, none, nothing, vector, reader).parts.chunks) == 1


def test_fastgraphrag_scores_facts_by_entities_and_passages_by_facts() -> None:
    reader, options = reader_of(STORY), FastGraphRAGSettings(synonyms_above=1.0, entities=3, facts=5, passages=3)
    found = ask("fastgraphrag", reader, QUESTION, Settings(fastgraphrag=options))
    vector = asyncio.run(HashingEmbedder().embed([QUESTION]))[0]
    near = reader.nearest("entity", vector, options.entities)
    names = [entity.name for entity in reader.entities(near.rows)]
    halved = [(1 + cosine) / 2 for cosine in near.scores.tolist()]
    seeds = {name: likeness / sum(halved) for name, likeness in zip(names, halved, strict=True)} | {
        "Ada": 1,
        "Byron": 1,
    }
    ranked = exact_pagerank(pairs_of(STORY), seeds, options.damping)
    counted = {name: score for name, score in ranked.items() if score >= options.entity_score}
    facts = sorted(facts_of(STORY), key=lambda fact: -sum(counted.get(name, 0) for name in fact[1]))[: options.facts]
    fact_scores = {sentence(fact): sum(counted.get(name, 0) for name in fact) for _, fact in facts}
    expected = defaultdict[str, float](float)
    for document, fact in facts:
        expected[f"memory:{document}"] += fact_scores[sentence(fact)]
    assert {item.text: item.score for item in found.facts} == pytest.approx(fact_scores, abs=1e-6)
    best = dict(sorted(expected.items(), key=lambda entry: -entry[1])[: options.passages])
    assert {item.places[0].source: item.score for item in found.chunks} == pytest.approx(best, abs=1e-6)
    assert [item.places[0].source for item in found.chunks] == list(best)
    assert [item.kind for item in found.items[:3]] == [ItemKind.CHUNK] * 3


def test_fastgraphrag_ignores_weak_entities_and_names() -> None:
    strict = Settings(fastgraphrag=FastGraphRAGSettings(entity_score=1.0))
    assert ask("fastgraphrag", reader_of(STORY), QUESTION, strict).items == ()
    one = Settings(fastgraphrag=FastGraphRAGSettings(ranked_entities=1, synonyms_above=1.0))
    best = ask("fastgraphrag", reader_of(STORY), QUESTION, one)
    assert best.facts and all("Byron" in item.entities for item in best.facts)
