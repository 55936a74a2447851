"""Each misbehaviour as a client sees it."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import openai
import pytest

from tests.model_server import (
    Changed,
    CutConnection,
    CutStream,
    CutText,
    EmptyChoices,
    EmptyText,
    Fenced,
    Huge,
    Late,
    Misbehaviour,
    ModelServer,
    Never,
    NotJson,
    NullContent,
    Prose,
    Refusal,
    Replaced,
    Said,
    Status,
    Think,
    WithoutUsage,
    says,
)
from tests.model_server.client import ask, client, text_of

REPLY = '{"facts": []}'


@pytest.fixture(scope="module")
def shared() -> Iterator[ModelServer]:
    with ModelServer([says(REPLY)]) as running:
        yield running


@pytest.fixture
def server(shared: ModelServer) -> ModelServer:
    shared.reset()
    return shared


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (CutText(), '{"fact'),
        (NullContent(), "None"),
        (EmptyText(), ""),
        (Prose("Sure:", "Bye."), f"Sure:\n\n{REPLY}\n\nBye."),
        (Fenced(), f"```json\n{REPLY}\n```"),
        (Think("Well"), f"<think>\nWell\n</think>\n\n{REPLY}"),
        (Replaced("\x00<|endoftext|>"), "\x00<|endoftext|>"),
        (Changed(lambda said: replace(said, text=(said.text or "").upper())), REPLY.upper()),
    ],
)
def test_replaced_text_is_sent(server: ModelServer, kind: Misbehaviour, text: str) -> None:
    server.misbehave(kind)
    with client(server) as opened:
        wrong, right = ask(opened), ask(opened)
    assert (text_of(wrong), text_of(right)) == (text, REPLY)
    assert wrong.choices[0].finish_reason == ("length" if isinstance(kind, CutText) else "stop")


def test_misbehaviours_can_be_combined(server: ModelServer) -> None:
    server.misbehave(Fenced(), Prose("Sure:", "Bye."))
    with client(server) as opened:
        assert text_of(ask(opened)) == f"Sure:\n\n```json\n{REPLY}\n```\n\nBye."


@pytest.mark.parametrize("stream", [False, True])
def test_missing_choices_usage_and_content_are_imitated(server: ModelServer, stream: bool) -> None:
    extra: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
    for kind in (EmptyChoices(), WithoutUsage(), Refusal("No.")):
        server.misbehave(kind)
    with client(server) as opened:
        replies = [list(reply) if stream else [reply] for reply in (ask(opened, **extra) for _ in range(3))]
    empty, free, refused = replies
    assert not any(chunk.choices for chunk in empty)
    assert all(chunk.usage is None for chunk in free)
    said = [c.choices[0].delta if stream else c.choices[0].message for c in refused if c.choices]
    assert [s.refusal for s in said if s.refusal] == ["No."] and not any(s.content for s in said)


def test_huge_replies_are_imitated(server: ModelServer) -> None:
    server.misbehave(Huge(2))
    with client(server) as opened:
        assert len(text_of(ask(opened))) == 2_000_000


def test_late_and_missing_replies_are_imitated(server: ModelServer) -> None:
    server.misbehave(Late(0.2))
    server.misbehave(Never())
    with client(server) as opened:
        ask(opened)
        with pytest.raises(openai.APITimeoutError):
            ask(opened.with_options(timeout=0.3))
        assert text_of(ask(opened)) == REPLY
    assert server.calls[0].seconds >= 0.2
    assert len(server.asked) == 3


def test_closing_releases_waiting_clients() -> None:
    errors: list[Exception] = []

    def wait(server: ModelServer) -> None:
        with client(server, timeout=30) as opened:
            try:
                ask(opened)
            except openai.APIConnectionError as error:
                errors.append(error)

    with ModelServer([says("Hello.")]) as server:
        server.misbehave(Never())
        waiting = threading.Thread(target=wait, args=(server,))
        waiting.start()
        while not server.asked:
            time.sleep(0.01)
        before = time.perf_counter()
    waiting.join()
    assert len(errors) == 1 and time.perf_counter() - before < 10


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (429, openai.RateLimitError, "rate_limit_exceeded"),
        (500, openai.InternalServerError, None),
        (503, openai.InternalServerError, None),
        (418, openai.APIStatusError, None),
    ],
)
def test_errors_are_imitated(
    server: ModelServer, status: int, error: type[openai.APIStatusError], code: str | None
) -> None:
    server.misbehave(Status(status))
    with client(server) as opened, pytest.raises(error) as raised:
        ask(opened)
    assert (raised.value.status_code, raised.value.code) == (status, code)


def test_error_messages_are_configurable(server: ModelServer) -> None:
    server.misbehave(Status(429, "insufficient_quota", "You ran out of money.", headers={"x-should-retry": "false"}))
    with client(server, max_retries=2) as opened, pytest.raises(openai.RateLimitError, match="out of money") as raised:
        ask(opened)
    assert raised.value.code == "insufficient_quota" and len(server.calls) == 1


@pytest.mark.slow
@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_sent(server: ModelServer, as_date: bool) -> None:
    # Of itself the client would wait for half a second at most.
    server.misbehave(Status(429, retry_after=0.6, as_date=as_date))
    with client(server, max_retries=2) as opened:
        assert text_of(ask(opened)) == REPLY
    first, second = server.calls
    assert (first.status, second.status) == (429, 200)
    assert second.at - first.at >= 0.55


@pytest.mark.parametrize("stream", [False, True])
def test_broken_connections_are_imitated(server: ModelServer, stream: bool) -> None:
    server.misbehave(CutStream() if stream else CutConnection())
    with client(server) as opened:
        with pytest.raises(openai.APIConnectionError):
            list(ask(opened, stream=stream))
        assert text_of(ask(opened)) == REPLY
    assert [call.status for call in server.calls] == [0, 200]


@pytest.mark.parametrize("status", [200, 502])
def test_html_page_instead_of_a_reply_is_imitated(server: ModelServer, status: int) -> None:
    server.misbehave(NotJson(status))
    with client(server) as opened:
        if status == 200:
            # The official client hands the page on as it came.
            assert str(ask(opened)).startswith("<html>")
        else:
            with pytest.raises(openai.InternalServerError):
                ask(opened)
    assert server.calls[0].status == status


def test_rules_select_calls(server: ModelServer) -> None:
    server.misbehave(Replaced("numbered"), on=(2, 4))
    server.misbehave(Replaced("asked"), times=None, when=lambda asked: "please" in asked.text)
    server.misbehave(Replaced("twice"), times=2)
    with client(server) as opened:
        texts = [text_of(ask(opened, text)) for text in ("a", "b", "please", "please", "please", "c", "d")]
        server.behave()
        texts.append(text_of(ask(opened, "please")))
    assert texts == ["twice", "numbered", "asked", "numbered", "asked", "twice", REPLY, REPLY]


def test_embedding_misbehaviour_is_imitated(server: ModelServer) -> None:
    server.misbehave(Status(500), route="embeddings")
    with client(server) as opened:
        assert ask(opened)
        with pytest.raises(openai.InternalServerError):
            opened.embeddings.create(model="hashing", input="Ada")
        assert opened.embeddings.create(model="hashing", input="Ada")


def test_finish_reason_and_usage_are_configurable() -> None:
    said = Said("Hello.", finish_reason="content_filter", prompt_tokens=1000, completion_tokens=50)
    with ModelServer([says(said)]) as server, client(server) as opened:
        reply = ask(opened)
    assert reply.choices[0].finish_reason == "content_filter"
    assert (reply.usage.prompt_tokens, server.completion_tokens) == (1000, 50)
