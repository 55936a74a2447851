"""Clients of other servers, pointed at this one: OpenAI's own, and LightRAG's as its documentation shows them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from tests.model_server import ModelServer, ready, says
from tests.model_server.types import Asked
from tests.server.running_server import ADA, BABBAGE, QUESTION, Running, add_key, finished, make, running

pytestmark = pytest.mark.slow

ASKED: list[ChatCompletionMessageParam] = [
    {"role": "system", "content": "You are a pirate."},
    {"role": "user", "content": QUESTION},
]


@pytest.fixture
def chat(server: Running, client: httpx2.Client) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none is needed", max_retries=0) as chat:
        yield chat


def test_workspaces_are_listed_as_models(chat: openai.OpenAI) -> None:
    assert "letters" in [model.id for model in chat.models.list()]
    assert chat.models.retrieve("letters").id == "letters"


def test_openai_client_gets_an_answer_with_citations(chat: openai.OpenAI) -> None:
    completion = chat.chat.completions.create(model="letters", messages=ASKED, temperature=0.2, max_tokens=50)
    content = completion.choices[0].message.content or ""
    said: Any = completion.model_extra
    assert ADA in content and "[1]" in content and "Sources:\n[1] memory:0: “" in content
    assert completion.choices[0].finish_reason == "stop" and completion.usage is not None
    assert said["citations"][0]["place"]["quote"] in ADA


def test_openai_client_streams_the_same_answer(chat: openai.OpenAI) -> None:
    whole = chat.chat.completions.create(model="letters", messages=ASKED)
    options: Any = {"include_usage": True}
    chunks = list(chat.chat.completions.create(model="letters", messages=ASKED, stream=True, stream_options=options))
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(pieces) == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant" and chunks[-1].usage is not None
    assert len({chunk.id for chunk in chunks}) == 1
    [last] = [chunk for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason]
    extra: Any = last.model_extra
    assert extra["citations"][0]["marker"] == 1


@pytest.mark.parametrize("stream", [False, True])
def test_openai_client_gets_error_messages(chat: openai.OpenAI, stream: bool) -> None:
    with pytest.raises(openai.NotFoundError) as error:
        chat.chat.completions.create(model="nobodys", messages=ASKED, stream=stream)
    assert error.value.code == "nothing-here"
    with pytest.raises(openai.UnprocessableEntityError):
        chat.chat.completions.create(
            model="letters", messages=[{"role": "assistant", "content": "Hello."}], stream=stream
        )
    with pytest.raises(openai.NotFoundError):
        chat.chat.completions.create(model="letters:nomethod", messages=ASKED, stream=stream)


def test_openai_client_gets_embeddings(chat: openai.OpenAI, client: httpx2.Client) -> None:
    """OpenAI's client asks for base64, other clients for numbers."""
    reply = chat.embeddings.create(model="letters", input=[ADA, BABBAGE, ADA])
    first, second, third = (one.embedding for one in reply.data)
    assert first == third != second and sum(number**2 for number in first) == pytest.approx(1, abs=1e-4)
    assert reply.model == "letters" and reply.usage.prompt_tokens > 20
    numbers = client.post("/v1/embeddings", json={"model": "letters", "input": ADA}).json()["data"]
    assert numbers == [{"object": "embedding", "index": 0, "embedding": pytest.approx(first)}]
    assert len(chat.embeddings.create(model="letters", input=ADA, dimensions=len(first)).data) == 1


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        ({"n": 2}, "n"),
        ({"n": 0}, "n"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}}, "response_format"),
    ],
    ids=str,
)
@pytest.mark.parametrize("stream", [False, True])
def test_unsupported_openai_options_are_refused(
    chat: openai.OpenAI, given: dict[str, Any], parameter: str, stream: bool
) -> None:
    with pytest.raises(openai.BadRequestError) as error:
        chat.chat.completions.create(model="letters", messages=ASKED, stream=stream, extra_body=given)
    assert (error.value.code, error.value.param) == ("unsupported-value", parameter)
    assert error.value.type == "invalid_request_error" and parameter in error.value.message


def test_supported_openai_options_are_accepted(chat: openai.OpenAI) -> None:
    more: Any = {"n": 1, "response_format": {"type": "text"}}
    completion = chat.chat.completions.create(model="letters", messages=ASKED, **more)
    assert len(completion.choices) == 1


