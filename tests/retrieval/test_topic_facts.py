"""A question about a broad topic retrieves the facts about it before passages; a narrow one does not."""

import asyncio

import pytest

from polyadic.config import Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.types import Chunk, Document, Evidence, ItemKind, Knowledge, Participation, Span
from polyadic.retrieval.registry import method_named
from polyadic.retrieval.topic_facts import find_topic
from tests.retrieval.conftest import read_from_memory
from tests.retrieval.memory_reader import MemoryReader

QUESTION = "How did lighthouses develop?"


def towns(with_a_lighthouse: int) -> MemoryReader:
    """Read a document per town, some with a fact about lighthouses, all with facts about much else."""
    documents = []
    for place in range(20):
        other = f"Ships of number {place} came to the harbour of town {place}."
        first = f"Lighthouses of town {place} got a lamp." if place < with_a_lighthouse else f"Town {place} has a well."
        text = f"{first} {other} {'It rained on the roofs, and the bread was dear. ' * 20}"
        document = Document(f"memory:{place}", "", text)
        starts = [text.index(fact) for fact in (first, other)]
        participants = (Participation(f"town {place}", "", score=80.0), Participation("sea", "", score=20.0))
        evidence = [
            Evidence(fact, 8.0, participants, (Span(start, start + len(fact)),), "by hand")
            for fact, start in zip((first, other), starts, strict=True)
        ]
        documents.append((document, Chunk(document.id, Span(0, len(text)), text, 240, 0), evidence))
    return read_from_memory(documents)


def ask(question: str, reader: MemoryReader, tokens: int = 500) -> Knowledge:
    return asyncio.run(method_named("auto", Settings()).retrieve(question, reader, HashingEmbedder(), tokens))


def about(knowledge: Knowledge) -> list[str]:
    return [item.text for item in knowledge.items if item.why == "about the topic of the question"]


def test_facts_about_a_broad_topic_come_first() -> None:
    found = ask(QUESTION, towns(6))
    assert {f"Lighthouses of town {place} got a lamp." for place in range(6)} <= set(about(found)[:6])
    assert found.items[0].text in about(found)
    assert any(item.kind is ItemKind.CHUNK for item in found.items)
    (step,) = [step for step in found.trace if step.name == "topic"]
    assert step.detail.endswith("facts first; about the topic are facts of 6 documents and 6 passages")


def test_topic_of_few_documents_is_retrieved_as_any_other() -> None:
    assert about(ask(QUESTION, towns(3))) == []
    assert about(ask(QUESTION, towns(0))) == []
    assert about(ask("Where did lighthouses get a lamp?", towns(6))) == []


@pytest.mark.parametrize("tokens", [0, 100, 1000])
def test_facts_take_half_of_the_budget(tokens: int) -> None:
    found = asyncio.run(find_topic("lighthouses", towns(6), HashingEmbedder(), tokens))
    assert found is not None and sum(row.tokens for row in found.facts) <= tokens / 2


def test_empty_store_has_no_topic() -> None:
    assert asyncio.run(find_topic("lighthouses", read_from_memory([]), HashingEmbedder(), 1000)) is None
