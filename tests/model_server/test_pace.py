"""Delays, speed and many calls at once."""

import asyncio
import time

import openai
import pytest

from tests.model_server import ModelServer, says
from tests.model_server.client import ask, client


@pytest.mark.slow
def test_calls_take_the_configured_time() -> None:
    with ModelServer([says("one two three four five six")], delay=0.1) as server, client(server) as opened:
        ask(opened)
        server.tokens_per_second = 10
        ask(opened)
        started = time.perf_counter()
        arrivals = [time.perf_counter() - started for _ in ask(opened, stream=True)]
    assert server.calls[0].seconds >= 0.1
    assert server.calls[1].seconds >= 0.3
    assert arrivals[-1] - arrivals[0] >= 0.1


@pytest.mark.slow
def test_concurrent_calls_are_served() -> None:
    async def flood(url: str) -> None:
        limit = asyncio.Semaphore(16)
        async with openai.AsyncOpenAI(base_url=url, api_key="any", max_retries=0) as opened:

            async def one() -> None:
                async with limit:
                    await opened.chat.completions.create(model="recorded", messages=[{"role": "user", "content": "Hi"}])

            await asyncio.gather(*(one() for _ in range(160)))

    with ModelServer([says("Hello.")], delay=0.2) as server:
        asyncio.run(flood(server.url))
    assert len(server.calls) == 160
    assert sorted(call.asked.number for call in server.calls) == list(range(1, 161))
    assert 2 < server.most_at_once <= 16