def test_unsupported_embeddings_are_refused(chat: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as error:
        chat.embeddings.create(model="letters", input=ADA, dimensions=7)
    assert error.value.param == "dimensions"
    with pytest.raises(openai.UnprocessableEntityError) as invalid:
        chat.embeddings.create(model="letters", input=[1, 2, 3])
    assert (invalid.value.param or "").startswith("input") and invalid.value.type == "invalid_request_error"
    with pytest.raises(openai.NotFoundError):
        chat.embeddings.create(model="nobodys", input=ADA)


def test_model_name_may_include_the_method(chat: openai.OpenAI) -> None:
    completion = chat.chat.completions.create(model="letters:chunks", messages=ASKED)
    assert completion.model == "letters:chunks" and ADA in (completion.choices[0].message.content or "")


def test_parts_of_a_message_are_read(client: httpx2.Client) -> None:
    parts = [{"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    asked = {"model": "letters", "messages": [{"role": "user", "content": parts}], "tools": [], "user": "me"}
    assert ADA in client.post("/v1/chat/completions", json=asked).text


def test_conversation_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    standalone = "Whom did Charles Babbage meet in 1833?"

    def condense(request: Asked) -> str | None:
        return standalone if request.last_user_text.startswith("Conversation") else None

    with ModelServer([condense, *ready()]) as model:
        for name, value in {"NAME": "recorded", "BASE_URL": model.url, "KEY_VARIABLE": ""}.items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name}", value)
        with running(folder) as server, server.client() as client:
            make(client, "letters", ADA, BABBAGE)
            read = len(model.asked)
            with openai.OpenAI(base_url=f"{server.url}/v1", api_key="-", max_retries=0) as chat:
                turns: list[ChatCompletionMessageParam] = [
                    {"role": "user", "content": "Who designed the Analytical Engine?"},
                    {"role": "assistant", "content": "Charles Babbage [1]\n\nSources:\n[1] memory:1: “of no use”"},
                    {"role": "user", "content": "Whom did he meet in 1833?"},
                ]
                chunks = list(chat.chat.completions.create(model="letters", messages=turns, stream=True))
        asked = [one.text for one in model.asked[read:]]
    assert len(chunks) > 2
    assert "Who designed the Analytical Engine?" in asked[0] and "Charles Babbage [1]" in asked[0]
    assert standalone in asked[-1]
    assert not any("of no use" in text for text in asked)


def test_quoted_sentences_and_unsupported_claims_follow_the_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "Charles Babbage met Ada Lovelace in 1833 [1]. He designed the Analytical Engine in 1855 [1]."
    with ModelServer([says(said)]) as model:
        with running(folder) as server, server.client() as client:
            make(client, "letters", BABBAGE)
        for name, value in {"NAME": "recorded", "BASE_URL": model.url, "KEY_VARIABLE": ""}.items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name}", value)
        with running(folder) as server, server.client() as client:
            asked = {"model": "letters:chunks", "messages": ASKED}
            completion = client.post("/v1/chat/completions", json=asked).json()
            answer = client.post(
                "/lightrag/letters/query", json={"query": QUESTION, "include_chunk_content": True}
            ).json()
    text, _, below = completion["choices"][0]["message"]["content"].partition("\n\nSources:\n")
    assert text == said
    assert f"“{BABBAGE}”" in below
    assert below.endswith("Not supported by these sources: “He designed the Analytical Engine in 1855”")
    assert [claim["supported"] for claim in completion["claims"]] == [True, False]
    assert [citation["at"]["start"] for citation in completion["citations"]] == [41, 88]
    (reference,) = answer["references"]
    assert reference["reference_id"] == "1" and reference["content"] == [BABBAGE]


def test_documented_lightrag_requests_work(client: httpx2.Client) -> None:
    make(client, "light")
    at = {"LIGHTRAG-WORKSPACE": "light"}
    given = client.post("/documents/text", json={"text": ADA, "description": "About Ada"}, headers=at)
    assert (given.status_code, given.json()["status"]) == (200, "success")
    uploaded = client.post("/documents/upload", files={"file": ("babbage.txt", BABBAGE)}, headers=at)
    for job in (given.json()["track_id"], uploaded.json()["track_id"]):
        assert finished(client, "light", job)["state"] == "succeeded"
    asked = {"query": "Whom did Charles Babbage meet in 1833?", "mode": "hybrid"}
    answer = client.post("/query", json=asked, headers=at).json()
    assert BABBAGE in answer["response"]
    assert {"reference_id": "1", "file_path": "babbage.txt", "content": None} in answer["references"]
    streamed = client.post("/query/stream", json=asked, headers=at)
    lines = [json.loads(line) for line in streamed.text.splitlines()]
    assert streamed.headers["content-type"] == "application/x-ndjson"
    assert "".join(line.get("response", "") for line in lines) == answer["response"]
    assert lines[-1]["references"][0]["file_path"] == "babbage.txt"


@pytest.mark.parametrize("mode", ["local", "global", "hybrid", "naive", "mix", "bypass"])
def test_lightrag_modes_are_mapped(client: httpx2.Client, mode: str) -> None:
    reply = client.post("/lightrag/letters/query", json={"query": QUESTION, "mode": mode})
    assert reply.status_code == 200 and ("1843" in reply.json()["response"]) is (mode != "bypass")


def test_lightrag_options_are_applied(client: httpx2.Client) -> None:
    asked = {
        "query": QUESTION,
        "mode": "mix",
        "only_need_context": True,
        "top_k": 5,
        "response_type": "Bullet Points",
        "conversation_history": [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello!"}],
        "include_references": False,
        "enable_rerank": False,
    }
    for path in ("query", "query/stream"):
        assert "fact: " in client.post(f"/lightrag/letters/{path}", json=asked).text
    answer = client.post("/lightrag/letters/query", json=asked | {"only_need_context": False}).json()
    assert answer["references"] is None and ADA in answer["response"]


def test_lightrag_uses_the_only_workspace_of_the_key(folder: Path) -> None:
    everything, one = add_key(folder, "write", "*"), add_key(folder, "read", "letters")
    with running(folder, keyed=True) as server:
        with server.client(everything) as client:
            make(client, "letters", ADA)
            make(client, "others")
            reply = client.post("/query", json={"query": QUESTION})
            assert (reply.status_code, reply.json()["type"]) == (404, "urn:polyadic:problem:no-workspace-named")
        with server.client() as client:
            assert ADA in client.post("/query", json={"query": QUESTION}, headers={"X-API-Key": one}).text
