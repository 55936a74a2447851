"""V_q, the entities of a question, as a language model names them or as the store knows them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, HypergraphSettings, ModelSettings, Settings
from polyadic.errors import ModelUnavailable
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Document, Usage
from polyadic.retrieval.query_entity_extraction import LinkedNames, LLMEntityFinder, StoreEntityFinder
from polyadic.workspace import Workspace
from tests.model_server import EmptyText, ModelServer, Prose, Replaced, Status, ready
from tests.retrieval.memory_reader import MemoryReader

QUESTION = "When did Ada Lovelace meet Charles Babbage?"
BY_NAMES = ("Ada Lovelace", "Charles Babbage")


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


def settings(server: ModelServer) -> ModelSettings:
    return ModelSettings(name="recorded", base_url=server.url, key_variable="", retries=0)


def named(server: ModelServer, reader: MemoryReader) -> LinkedNames:
    return asyncio.run(LLMEntityFinder(EndpointModel(settings(server)), PromptLibrary()).named(QUESTION, reader))


def test_model_extracts_question_entities(server: ModelServer, reader: MemoryReader) -> None:
    server.reset()
    found = named(server, reader)
    assert (found.names, found.how) == (BY_NAMES, "recorded names")
    assert found.usage == Usage(1, server.calls[0].prompt_tokens, server.calls[0].completion_tokens)
    assert server.asked[0].schema is not None


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ('{"entities": ["Ada", "Ada", " ", "meeting"]}', ("Ada", "meeting")),
        ('```json\n{"entities": ["Ada"]}\n```', ("Ada",)),
        ('{"entities": ["Ada",', ("Ada",)),
        ('["Ada", {"name": "Byron", "type": "person"}, 5]', ("Ada", "Byron")),
        ('<think>{"entities": ["no"]}</think>{"entities": ["Ada"]}', ("Ada",)),
        ('{"entities": []}', ()),
        ('{"entities": [' + ", ".join(f'"name {i}"' for i in range(99)) + "]}", tuple(f"name {i}" for i in range(20))),
    ],
)
def test_readable_replies_are_parsed(
    server: ModelServer, reader: MemoryReader, reply: str, names: tuple[str, ...]
) -> None:
    server.misbehave(Replaced(reply))
    assert named(server, reader).names == names


@pytest.mark.parametrize("reply", ["It is about Ada.", '{"names": ["Ada"]}', '{"entities": "Ada"}', "42"])
def test_unreadable_reply_is_reported_and_paid(server: ModelServer, reader: MemoryReader, reply: str) -> None:
    server.misbehave(Replaced(reply))
    found = named(server, reader)
    assert (found.names, found.how) == (BY_NAMES, "recorded gave no readable names; names")
    assert found.usage.calls == 1


def test_missing_reply_falls_back_to_rules(server: ModelServer, reader: MemoryReader) -> None:
    server.misbehave(EmptyText())
    assert named(server, reader).names == BY_NAMES
    server.misbehave(Status(401))
    with pytest.raises(ModelUnavailable):
        named(server, reader)


def test_rules_extract_question_entities_without_a_model(reader: MemoryReader) -> None:
    found = asyncio.run(StoreEntityFinder().named("When did Ada Lovelace meet Grace Hopper?", reader))
    assert found == LinkedNames(("Ada Lovelace", "Grace Hopper"), "names", Usage())


def test_hypergraph_method_uses_the_extracted_entities(server: ModelServer, tmp_path: Path) -> None:
    chosen = Settings(
        embedding=EmbeddingSettings(model="hashing"),
        model=settings(server),
        hypergraph=HypergraphSettings(question_entities="model"),
    )
    with Workspace(tmp_path, chosen) as kb:
        kb.add(
            [Document("memory:ada", "", "Ada Lovelace met Charles Babbage in London in 1833.")], extractor="sentences"
        )
        server.reset()
        knowledge = kb.retrieve(QUESTION, "hypergraph")
        assert knowledge.trace[1].detail == "recorded names Ada Lovelace, Charles Babbage"
        assert knowledge.usage == Usage(1, server.prompt_tokens, server.completion_tokens)
        server.misbehave(Prose(), when=lambda asked: asked.schema is not None)
        server.misbehave(Replaced("nothing"), when=lambda asked: asked.schema is not None)
        assert kb.retrieve(QUESTION, "hypergraph").trace[1].detail.startswith("recorded names Ada")
        fallen_back = kb.retrieve(QUESTION, "hypergraph")
        assert fallen_back.trace[1].detail.startswith("recorded gave no readable names; names Ada Lovelace")
        assert fallen_back.usage.calls == 1
        server.reset()
        assert kb.retrieve(QUESTION, "walk").usage == Usage()
        assert not server.asked
