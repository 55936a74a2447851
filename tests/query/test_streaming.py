"""Answers as they come: their text, their errors, and who leaves before the end."""

import asyncio
import gc
import time
from collections.abc import Callable
from contextlib import aclosing

import pytest

from polyadic.errors import ModelUnavailable, NoReply
from polyadic.model.types import Answer
from polyadic.workspace import Workspace
from tests.model_server import CutStream, EmptyText, ModelServer, Refusal, Status
from tests.query.test_engine import QUESTION, QUOTES, citing, kb, opened, server, split

__all__ = ["kb", "opened", "server"]


@pytest.mark.parametrize(
    ("kind", "error"), [(Status(401), ModelUnavailable), (Refusal(), NoReply), (EmptyText(), NoReply)]
)
def test_errors_are_raised_in_whole_and_streamed_answers(
    kb: Workspace, server: ModelServer, kind: Status, error: type[Exception]
) -> None:
    server.misbehave(kind, times=None)
    with pytest.raises(error):
        kb.query(QUESTION)
    with pytest.raises(error):
        list(kb.stream(QUESTION))


def test_streamed_text_equals_the_answer(kb: Workspace) -> None:
    texts, answer = split(list(kb.stream(QUESTION)))
    assert len(texts) > 3
    whole = kb.query(QUESTION)
    assert (answer.text, answer.citations, answer.usage) == (whole.text, whole.citations, whole.usage)
    assert split(list(kb.stream(QUESTION, answer=QUOTES)))[1].text.startswith('"')


def test_streaming_works_within_a_running_loop(kb: Workspace) -> None:
    async def both() -> tuple[list[str | Answer], list[str | Answer]]:
        return list(kb.stream(QUESTION)), [piece async for piece in kb.astream(QUESTION)]

    for pieces in asyncio.run(both()):
        assert split(pieces)[1].citations


def test_error_during_streaming_follows_the_text_so_far(kb: Workspace, server: ModelServer) -> None:
    server.responders = [citing("Babbage", "It was Charles Babbage [*]. " * 20)]
    server.misbehave(CutStream(), when=lambda asked: asked.stream)
    said: list[str | Answer] = []
    with pytest.raises(NoReply, match="cut the connection"):
        said.extend(kb.stream(QUESTION))
    assert kb.query(QUESTION).answered


def eventually(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 30
    while not true() and time.monotonic() < deadline:
        time.sleep(0.01)
    return true()


def test_leaving_a_stream_closes_the_connection(kb: Workspace, server: ModelServer) -> None:
    server.responders = [citing("Babbage", "It was Charles Babbage [*]. " * 200)]
    server.tokens_per_second = 200
    try:
        for piece in kb.stream(QUESTION):
            assert piece
            break
        with pytest.raises(ZeroDivisionError):
            for _ in kb.stream(QUESTION):
                _ = 1 / 0

        async def left() -> None:
            stream = kb.astream(QUESTION)
            await anext(stream)
            await stream.aclose()
            await kb.aclose()

        asyncio.run(left())
        assert eventually(lambda: [call.status for call in server.calls] == [0, 0, 0])
    finally:
        server.tokens_per_second = None
    assert kb.query(QUESTION).answered


@pytest.mark.slow
def test_break_closes_the_stream(kb: Workspace, server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    server.responders = [citing("Babbage", "It was Charles Babbage [*]. " * 200)]
    server.tokens_per_second = 200

    async def left() -> None:
        async for piece in kb.astream(QUESTION):
            assert piece
            break

    async def left_in_a_loop_that_goes_on() -> None:
        await left()
        while server.calls[-1].status != 0:
            await asyncio.sleep(0.01)
        async with aclosing(kb.astream(QUESTION)) as pieces:
            async for _ in pieces:
                break
        await kb.aclose()

    try:
        asyncio.run(left())
        assert eventually(lambda: [call.status for call in server.calls] == [0])
        asyncio.run(asyncio.wait_for(left_in_a_loop_that_goes_on(), 60))
        assert eventually(lambda: [call.status for call in server.calls] == [0, 0, 0])
    finally:
        server.tokens_per_second = None
    gc.collect()
    assert not caplog.records
