"""The preset ``paper`` retrieves what HyperGraphRAG's equations 14 to 20 say, and nothing else."""

import asyncio
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from polyadic.config import HypergraphSettings
from polyadic.config.presets import PRESETS
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.identity import entity_key, normal_text
from polyadic.model.types import Chunk, Document, Evidence, Knowledge, Participation, Span, Usage
from polyadic.retrieval.methods.hypergraph import HypergraphRAG
from polyadic.retrieval.query_entity_extraction import LinkedNames
from polyadic.storage.protocol import Reader, Vectors
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.paper_equations import ExtractedEntity, ExtractedFact, knowledge_hypergraph

PAPER = HypergraphSettings.model_validate(PRESETS["paper"]["hypergraph"])
NAMES = ("Ada", "Byron", "Engine", "London", "Mill", "Store")
WORDS = ("ada", "met", "byron", "engine", "london", "mill", "store", "wrote", "with", "in")
EVERYTHING = 10**9

Said = tuple[str, float, list[tuple[str, str, float]]]
"""A fact: text, score and entities (name, description, score)."""


def embed(texts: Sequence[str]) -> Vectors:
    return asyncio.run(HashingEmbedder().embed(texts))


class Given:
    """The entities of a question as given, in place of a model."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)

    async def named(self, question: str, reader: Reader) -> LinkedNames:
        return LinkedNames(self._names, "given", Usage())


def read(documents: Sequence[tuple[str, Sequence[Said]]]) -> MemoryReader:
    stored = []
    for number, (text, facts) in enumerate(documents):
        document = Document(f"memory:{number}", "", text)
        evidence = [
            Evidence(said, score, tuple(Participation(n, "", d, s) for n, d, s in names), (Span(0, 1),), "by hand")
            for said, score, names in facts
        ]
        stored.append((document, Chunk(document.id, Span(0, len(text)), text, len(text.split()), 0), evidence))
    return MemoryReader(stored, embed)


def retrieve(question: str, names: Sequence[str], reader: Reader, tokens: int = EVERYTHING) -> Knowledge:
    method = HypergraphRAG(PAPER, Given(names))
    return asyncio.run(method.retrieve(question, reader, HashingEmbedder(), tokens))


def by_the_equations(
    question: str, names: Sequence[str], documents: Sequence[tuple[str, Sequence[Said]]]
) -> tuple[set[tuple[str, frozenset[str]]], set[int]]:
    """The facts, by text and entities, and the places of the chunks that the equations give."""
    facts: dict[str, tuple[tuple[str, frozenset[str]], list[ExtractedFact]]] = {}
    for _, said in documents:
        for text, score, entities in said:
            keyed = [ExtractedEntity(entity_key(n), n, d, s) for n, d, s in entities]
            identity = (normal_text(text), frozenset(one.key for one in keyed))
            facts.setdefault(str(identity), (identity, []))[1].append(
                ExtractedFact(str(identity), normal_text(text), score, keyed)
            )
    chunks = {str(number): [f"\n{text}"] for number, (text, _) in enumerate(documents)}
    graph = knowledge_hypergraph([one for _, some in facts.values() for one in some], chunks, embed)
    h_q, h_vq = embed([question, ", ".join(names)]).astype(np.float64)
    k_h, k_chunk = graph.retrieve(h_q, h_vq if names else None)
    return {facts[key][0] for key in k_h}, {int(key) for key in k_chunk}


def test_the_preset_has_the_numbers_of_the_paper() -> None:
    assert (PAPER.entities, PAPER.facts, PAPER.chunks) == (60, 60, 5)
    assert (PAPER.entity_threshold, PAPER.fact_threshold, PAPER.chunk_threshold) == (50, 5, 0.5)


some_names = st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True)
some_words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
facts = st.tuples(
    some_words,
    st.sampled_from([6.0, 8.0, 10.0]),
    some_names.flatmap(
        lambda names: st.tuples(
            *(
                st.tuples(st.just(n), st.sampled_from(["", "a poet", "a mill"]), st.sampled_from([60.0, 100.0]))
                for n in names
            )
        ).map(list)
    ),
)
documents = st.lists(st.tuples(some_words, st.lists(facts, max_size=6)), min_size=1, max_size=8)


@settings(deadline=None)
@given(documents, some_words, st.lists(st.sampled_from(NAMES), max_size=2, unique=True))
def test_facts_and_chunks_are_those_of_the_equations(
    stored: list[tuple[str, list[Said]]], question: str, names: list[str]
) -> None:
    found = retrieve(question, names, read(stored))
    expected_facts, expected_chunks = by_the_equations(question, names, stored)
    assert {(fact.text, frozenset(map(entity_key, fact.entities))) for fact in found.facts} == expected_facts
    assert {int(chunk.places[0].source.removeprefix("memory:")) for chunk in found.chunks} == expected_chunks
    assert len(found.facts) == len(expected_facts) and len(found.chunks) == len(expected_chunks)


def hub(facts: int) -> list[tuple[str, list[Said]]]:
    entities = [("Ada", "", 100.0), ("Engine", "", 60.0)]
    return [("nothing of it", [(f"ada and number {n}", 6.0, entities) for n in range(facts)])]


def test_an_entity_brings_all_of_its_facts() -> None:
    stored = hub(80)
    found = retrieve("something else", ["Ada"], read(stored))
    assert len(found.facts) == len(by_the_equations("something else", ["Ada"], stored)[0]) == 80


def test_an_entity_is_compared_by_its_most_frequent_description() -> None:
    fact = ("something of it", 6.0)
    described = ["a river", "a river", "a poet"]
    stored = [("", [(*fact, [("Ada", text, 80.0), (f"Mill {n}", "", 5.0)]) for n, text in enumerate(described)])]
    for names, count in (["Ada: a river"], 3), (["Ada: a poet"], 0):
        found = retrieve("nothing else", names, read(stored))
        assert len(found.facts) == len(by_the_equations("nothing else", names, stored)[0]) == count


def test_nothing_is_retrieved_for_an_unrelated_question() -> None:
    stored = hub(3)
    found = retrieve("zebra quantum pastry", ["zebra", "quantum pastry"], read(stored))
    assert found.items == () and found.retrieves
    assert by_the_equations("zebra quantum pastry", ["zebra", "quantum pastry"], stored) == (set(), set())


def test_a_question_without_entities_retrieves_none() -> None:
    found = retrieve("Ada", [], read(hub(3)))
    assert next(step.detail for step in found.trace if step.name == "entities") == "the question names none"
