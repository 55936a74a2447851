"""Method hypergraph by numbers worked out by hand (arXiv 2503.21322, Eq. 14 to 20)."""

import asyncio
from collections.abc import Sequence

import numpy as np

from polyadic.config import HypergraphSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.types import Chunk, Document, Evidence, Item, Knowledge, Participation, Span
from polyadic.retrieval.methods.hypergraph import HypergraphRAG
from polyadic.retrieval.query_entity_extraction import StoreEntityFinder
from polyadic.storage.protocol import Vectors
from tests.retrieval.memory_reader import MemoryReader

# Cosine of each text with the question, which names nothing and so stands for its names as well.
COSINES = {
    "q": 1.0,
    "q of two": 1.0,
    "whom did ada meet": 0.1,
    "ada": 0.9,
    "babbage": 0.8,
    "london": 0.1,
    "ada met babbage": 0.6,
    "ada left london": 0.9,
    "babbage liked london": 0.3,
    "one": 0.7,
    "two": 0.4,
}
SCORES = {"ada": 90.0, "babbage": 50.0, "london": 60.0}
# Facts: score x cosine is 6 = 10 x 0.6; 3.6 = 4 x 0.9; 2.4 = 8 x 0.3.
FACTS = [
    ("one", "ada met babbage", 10.0, ("ada", "babbage")),
    ("one", "ada left london", 4.0, ("ada", "london")),
    ("two", "babbage liked london", 8.0, ("babbage", "london")),
]
# Entities: 81 = 90 x 0.9; 40 = 50 x 0.8; 6 = 60 x 0.1.


def embed(texts: Sequence[str]) -> Vectors:
    cosines = [COSINES[text.strip()] for text in texts]
    return np.array([[c, np.sqrt(1 - c * c)] for c in cosines], dtype=np.float32)


class Fixed(HashingEmbedder):
    async def embed(self, texts: Sequence[str]) -> Vectors:
        return embed(texts)


def read() -> MemoryReader:
    documents = []
    for name in ("one", "two"):
        document = Document(f"memory:{name}", "", name)
        said = [
            Evidence(text, score, tuple(Participation(e, score=SCORES[e]) for e in names), (Span(0, 3),), "by hand")
            for place, text, score, names in FACTS
            if place == name
        ]
        documents.append((document, Chunk(document.id, Span(0, 3), name, 1, 0), said))
    return MemoryReader(documents, embed)


def ask(settings: HypergraphSettings, tokens: int = 1000, question: str = "q") -> Knowledge:
    return asyncio.run(HypergraphRAG(settings, StoreEntityFinder()).retrieve(question, read(), Fixed(), tokens))


def without_additions(**settings: object) -> Knowledge:
    return ask(HypergraphSettings.model_validate({"fill": False, "words": False, **settings}))


def shown(items: Sequence[Item]) -> list[tuple[str, float]]:
    return [(item.text, round(item.score, 3)) for item in items]


def detail(found: Knowledge, name: str) -> str:
    return next(step.detail for step in found.trace if step.name == name)


def test_facts_rank_by_similarity_times_score_with_repeats_halved() -> None:
    found = without_additions(entity_retrieval=False, chunk_retrieval=False, fact_threshold=0)
    # 3.6 / 2, of the passage that has told a fact already, comes after 2.4 of one that has not.
    assert shown(found.facts) == [("ada met babbage", 6.0), ("babbage liked london", 2.4), ("ada left london", 3.6)]
    assert {fact.text: fact.why for fact in found.facts}["ada left london"] == "similar to the question (0.90)"


def test_only_k_are_retrieved() -> None:
    found = without_additions(entity_retrieval=False, chunks=1, facts=2, fact_threshold=0)
    assert shown(found.facts) == [("ada met babbage", 6.0), ("ada left london", 3.6)]
    assert shown(found.chunks) == [("one", 0.7)]


def test_lexical_passages_are_retrieved_with_their_facts() -> None:
    few = HypergraphSettings(fill=False, entity_retrieval=False, facts=1, chunks=1)
    found = ask(few, question="q of two")
    # Both come first in one of two rankings.
    assert shown(found.chunks) == [("one", 0.5), ("two", 0.5)]
    assert [chunk.why for chunk in found.chunks] == ["similar to the question (0.70)", "matches words of the question"]
    assert shown(found.facts) == [("ada met babbage", 6.0), ("babbage liked london", 2.4)]
    assert found.facts[1].why == "stated by a passage with words of the question"
    without = ask(few.model_copy(update={"words": False}), question="q of two")
    assert (len(without.chunks), len(without.facts)) == (1, 1)


