"""The embedding model behind an endpoint, over real HTTP."""

import asyncio
import gc
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyadic.config import EmbeddingSettings, Settings
from polyadic.embeddings.endpoint_embedder import EndpointEmbedder
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.embeddings.loading import load_embedder
from polyadic.errors import EmbedderMismatch, ModelUnavailable, SettingsError
from polyadic.model.types import Document, Usage
from polyadic.workspace import Workspace
from tests.llm.endpoint_help import KEY, VARIABLE, Sends, embedding_settings
from tests.model_server import Late, Misbehaviour, ModelServer, Never, NotJson, Status


@pytest.fixture(scope="module")
def shared() -> Iterator[ModelServer]:
    with ModelServer(key=KEY, dimension=64) as running:
        yield running


@pytest.fixture
def server(shared: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    shared.reset()
    shared.dimension = 64
    monkeypatch.setenv(VARIABLE, KEY)
    return shared


def embedder_of(server: ModelServer, **values: Any) -> EndpointEmbedder:
    settings = embedding_settings(server, **values)
    return EndpointEmbedder(settings.name, settings)


def embed(embedder: EndpointEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
    async def embedded() -> NDArray[np.float32]:
        try:
            return await embedder.embed(texts)
        finally:
            await embedder.close()

    return asyncio.run(embedded())


def sends(vectors: Sequence[object], **item: object) -> Sends:
    data = [{"index": i, "embedding": vector, **item} for i, vector in enumerate(vectors)]
    return Sends(json.dumps({"data": data}))


def test_texts_keep_their_vectors_over_many_calls(server: ModelServer) -> None:
    # The first call is the last to come back.
    server.misbehave(Late(0.1), route="embeddings")
    texts = [f"word{number}" for number in range(300)]
    embedder = embedder_of(server)
    assert embedder.dimension == 0
    vectors = embed(embedder, texts)
    assert vectors.shape == (300, 64) and vectors.dtype == np.float32 and embedder.dimension == 64
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(vectors, asyncio.run(HashingEmbedder(64).embed(texts)), atol=1e-5)
    assert sorted(len(call.asked.inputs) for call in server.embeddings.calls) == [44, 128, 128]


def test_empty_input_makes_no_call(server: ModelServer) -> None:
    embedder = embedder_of(server)
    assert embed(embedder, []).shape == (0, 0)
    embed(embedder, ["Ada"])
    assert embed(embedder, []).shape == (0, 64)
    assert len(server.embeddings.calls) == 1


def test_texts_that_endpoints_refuse_are_replaced(server: ModelServer) -> None:
    embedder = embedder_of(server, window=32)
    vectors = embed(embedder, ["", " \n", "Ada \udc80", "<|endoftext|>", "word " * 1000, "word " * 32])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    blank, *_ = sent = server.embeddings.calls[0].asked.inputs
    assert (blank, sent[1], sent[2]) == (" ", " ", "Ada ?")
    assert embedder.token_counts([sent[4]]) == [32] and sent[4] == ("word " * 32).strip()
    assert embedder.token_counts(["Ada Lovelace", ""]) == [4, 0]


def test_zero_vector_is_replaced(server: ModelServer) -> None:
    server.misbehave(sends([[0, 0, 0], [3, 0, 4]]), route="embeddings")
    assert embed(embedder_of(server), ["a", "b"]).tolist() == pytest.approx(np.array([[1, 0, 0], [0.6, 0, 0.8]]))


def test_vectors_are_reordered_by_index(server: ModelServer) -> None:
    data = [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]
    server.misbehave(Sends(json.dumps({"data": data})), route="embeddings")
    assert embed(embedder_of(server), ["a", "b"]).tolist() == [[1, 0], [0, 1]]
    server.misbehave(sends([[1, 0], [0, 1]], index=0), route="embeddings")
    assert embed(embedder_of(server), ["a", "b"]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("vectors", "what"),
    [
        ([[1, 0]], "1 for 2 texts"),
        ([[1, 0], [0, 1], [1, 1], [1, 2]], "4 for 2 texts"),
        ([[1, 0], [0, 1, 2]], ""),
        ([[], []], "not lists of numbers"),
        ([1, 2], "not lists of numbers"),
        ([[1, None], [0, 1]], "not lists of numbers"),
        ([[1e300, 1], [0, 1]], "not lists of numbers"),
        (["abc", "def"], ""),
        ([{"a": 1}, {"a": 2}], ""),
        ([None, None], "not lists of numbers"),
    ],
)
def test_invalid_vectors_are_refused(server: ModelServer, vectors: list[object], what: str) -> None:
    server.misbehave(sends(vectors), route="embeddings")
    embedder = embedder_of(server)
    with pytest.raises(ModelUnavailable) as raised:
        embed(embedder, ["a", "b"])
    assert what in raised.value.what and "\n" not in str(raised.value)
    assert "sent something that is not vectors" in raised.value.what and "[embedding]" in raised.value.next_step
    assert embedder.dimension == 0 and embed(embedder, ["a"]).shape == (1, 64)


def test_vectors_of_changed_dimension_are_refused(server: ModelServer) -> None:
    embedder = embedder_of(server)
    embed(embedder, ["a"])
    server.dimension = 32
    with pytest.raises(ModelUnavailable, match="32 numbers, expected 64"):
        embed(embedder, ["b"])


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (Status(401, message=f"Not {KEY}"), "refuses the key in A_TEST_KEY"),
        (Status(404), "there is no model endpoint"),
        (Status(429), "too many calls"),
        (Status(500, message=f"Not {KEY}"), "answers 500 (Not ***)"),
        (Status(400, message="This model's maximum context length is 512 tokens"), "lower window under [embedding]"),
        (NotJson(404), "there is no model endpoint"),
        (NotJson(200), "not vectors"),
        (Sends(""), "sent something"),
        (Sends("{"), "sent something"),
        (Sends(b"\xff"), "sent something"),
        (Sends("[" * 100_000), "sent something"),
        (Sends('{"data": []}'), "not vectors"),
        (Sends('{"error": "no"}'), "not vectors"),
        (Never(), "no reply within 0.5 s"),
    ],
)
def test_errors_are_explained(server: ModelServer, kind: Misbehaviour, what: str) -> None:
    server.misbehave(kind, route="embeddings")
    with pytest.raises(ModelUnavailable) as raised:
        embed(embedder_of(server, timeout=0.5 if isinstance(kind, Never) else 30.0), ["Ada"])
    said = str(raised.value)
    assert what in said and "\n" not in said and KEY not in said and raised.value.next_step


