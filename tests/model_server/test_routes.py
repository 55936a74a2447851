"""Each route, seen by the official client."""

import base64

import numpy as np
import openai
import pytest

from tests.model_server import ModelServer, says
from tests.model_server.client import ask, client, text_of


def test_chat_replies_and_counts_tokens() -> None:
    with ModelServer([says("Hello there.")]) as server, client(server) as opened:
        reply = ask(opened, "Hi")
    assert (text_of(reply), reply.choices[0].finish_reason) == ("Hello there.", "stop")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.total_tokens) == (8, 3, 11)
    (call,) = server.calls
    assert (call.status, call.text, call.prompt_tokens, call.completion_tokens) == (200, "Hello there.", 8, 3)
    assert (server.prompt_tokens, server.completion_tokens, server.most_at_once) == (8, 3, 1)
    assert call.asked.messages[0].text == "Hi" and call.asked.headers["authorization"] == "Bearer sk-test"


def test_stream_has_pieces_and_ends_with_usage() -> None:
    text = "Ada Lovelace wrote the first program, " * 5
    with ModelServer([says(text)]) as server, client(server) as opened:
        chunks = list(ask(opened, stream=True, stream_options={"include_usage": True}))
        without = list(ask(opened, stream=True))
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == text
    assert len(chunks) > 10
    assert chunks[-1].usage.completion_tokens == server.calls[0].completion_tokens
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert all(c.usage is None for c in without)


def test_max_tokens_truncates_the_reply() -> None:
    with ModelServer([says("one two three four five")]) as server, client(server) as opened:
        old, new = ask(opened, max_tokens=2), ask(opened, max_completion_tokens=3)
    assert (text_of(old), old.choices[0].finish_reason, old.usage.completion_tokens) == ("one two", "length", 2)
    assert text_of(new) == "one two three"


def test_models_are_listed_and_described() -> None:
    with ModelServer(models=("small", "org/large")) as server, client(server) as opened:
        assert [model.id for model in opened.models.list()] == ["small", "org/large", "hashing"]
        assert opened.models.retrieve("small").id == "small"
        with pytest.raises(openai.NotFoundError, match="does not exist"):
            opened.models.retrieve("absent")


def test_embeddings_in_both_encodings() -> None:
    texts = ["Ada wrote a program", "Ada wrote a program!", "Rain"]
    with ModelServer(dimension=64) as server, client(server) as opened:
        plain = opened.embeddings.create(model="hashing", input=texts, encoding_format="float")
        packed = opened.embeddings.create(model="hashing", input=texts, encoding_format="base64")
        shorter = opened.embeddings.create(model="hashing", input="Ada", dimensions=32)
        server.honours_dimensions = False
        as_ever = opened.embeddings.create(model="hashing", input="Ada", dimensions=32)
        with pytest.raises(openai.BadRequestError):
            opened.embeddings.create(model="hashing", input=["Ada", ""])
    vectors = np.array([row.embedding for row in plain.data])
    assert vectors.shape == (3, 64)
    assert vectors[0] @ vectors[1] > 0.99 > vectors[0] @ vectors[2]
    unpacked = [np.frombuffer(base64.b64decode(str(row.embedding)), "<f4") for row in packed.data]
    assert np.allclose(unpacked, vectors)
    assert (len(shorter.data[0].embedding), len(as_ever.data[0].embedding)) == (32, 64)
    assert plain.usage.prompt_tokens == server.embeddings.calls[0].prompt_tokens > 0
    assert server.calls == []


def test_azure_paths_and_keys_are_supported() -> None:
    with (
        ModelServer([says("Hello.")], key="secret") as server,
        openai.AzureOpenAI(
            azure_endpoint=server.azure_url, api_key="secret", api_version="2024-10-21", max_retries=0
        ) as opened,
    ):
        assert text_of(ask(opened)) == "Hello."
        assert opened.embeddings.create(model="hashing", input="Ada").data[0].embedding
        with pytest.raises(openai.NotFoundError):
            ask(opened, model="absent")
        with pytest.raises(openai.AuthenticationError):
            ask(opened.with_options(api_key="other"))
    assert server.calls[0].asked.headers["api-key"] == "secret"


def test_wrong_keys_and_unknown_models_are_refused() -> None:
    with ModelServer([says("Hello.")], key="sk-test") as server:
        with client(server) as opened:
            assert text_of(ask(opened)) == "Hello."
            with pytest.raises(openai.NotFoundError) as unknown:
                ask(opened, model="absent")
        with client(server, key="sk-other") as opened, pytest.raises(openai.AuthenticationError) as wrong:
            ask(opened)
        with client(server, key="sk-other") as opened, pytest.raises(openai.AuthenticationError):
            opened.models.list()
    assert unknown.value.code == "model_not_found"
    assert (wrong.value.code, wrong.value.type, wrong.value.param) == (
        "invalid_api_key",
        "invalid_request_error",
        None,
    )
    assert [call.status for call in server.calls] == [200, 404, 401]


def test_stopped_server_has_no_address() -> None:
    with pytest.raises(RuntimeError, match="does not run"):
        _ = ModelServer().url


def test_occupied_port_is_an_error() -> None:
    with ModelServer() as server, pytest.raises(OSError, match="address already in use"):
        ModelServer(port=int(server.azure_url.rpartition(":")[2])).start()