def test_scores_must_exceed_the_threshold() -> None:
    found = without_additions(entity_retrieval=False, fact_threshold=3.0, chunk_threshold=0.5)
    assert shown(found.facts) == [("ada met babbage", 6.0), ("ada left london", 3.6)]
    assert shown(found.chunks) == [("one", 0.7)]
    assert (detail(found, "facts"), detail(found, "passages")) == ("2 above 3", "1 above 0.5")


def test_score_equal_to_the_threshold_is_excluded() -> None:
    reached = without_additions(entity_retrieval=False, fact_threshold=0).facts[2].score
    passage = without_additions(entity_retrieval=False, chunk_threshold=0).chunks[0].score
    found = without_additions(entity_retrieval=False, fact_threshold=reached, chunk_threshold=passage)
    assert (detail(found, "facts"), detail(found, "passages")) == (
        f"1 above {reached:g}",
        f"none above {passage:g}, so the first 2",
    )
    entity = float(np.float32(0.9) * np.float32(90))
    assert detail(without_additions(entity_threshold=entity), "entities") == "none above 81, so the first 3"


def test_top_ranked_items_are_used_if_none_exceeds_the_threshold() -> None:
    found = without_additions(entity_retrieval=False, fact_threshold=100, chunk_threshold=1)
    assert shown(found.facts) == [("ada met babbage", 6.0), ("babbage liked london", 2.4), ("ada left london", 3.6)]
    assert shown(found.chunks) == [("one", 0.7), ("two", 0.4)]


def test_nothing_is_retrieved_without_a_fallback() -> None:
    found = without_additions(fallback=0, entity_threshold=100, fact_threshold=100, chunk_threshold=1)
    assert not found.items and found.retrieves
    assert [detail(found, name) for name in ("entities", "facts", "passages")] == [
        "the question names none",
        "0 above 100",
        "0 above 1",
    ]


def test_further_facts_of_a_passage_count_in_full_without_a_discount() -> None:
    found = without_additions(entity_retrieval=False, chunk_retrieval=False, fact_threshold=0, passage_discount=1)
    assert shown(found.facts) == [("ada met babbage", 6.0), ("ada left london", 3.6), ("babbage liked london", 2.4)]


def test_entities_are_matched_to_question_names_not_the_question() -> None:
    # Eq. 14: by h_Vq only "ada" is above 50; by h_q it would be "london", with 60 x 1.
    only_entities = {"fill": False, "words": False, "fact_retrieval": False, "chunk_retrieval": False}
    found = ask(HypergraphSettings.model_validate(only_entities), question="whom did ada meet")
    assert detail(found, "entities") == "1 above 50"
    assert {fact.why for fact in found.facts} == {"about ada"}


def test_retrieved_entity_adds_its_facts() -> None:
    found = without_additions(fact_retrieval=False, chunk_retrieval=False)
    assert detail(found, "entities") == "1 above 50"
    assert shown(found.facts) == [("ada met babbage", 6.0), ("ada left london", 3.6)]
    assert {fact.why for fact in found.facts} == {"about ada"}
    assert found.facts[0].entities == ("ada", "babbage")


def test_hub_adds_only_the_facts_nearest_to_the_question() -> None:
    found = without_additions(fact_retrieval=False, chunk_retrieval=False, facts_per_entity=1)
    assert shown(found.facts) == [("ada left london", 3.6)]


def test_truncation_is_reported() -> None:
    found = without_additions(chunk_retrieval=False, fact_threshold=0, max_facts=1)
    assert shown(found.facts) == [("ada met babbage", 6.0)]
    assert detail(found, "expand") == "3 facts, 0 of them only by entities and passages; the first 1 are kept"


def test_remaining_budget_is_filled_from_the_rankings() -> None:
    found = ask(HypergraphSettings())
    assert shown(found.facts) == [("ada met babbage", 6.0), ("ada left london", 3.6), ("babbage liked london", 2.4)]
    assert shown(found.chunks) == [("one", 0.7), ("two", 0.4)]
    assert (detail(found, "fill"), detail(found, "passages")) == (
        "1 further facts",
        "1 above 0.5, 2 where there is room",
    )


def test_filling_respects_the_budget() -> None:
    found = ask(HypergraphSettings(), tokens=1)
    assert "fill" not in {step.name for step in found.trace}
    assert found.tokens <= 1


def test_disabled_parts_do_not_fill_the_budget() -> None:
    found = ask(HypergraphSettings(fact_retrieval=False, chunk_retrieval=False))
    assert shown(found.facts) == [("ada met babbage", 6.0), ("ada left london", 3.6)]
    assert not found.chunks