def test_unknown_model_and_unreachable_endpoint_are_reported(server: ModelServer) -> None:
    with pytest.raises(ModelUnavailable, match="has no model absent"):
        embed(embedder_of(server, name="absent"), ["Ada"])
    with pytest.raises(ModelUnavailable, match=r"cannot be reached.*base_url under \[embedding\]"):
        embed(embedder_of(server, base_url="http://no-such-host.invalid/v1"), ["Ada"])


def test_missing_key_and_missing_name_are_reported(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(ModelUnavailable, match=f"{VARIABLE} is not set"):
        embed(embedder_of(server), ["Ada"])
    with pytest.raises(SettingsError, match="name is empty"):
        load_embedder(EmbeddingSettings(model="endpoint"))


def test_failed_call_cancels_remaining_calls(server: ModelServer) -> None:
    server.misbehave(Status(401), route="embeddings")
    with pytest.raises(ModelUnavailable):
        embed(embedder_of(server, at_once=1), ["Ada"] * 128 * 20)
    assert len(server.embeddings.asked) <= 2


def test_transient_errors_are_retried(server: ModelServer) -> None:
    server.misbehave(Status(429, retry_after=0.05), route="embeddings")
    assert embed(embedder_of(server, retries=1), ["Ada"]).shape == (1, 64)


def test_concurrent_calls_are_limited(server: ModelServer) -> None:
    # The first two so late that a slow machine has sent both meanwhile.
    server.misbehave(Late(0.3), times=2, route="embeddings")
    server.misbehave(Late(0.03), times=None, route="embeddings")
    embed(embedder_of(server, at_once=2, tokens_per_minute=100_000), ["Ada"] * 128 * 6)
    assert server.embeddings.most_at_once == 2


# what it costs


def test_usage_is_summed(server: ModelServer) -> None:
    embedder = embedder_of(server, prompt_price=0.02)
    assert embedder.spent == Usage()
    embed(embedder, [f"word{number}" for number in range(200)])
    tokens = sum(call.prompt_tokens for call in server.embeddings.calls)
    assert (embedder.spent.calls, embedder.spent.prompt_tokens, embedder.spent.completion_tokens) == (2, tokens, 0)
    assert embedder.spent.money == pytest.approx(tokens * 0.02 / 1e6)
    assert embedder.cost(200, tokens) == embedder.spent and len(server.embeddings.calls) == 2
    server.misbehave(Status(500), route="embeddings")
    with pytest.raises(ModelUnavailable):
        embed(embedder, ["Ada"])
    assert embedder.spent.calls == 2


def test_tokens_are_counted_locally_if_the_endpoint_reports_none(server: ModelServer) -> None:
    server.misbehave(sends([[1, 0], [0, 1]]), route="embeddings")
    embedder = embedder_of(server)
    embed(embedder, ["Ada Lovelace", "Ada Lovelace"])
    assert embedder.spent == Usage(1, 8, 0, 0.0)


def test_unusable_vectors_count_as_usage(server: ModelServer) -> None:
    server.misbehave(sends([[1, 0]]), route="embeddings")
    embedder = embedder_of(server)
    with pytest.raises(ModelUnavailable):
        embed(embedder, ["Ada", "Ada"])
    assert embedder.spent.calls == 1


# how much at once


def sizes(server: ModelServer) -> list[int]:
    return [len(asked.inputs) for asked in server.embeddings.asked]


@pytest.mark.parametrize(
    "refusal",
    [
        Status(422, message="batch size 128 > maximum allowed batch size 40"),
        Status(413, message="Payload Too Large"),
        Status(400, message="batch size is invalid, it should not be larger than 40"),
    ],
    ids=["422", "413", "400"],
)
def test_batch_size_adapts_to_the_endpoint(server: ModelServer, refusal: Status) -> None:
    server.misbehave(refusal, times=None, route="embeddings", when=lambda asked: len(asked.inputs) > 40)
    texts = [f"word{number}" for number in range(130)]
    embedder = embedder_of(server, at_once=1)
    vectors = embed(embedder, texts)
    assert np.allclose(vectors, asyncio.run(HashingEmbedder(64).embed(texts)), atol=1e-5)
    assert embedder.spent.calls == 5 and sorted(sizes(server)) == [2, 32, 32, 32, 32, 64, 64, 128]
    before = len(sizes(server))
    embed(embedder, texts)
    # It is cached.
    assert sorted(sizes(server)[before:]) == [2, 32, 32, 32, 32]


def test_refused_text_is_reported_with_few_calls(server: ModelServer) -> None:
    too_long = Status(400, message="maximum context length is 8 tokens")
    server.misbehave(too_long, times=None, route="embeddings", when=lambda asked: "Ada" in asked.inputs)
    embedder = embedder_of(server)
    with pytest.raises(ModelUnavailable, match="lower window"):
        embed(embedder, ["Ada", *["Babbage"] * 127])
    assert sizes(server) == [128, 64, 32, 16, 8, 4, 2, 1]
    embed(embedder, ["Babbage"] * 128)
    # The endpoint does take so many: it was the text.
    assert sizes(server)[-1] == 128


@pytest.mark.slow
def test_batches_respect_the_token_limit(server: ModelServer) -> None:
    texts = ["word " * 20_000] * 30
    embed(embedder_of(server, window=20_000, timeout=20), texts)
    assert sorted(sizes(server)) == [6, 12, 12]


@pytest.mark.slow
def test_azure_endpoint_works_and_connections_are_closed(server: ModelServer) -> None:
    embedder = embedder_of(server, base_url=server.azure_url, azure_api_version="2024-10-21")
    assert asyncio.run(embedder.embed(["Ada"])).shape == (1, 64)
    assert server.embeddings.asked[0].headers["api-key"] == KEY
    del embedder
    gc.collect()


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workspace that was filled with vectors of 256 numbers, opened with a model of the same name and 384."""
    monkeypatch.setenv(VARIABLE, KEY)
    with ModelServer(dimension=256) as server:
        with Workspace(tmp_path, Settings(embedding=embedding_settings(server))) as kb:
            kb.add([Document("memory:ada", "", "Ada Lovelace met Charles Babbage in London.")])
            assert kb.retrieve("Who met Charles Babbage?").items
        server.dimension = 384
        with Workspace(tmp_path, Settings(embedding=embedding_settings(server))) as kb:
            yield kb


def is_told(mismatch: pytest.ExceptionInfo[EmbedderMismatch]) -> bool:
    said = str(mismatch.value)
    return "\n" not in said and "384" in said and "256" in said and "[embedding]" in mismatch.value.next_step


def test_store_refuses_vectors_of_another_dimension(large: Workspace) -> None:
    with pytest.raises(EmbedderMismatch) as raised:
        large.add([Document("memory:grace", "", "Grace Hopper wrote a compiler in Philadelphia.")])
    assert is_told(raised)


def test_query_vector_of_another_dimension_is_refused(large: Workspace) -> None:
    with pytest.raises(EmbedderMismatch) as raised:
        large.retrieve("Who met Charles Babbage?")
    assert is_told(raised)
