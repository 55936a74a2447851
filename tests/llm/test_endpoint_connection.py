"""Connections to an endpoint: where it is, how many calls it allows, and the event loops that share it."""

import asyncio
import gc
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polyadic.errors import ModelUnavailable
from polyadic.llm.endpoint_model import EndpointModel, prompt_tokens
from polyadic.llm.loading import load_language_model
from tests.llm.endpoint_help import KEY, VARIABLE, ask, model_settings, question
from tests.model_server import Late, ModelServer, Status, says

REPLY = "Ada Lovelace wrote the first program, for an engine that was never built."
STREAMED = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.fixture(scope="module")
def shared() -> Iterator[ModelServer]:
    with ModelServer([says(REPLY)]) as running:
        yield running


@pytest.fixture
def server(shared: ModelServer) -> ModelServer:
    shared.reset()
    shared.key, shared.tokens_per_second = KEY, None
    return shared


def model_of(server: ModelServer, **values: Any) -> EndpointModel:
    return EndpointModel(model_settings(server, **values))


@STREAMED
def test_concurrent_calls_are_limited(server: ModelServer, streamed: bool) -> None:
    server.tokens_per_second = 400
    # So late that a slow machine has sent three meanwhile.
    server.misbehave(Late(0.5), times=3)
    model = model_of(server, at_once=3)

    async def one() -> None:
        if streamed:
            _ = [piece async for piece in model.stream(question())]
        else:
            await model.complete(question())

    async def all_of_them() -> None:
        await asyncio.gather(*(one() for _ in range(9)))
        await model.close()

    asyncio.run(all_of_them())
    assert server.most_at_once == 3 and len(server.calls) == 9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "cost", "calls"),
    [({"requests_per_minute": 1200}, 1, 90), ({"tokens_per_minute": 12_000, "output_tokens": 100}, 34, 30)],
    ids=["requests", "tokens"],
)
def test_rate_limit_per_minute_is_respected(server: ModelServer, limits: dict[str, int], cost: int, calls: int) -> None:
    # A twentieth of the allowance may be used at once; the rest comes evenly, so that no minute holds more.
    (most, *_) = limits.values()
    asked = question("Who?")
    assert cost == 1 or cost == prompt_tokens(asked) + 100 // 4
    started = time.time()
    ask(model_of(server, at_once=100, **limits), *[asked] * calls)
    came = sorted(call.at - started for call in server.calls)
    first = most * 0.05
    earliest = [(n * cost - first) / (most * 0.95 / 60) for n in range(1, calls + 1)]
    assert len(came) == calls and earliest[-1] > 1
    assert all(at > soonest - 0.05 for at, soonest in zip(came, earliest, strict=True))


@pytest.mark.slow
def test_retries_count_towards_the_rate_limit(server: ModelServer) -> None:
    server.misbehave(Status(500, headers={"retry-after-ms": "1"}), times=10)
    started = time.time()
    ask(model_of(server, at_once=100, requests_per_minute=400, retries=10), *[question("Who?")] * 20)
    # Twenty at once, and ten at 6.3 a second.
    assert len(server.calls) == 30 and max(call.at for call in server.calls) - started > 9 / 6.4


def test_endpoint_works_in_two_loops_and_after_closing(server: ModelServer) -> None:
    model = model_of(server)
    replies: list[str] = []

    def run() -> None:
        for _ in range(2):
            replies.extend(reply.text for reply in ask(model, *[question()] * 4))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert replies == [REPLY] * 16

    async def twice() -> None:
        await model.complete(question())
        await model.close()
        await model.close()
        await model.complete(question())
        await model.close()

    asyncio.run(twice())


@STREAMED
def test_ending_a_loop_closes_its_connections(server: ModelServer, streamed: bool) -> None:
    model = model_of(server)

    async def one(model: EndpointModel) -> None:
        if streamed:
            async for _ in model.stream(question()):
                break
        else:
            await model.complete(question())

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for _ in range(3):
            asyncio.run(one(model))
        del model
        gc.collect()
    assert not [w for w in warned if issubclass(w.category, ResourceWarning)]


def test_azure_endpoint_works(server: ModelServer) -> None:
    model = model_of(server, base_url=server.azure_url, azure_api_version="2024-10-21")
    assert ask(model, question())[0].text == REPLY
    headers = server.asked[0].headers
    assert headers["api-key"] == KEY and "authorization" not in headers
    missing = model_of(server, base_url="", azure_api_version="2024-10-21")
    with pytest.raises(ModelUnavailable, match="base_url under"):
        ask(missing, question())


@pytest.mark.parametrize("ending", ["", "/"])
def test_base_url_is_resolved(server: ModelServer, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    assert ask(model_of(server, base_url=server.url + ending), question())[0].text == REPLY
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + ending)
    assert ask(model_of(server, base_url=""), question())[0].text == REPLY
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    assert model_of(server, base_url="").endpoint.address == "OpenAI's endpoint"


def test_local_endpoints_need_no_key(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.key = None
    monkeypatch.delenv(VARIABLE)
    model = load_language_model(model_settings(server, key_variable=""), "answers")
    assert isinstance(model, EndpointModel) and ask(model, question())[0].text == REPLY


@pytest.mark.slow
def test_client_library_is_imported_lazily(tmp_path: Path) -> None:
    code = (
        "import sys, polyadic.workspace as w\n"
        "from polyadic.model.types import Document\n"
        "from polyadic.llm import endpoint_model; from polyadic.embeddings import endpoint_embedder\n"
        "s = w.Settings(embedding={'model': 'hashing'})\n"
        "with w.Workspace(sys.argv[1], s) as kb:\n"
        "    kb.add([Document('memory:ada', '', 'Ada Lovelace met Charles Babbage in London.')])\n"
        "    assert 'Ada' in kb.query('Who met Charles Babbage?').text\n"
        "found = {'openai', 'httpx', 'httpx2', 'aiohttp'} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=60)
