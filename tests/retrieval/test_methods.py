"""Every method on a small store."""

import asyncio
import random
from itertools import cycle, product

import pytest

from polyadic.config import METHODS, HypergraphSettings, Settings, WalkSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.errors import SettingsError
from polyadic.model.types import ItemKind, Knowledge
from polyadic.retrieval.query_entity_extraction import StoreEntityFinder
from polyadic.retrieval.registry import method_named
from tests.model_server import ModelServer
from tests.retrieval.conftest import WRITTEN, read_from_memory, solver_at, written
from tests.retrieval.memory_reader import MemoryReader

QUESTION = "Where did the father of Ada Lovelace die?"
DEFAULTS = Settings()


def ask(
    method: str,
    reader: MemoryReader,
    question: str = QUESTION,
    tokens: int = 4000,
    settings: Settings | None = None,
    server: ModelServer | None = None,
) -> Knowledge:
    chosen = method_named(method, settings or DEFAULTS, solver=solver_at(server) if server else None)
    return asyncio.run(chosen.retrieve(question, reader, HashingEmbedder(), tokens))


@pytest.mark.parametrize("method", METHODS)
def test_knowledge_fits_the_budget_for_any_question(method: str, reader: MemoryReader, solving: ModelServer) -> None:
    budgets, others = (1, 40, 4000), ("who?", "", "谁?", "Mercury", "1843 1824", "?" * 500)
    for question, tokens in [*product([QUESTION], budgets), *zip(others, cycle(budgets[1:]), strict=False)]:
        found = ask(method, reader, question, tokens, server=solving)
        assert found.tokens == sum(item.tokens for item in found.items) <= tokens
        assert len({(item.kind, item.id) for item in found.items}) == len(found.items)
        assert all(item.why for item in found.items)
        assert all(item.places for item in found.items)
        assert all(place.quote for item in found.items for place in item.places)


@pytest.mark.parametrize("method", METHODS)
def test_empty_store_gives_no_knowledge(method: str, solving: ModelServer) -> None:
    assert ask(method, read_from_memory([]), server=solving).items == ()


@pytest.mark.parametrize("method", METHODS)
def test_retrieval_does_not_depend_on_document_order(method: str, reader: MemoryReader, solving: ModelServer) -> None:
    order = list(range(len(WRITTEN)))
    random.Random(7).shuffle(order)
    shuffled, found = (ask(method, store, server=solving) for store in (read_from_memory(written(order)), reader))
    assert [(item.kind, item.id) for item in shuffled.items] == [(item.kind, item.id) for item in found.items]


def test_walk_reaches_entities_that_the_question_does_not_name(reader: MemoryReader) -> None:
    found = ask("walk", reader)
    assert found.documents[0] == "memory:Ada Lovelace"
    died = next(item for item in found.facts if "Missolonghi" in item.text)
    assert died.why == "reached through Lord Byron"
    assert found.items[0].why == "about Ada Lovelace, which the question names"


def test_facts_come_before_the_passages_that_state_them(reader: MemoryReader) -> None:
    found = ask("walk", reader)
    firsts = [item.places[0].source for item in found.items if item.kind is ItemKind.FACT]
    passages = [item.places[0].source for item in found.chunks]
    assert [source for source in found.documents if source in passages] == list(found.documents)
    assert list(dict.fromkeys(firsts))[:3] == list(found.documents[:3])


def test_a_passage_without_facts_can_be_found(reader: MemoryReader) -> None:
    found = ask("walk", reader, "What is bread made of?")
    assert "memory:untitled" in found.documents[:2]


def test_the_second_walk_can_be_left_out(reader: MemoryReader) -> None:
    once = ask("walk", reader, settings=Settings(walk=WalkSettings(second_walk=False)))
    assert "second walk" not in [step.name for step in once.trace]
    assert "second walk" in [step.name for step in ask("walk", reader).trace]


@pytest.mark.parametrize("method", ["chunks", "hypergraph", "walk"])
def test_embedding_is_a_step_of_its_own(method: str, reader: MemoryReader) -> None:
    assert "embed" in [step.name for step in ask(method, reader).trace]


def test_hypergraph_says_when_thresholds_leave_nothing(reader: MemoryReader) -> None:
    strict = HypergraphSettings(entity_threshold=1e6, fact_threshold=1e6, chunk_threshold=1e6)
    found = ask("hypergraph", reader, settings=Settings(hypergraph=strict))
    details = {step.name: step.detail for step in found.trace}
    assert found.items
    assert details["entities"].startswith("none above 1e+06, so the first")


@pytest.mark.parametrize(
    ("off", "kinds"),
    [
        ({"chunk_retrieval": False}, {ItemKind.FACT}),
        ({"entity_retrieval": False, "fact_retrieval": False}, {ItemKind.CHUNK}),
        ({"entity_retrieval": False}, {ItemKind.FACT, ItemKind.CHUNK}),
        ({"fact_retrieval": False}, {ItemKind.FACT, ItemKind.CHUNK}),
        ({"entity_retrieval": False, "fact_retrieval": False, "chunk_retrieval": False}, set()),
    ],
)
def test_hypergraph_ablations(off: dict[str, bool], kinds: set[ItemKind], reader: MemoryReader) -> None:
    found = ask("hypergraph", reader, settings=Settings(hypergraph=HypergraphSettings.model_validate(off)))
    assert {item.kind for item in found.items} == kinds


def test_unknown_question_entities_are_handled(reader: MemoryReader) -> None:
    found = asyncio.run(StoreEntityFinder().named("Did Ada Lovelace meet Mary Shelley in Geneva?", reader))
    assert found.names == ("Ada Lovelace", "Mary Shelley", "Geneva")


def test_disabled_parts_are_reported(reader: MemoryReader) -> None:
    off = HypergraphSettings(entity_retrieval=False, fact_retrieval=False, chunk_retrieval=False)
    details = {s.name: s.detail for s in ask("hypergraph", reader, settings=Settings(hypergraph=off)).trace}
    assert [details[name] for name in ("entities", "facts", "passages")] == ["switched off"] * 3


def test_auto_ranks_passages_by_words_vectors_and_walk(reader: MemoryReader) -> None:
    found = ask("auto", reader)
    assert found.method == "auto" and found.items
    assert any(step.name == "rank" and "words, vectors and walk" in step.detail for step in found.trace)


def test_auto_finds_passages_without_facts() -> None:
    assert ask("auto", read_from_memory(written())).method == "auto"


def test_unknown_method_lists_the_existing_ones() -> None:
    with pytest.raises(SettingsError) as refused:
        method_named("magic", Settings())
    assert all(method in str(refused.value) for method in METHODS)
