"""Calls of models as spans, by the conventions for generative AI."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.semconv._incubating.attributes.gen_ai_attributes import GenAiProviderNameValues

from polyadic.config import EmbeddingSettings, Settings
from polyadic.errors import ModelUnavailable, NoReply
from polyadic.llm.call_tracing import ON_THIS_MACHINE, provider
from polyadic.model.types import Document
from polyadic.tracing.exporter import exported
from polyadic.workspace import Workspace
from tests.model_server import CutConnection, Misbehaviour, ModelServer, Refusal, Status, WithoutUsage, ready, says
from tests.support.with_a_model import HASHING, TEXT, settings
from tests.tracing.collector import Collector

QUESTION = "What did Charles Babbage design?"
SAID = "He designed the Analytical Engine."
OF_POLYADIC = "polyadic."
OF_OTHERS = {"server.address", "server.port", "error.type"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace that was filled without a model."""
    with Workspace(tmp_path / "kb", Settings(embedding=HASHING)) as kb:
        kb.add([Document("memory:letters", "", TEXT)])
    return tmp_path / "kb"


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer([says(SAID), *ready()]) as model:
        yield model


def ask(folder: Path, model: ModelServer, by_stream: bool, **more: Any) -> None:
    """Ask a question, and send what is told of it."""
    with exported(pytest.fail), Workspace(folder, settings(model, **more)) as kb:
        if by_stream:
            list(kb.stream(QUESTION, "walk"))
        else:
            kb.query(QUESTION, "walk")


@pytest.mark.parametrize("by_stream", [False, True])
def test_model_call_spans_follow_the_semantic_conventions(
    collector: Collector, folder: Path, model: ModelServer, by_stream: bool
) -> None:
    ask(folder, model, by_stream)
    [call] = model.calls
    chat = collector.wait_for("chat recorded")
    assert chat.kind == "client" and not chat.failed
    assert chat.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "recorded",
        "gen_ai.request.max_tokens": 8000,
        "gen_ai.output.type": "text",
        "gen_ai.response.model": "recorded",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": call.prompt_tokens,
        "gen_ai.usage.output_tokens": call.completion_tokens,
        "server.address": "127.0.0.1",
        "server.port": int(model.url.split(":")[2].split("/")[0]),
        "polyadic.purpose": "answer",
    }
    assert collector.way_to(chat) == ["question", "ask recorded", "chat recorded"]
    question = collector.wait_for("question")
    assert question.attributes["polyadic.method"] == "walk" and question.attributes["polyadic.answered"] is True
    steps = [one.name for one in collector.within(question)]
    assert steps[:3] == ["check the spelling", "read the question", "embed"] and steps[-2:] == [
        "ask recorded",
        "check the citations",
    ]


@pytest.mark.parametrize("by_stream", [False, True])
def test_tokens_are_counted_locally_if_the_endpoint_reports_none(
    collector: Collector, folder: Path, model: ModelServer, by_stream: bool
) -> None:
    model.misbehave(WithoutUsage(), times=None)
    ask(folder, model, by_stream)
    attributes = collector.wait_for("chat recorded").attributes
    assert attributes["gen_ai.usage.input_tokens"] == model.calls[0].prompt_tokens
    assert attributes["gen_ai.usage.output_tokens"] == model.calls[0].completion_tokens


@pytest.mark.parametrize("by_stream", [False, True])
@pytest.mark.parametrize(
    ("misbehaviour", "error"),
    [(Status(500), "500"), (Status(401), "401"), (Status(429), "429"), (CutConnection(), "APIConnectionError")],
)
def test_failed_call_span_has_the_error_type(
    collector: Collector, folder: Path, model: ModelServer, misbehaviour: Misbehaviour, error: str, by_stream: bool
) -> None:
    model.misbehave(misbehaviour, times=None)
    with pytest.raises((ModelUnavailable, NoReply)):
        ask(folder, model, by_stream)
    chat, question = collector.wait_for("chat recorded"), collector.wait_for("question")
    for one in (chat, question):
        assert one.failed and one.attributes["error.type"] == error
        assert (one.status_message, one.events) == ("", 0)
    # Of a stream that breaks off some has come, and was paid for.
    assert ("gen_ai.usage.input_tokens" in chat.attributes) is (by_stream and not error.isdecimal())
    assert collector.way_to(chat) == ["question", "unfinished", "chat recorded"]


def test_unusable_reply_span_succeeds_and_the_question_span_fails(
    collector: Collector, folder: Path, model: ModelServer
) -> None:
    model.misbehave(Refusal(), times=None)
    with pytest.raises(NoReply):
        ask(folder, model, by_stream=False)
    assert collector.wait_for("chat recorded").attributes["gen_ai.usage.input_tokens"] == model.calls[0].prompt_tokens
    assert collector.wait_for("question").attributes["error.type"] == "NoReply"


