"""The language model behind an endpoint, over real HTTP."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from polyadic.errors import ModelUnavailable, NoReply
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ModelReply
from tests.llm.endpoint_help import KEY, VARIABLE, Sends, ask, generator, model_settings, question, say, stream
from tests.model_server import (
    CutConnection,
    CutText,
    Huge,
    Misbehaviour,
    ModelServer,
    NotJson,
    Said,
    Status,
    WithoutUsage,
    needle,
    says,
)

REPLY = "Ada Lovelace wrote the first program, and Charles Babbage designed the engine."
STREAMED = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.fixture(scope="module")
def shared() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def server(shared: ModelServer) -> ModelServer:
    shared.reset()
    shared.key, shared.responders = KEY, [needle(), says(REPLY)]
    shared.delay, shared.tokens_per_second = 0.0, None
    shared.context_tokens, shared.truncates_silently = None, False
    return shared


def model_of(server: ModelServer, **values: Any) -> EndpointModel:
    return EndpointModel(model_settings(server, **values))


def until(holds: Callable[[], object]) -> None:
    end = time.perf_counter() + 5
    while not holds():
        assert time.perf_counter() < end
        time.sleep(0.01)


@STREAMED
def test_reply_has_text_and_usage(server: ModelServer, streamed: bool) -> None:
    server.delay = 0.05
    reply = say(model_of(server, prompt_price=1.0, completion_price=2.0), question("Who?"), streamed)
    (call,) = server.calls
    assert (reply.text, reply.complete, reply.usage.calls) == (REPLY, True, 1)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (call.prompt_tokens, call.completion_tokens)
    assert reply.usage.money == pytest.approx((call.prompt_tokens + 2 * call.completion_tokens) / 1e6)
    assert 0.05 <= reply.seconds < 5
    assert call.asked.temperature == 0 and call.asked.headers["authorization"] == f"Bearer {KEY}"


@STREAMED
def test_tokens_are_counted_locally_if_the_endpoint_reports_none(server: ModelServer, streamed: bool) -> None:
    server.misbehave(WithoutUsage())
    counted, reported = (say(model_of(server), question("Who?"), streamed).usage for _ in range(2))
    assert counted == reported


def test_impossible_usage_is_ignored(server: ModelServer) -> None:
    message = '"choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes."}}]'
    reports = [{"prompt_tokens": n, "completion_tokens": n} for n in (0, None, True, 10**9 + 1, 2**63 - 1, 10**30, 1.5)]
    for usage in map(json.dumps, [*reports, "many", None]):
        server.misbehave(Sends(f'{{{message}, "usage": {usage}}}'))
        reply = ask(model_of(server), question("Who?"))[0]
        assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.complete) == (9, 2, True)


@STREAMED
def test_truncated_reply_is_marked_incomplete(server: ModelServer, streamed: bool) -> None:
    server.misbehave(CutText())
    assert not say(model_of(server), question(), streamed).complete
    reply = say(model_of(server, output_tokens=100), question(), streamed)
    assert reply.complete and reply.text == REPLY


def test_streamed_reply_with_split_characters_is_joined(server: ModelServer) -> None:
    parts = r'[{"type": "thinking", "thinking": [{"text": "Hm"}]}, {"type": "text", "text": "Yes\ud800."}]'
    server.misbehave(Sends(f'{{"choices": [{{"index": 0, "message": {{"role": "assistant", "content": {parts}}}}}]}}'))
    assert ask(model_of(server), question())[0].text == "Yes?."


@pytest.mark.parametrize(
    ("words", "context", "output", "sent"),
    [(10, 16_000, 8000, 8000), (7000, 16_000, 8000, 8000), (10_000, 16_000, 8000, 4991), (400, 1000, 100, 100)],
)
def test_reply_limit_fits_the_remaining_context(
    server: ModelServer, words: int, context: int, output: int, sent: int
) -> None:
    ask(model_of(server, context_tokens=context, output_tokens=output), question("word " * words))
    (call,) = server.calls
    assert call.asked.max_tokens == pytest.approx(sent, abs=12)
    assert 1.1 * call.prompt_tokens + (call.asked.max_tokens or 0) <= context + 1


def test_prompts_are_not_truncated_by_the_server(server: ModelServer) -> None:
    server.context_tokens, server.truncates_silently = 2000, True
    replies = []
    for words in range(200, 2400, 200):
        try:
            text = "The pass phrase is ocelot.\n" + "word " * words + "\nWhat is the pass phrase?"
            replies.append(ask(model_of(server, context_tokens=2000), question(text))[0].text)
        except NoReply as problem:
            replies.append(problem.what[:20])
    assert replies == ["ocelot"] * 8 + ["the request has abou"] * 3
    assert len(server.calls) == 8


@pytest.mark.slow
@STREAMED
@pytest.mark.parametrize(
    "kinds",
    [
        [Status(429, retry_after=0.2)],
        [Status(429, retry_after=0.3, as_date=True)],
        [Status(500), Status(503, retry_after=0.05)],
        [NotJson(502)],
    ],
    ids=["seconds", "date", "500", "page"],
)
def test_transient_errors_are_retried(server: ModelServer, kinds: list[Misbehaviour], streamed: bool) -> None:
    for kind in kinds:
        server.misbehave(kind)
    assert say(model_of(server, retries=3), question(), streamed).text == REPLY
    calls = server.calls
    assert len(calls) == len(kinds) + 1 and calls[-1].status == 200
    if kinds == [Status(429, retry_after=0.2)]:
        assert calls[1].at - calls[0].at >= 0.19


def test_lost_connection_is_retried(server: ModelServer) -> None:
    server.misbehave(CutConnection())
    assert ask(model_of(server, retries=1), question())[0].text == REPLY
    server.misbehave(CutConnection())
    with pytest.raises(NoReply, match="cut the connection"):
        ask(model_of(server, retries=0), question())
    assert [call.status for call in server.calls] == [0, 200, 0]


def test_interrupted_stream_yields_its_pieces_then_raises(server: ModelServer) -> None:
    server.misbehave(CutConnection())
    pieces: list[str | ModelReply] = []

    async def read() -> None:
        model = model_of(server, retries=2)
        async for piece in generator(model, question()):
            pieces.append(piece)

    with pytest.raises(NoReply, match="cut the connection"):
        asyncio.run(read())
    assert pieces and REPLY.startswith("".join(map(str, pieces)))
    assert len(server.calls) == 1


def test_persistent_errors_are_raised_after_the_last_retry(server: ModelServer) -> None:
    server.misbehave(Status(429, retry_after=0.05), times=3)
    with pytest.raises(ModelUnavailable, match="too many calls"):
        ask(model_of(server, retries=2), question())
    server.misbehave(Status(500, headers={"retry-after-ms": "20"}), times=3)
    with pytest.raises(NoReply, match="answers 500"):
        ask(model_of(server, retries=2), question())
    assert len(server.calls) == 6


def test_streamed_pieces_make_the_whole_reply(server: ModelServer) -> None:
    pieces, reply = stream(model_of(server), question())
    assert len(pieces) > 3 and "".join(pieces) == reply.text == REPLY


def test_leaving_a_stream_closes_the_connection(server: ModelServer) -> None:
    server.tokens_per_second = 20

    async def leave() -> None:
        model = model_of(server, at_once=1)
        pieces = generator(model, question())
        assert await anext(pieces)
        await pieces.aclose()
        await asyncio.to_thread(until, lambda: server.calls)
        server.tokens_per_second = None
        # Its place is free again.
        assert (await model.complete(question())).text == REPLY
        await model.close()

    asyncio.run(leave())
    assert [call.status for call in server.calls] == [0, 200] and "went away" in server.calls[0].error


@STREAMED
def test_huge_reply_is_read(server: ModelServer, streamed: bool) -> None:
    server.misbehave(Huge(4), WithoutUsage())
    started = time.process_time()
    reply = say(model_of(server), question(), streamed)
    assert len(reply.text) == 4_000_000 and reply.usage.completion_tokens > 400_000
    assert time.process_time() - started < 10


def test_usage_reported_by_the_endpoint_is_used(server: ModelServer) -> None:
    server.responders = [says(Said("Yes.", prompt_tokens=1000, completion_tokens=50))]
    assert ask(model_of(server), question())[0].usage.tokens == 1050