def test_embedding_span_is_within_its_step(collector: Collector, tmp_path: Path, model: ModelServer) -> None:
    [named, *_] = model.embedding_models
    embedding = EmbeddingSettings(model="endpoint", name=named, base_url=model.url, key_variable="")
    document = Document("memory:letters", "", TEXT)
    with exported(pytest.fail), Workspace(tmp_path / "kb", Settings(embedding=embedding)) as kb:
        kb.add([document])
        kb.retrieve(QUESTION, "chunks")
    name = f"embeddings {embedding.name}"
    ways = [collector.way_to(one) for one in collector.spans if one.name == name]
    assert ["question", "embed", name] in ways and ["index", "batch", "embed", name] in ways
    call = next(one for one in collector.spans if one.name == name)
    assert call.kind == "client"
    assert call.attributes["gen_ai.operation.name"] == "embeddings"
    assert call.attributes["gen_ai.request.model"] == call.attributes["gen_ai.response.model"] == embedding.name
    assert call.attributes["gen_ai.usage.input_tokens"] == model.embeddings.calls[0].prompt_tokens
    assert call.attributes["polyadic.texts"] == len(model.embeddings.calls[0].asked.inputs)


def test_indexing_steps_have_spans(collector: Collector, tmp_path: Path) -> None:
    with (
        ModelServer([*ready()]) as model,
        exported(pytest.fail),
        Workspace(tmp_path / "kb", settings(model)) as kb,
    ):
        kb.add([Document("memory:letters", "", TEXT)])
    index = collector.wait_for("index")
    (batch,) = collector.within(index)
    steps = [one.name for one in collector.within(batch)]
    assert batch.name == "batch"
    assert steps == ["read documents", "chunk", "extract", "aggregate", "embed", "publish"]
    assert index.attributes == {
        "polyadic.added": 1,
        "polyadic.changed": 0,
        "polyadic.unchanged": 0,
        "polyadic.chunks": 1,
        "polyadic.chunks_failed": 0,
    }
    chat = collector.wait_for("chat recorded")
    assert collector.way_to(chat) == ["index", "batch", "extract", "chat recorded"]
    assert (chat.attributes["polyadic.purpose"], chat.attributes["gen_ai.output.type"]) == ("extract", "json")


@pytest.mark.weights
def test_local_model_is_traced(collector: Collector, tmp_path: Path) -> None:
    with exported(pytest.fail), Workspace(tmp_path / "kb", Settings()) as kb:
        kb.add([Document("memory:letters", "", TEXT)])
    call = collector.wait_for("embeddings all-MiniLM-L6-v2-int8")
    assert (call.kind, call.attributes["gen_ai.provider.name"]) == ("internal", ON_THIS_MACHINE)
    assert call.attributes["gen_ai.embeddings.dimension.count"] == 384


def test_span_names_follow_the_conventions(collector: Collector, folder: Path, model: ModelServer) -> None:
    ask(folder, model, by_stream=False)
    known = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_")}
    used = {name for one in collector.spans for name in one.attributes if not name.startswith(OF_POLYADIC)}
    assert used <= known | OF_OTHERS


@pytest.mark.parametrize(
    "host",
    ["localhost", "api.openai.com", "api.anthropic.com", "api.deepseek.com", "api.groq.com", "api.mistral.ai"],
)
def test_provider_names_follow_the_conventions(host: str) -> None:
    known = {one.value for one in GenAiProviderNameValues}
    assert provider(host, azure=False) in known and provider(host, azure=True) in known


@pytest.mark.parametrize("by_stream", [False, True])
def test_spans_contain_no_content_and_no_keys(
    collector: Collector, folder: Path, monkeypatch: pytest.MonkeyPatch, by_stream: bool
) -> None:
    monkeypatch.setenv("KEY_OF_A_TEST", "sk-of-a-test")
    with ModelServer([says(SAID), *ready()], key="sk-of-a-test") as model:
        ask(folder, model, by_stream, key_variable="KEY_OF_A_TEST")
        model.misbehave(Status(400), times=None)
        with pytest.raises(NoReply):
            ask(folder, model, by_stream, key_variable="KEY_OF_A_TEST")
    sent = b"".join(collector.bodies)
    assert sent.count(b"chat recorded") == 2
    for secret in (QUESTION, SAID, "Babbage", "Analytical", "Menabrea", "sk-of-a-test", str(folder)):
        assert secret.encode() not in sent, secret
