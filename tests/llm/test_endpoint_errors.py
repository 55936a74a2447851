"""Whatever an endpoint does wrong is said on one line, with what to do next, and without the key."""

import logging
import socket
import traceback
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import openai
import pytest

from polyadic.config import EndpointSettings
from polyadic.errors import ModelUnavailable, NoReply, PolyadicError
from polyadic.llm.endpoint_connection import Endpoint
from polyadic.llm.endpoint_errors import translate_errors
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ChatMessage, ModelRequest
from tests.llm.endpoint_help import KEY, VARIABLE, Sends, model_settings, question, say
from tests.model_server import (
    Changed,
    CutConnection,
    CutText,
    EmptyChoices,
    EmptyText,
    Misbehaviour,
    ModelServer,
    Never,
    NotJson,
    NullContent,
    Refusal,
    Replaced,
    Status,
    says,
)

REPLY = "Ada Lovelace wrote the first program."
EVENT = 'data: {"choices": [{"index": 0, "delta": {"content": "Ada"}}]}\n\n'


@pytest.fixture(scope="module")
def shared() -> Iterator[ModelServer]:
    with ModelServer([says(REPLY)], key=KEY) as running:
        yield running


@pytest.fixture
def server(shared: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    shared.reset()
    monkeypatch.setenv(VARIABLE, KEY)
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    return shared


def problem(model: EndpointModel, streamed: bool = False, request: ModelRequest | None = None) -> PolyadicError:
    with pytest.raises(PolyadicError) as raised:
        say(model, request or question(), streamed)
    lines = "".join(traceback.format_exception(raised.value))
    assert "\n" not in str(raised.value) and KEY not in lines + repr(raised.value)
    assert raised.value.next_step
    return raised.value


WRONG: list[tuple[Misbehaviour, type[PolyadicError], str, str]] = [
    (Status(401, message=f"Incorrect API key: {KEY}"), ModelUnavailable, "refuses the key in A_TEST_KEY", "base_url"),
    (Status(403, message="Not in your country."), ModelUnavailable, "(403, Not in your country.)", "check it"),
    (Status(402), ModelUnavailable, "no credit left", "top it up"),
    (Status(429), ModelUnavailable, "too many calls (Rate limit reached", "lower at_once"),
    (Status(429, "insufficient_quota"), ModelUnavailable, "no credit left", "top it up"),
    (NotJson(404), ModelUnavailable, "there is no model endpoint at", "often ends in /v1"),
    (Status(404, message="model 'recorded' not found, pull it"), ModelUnavailable, "has no model recorded", "name"),
    (Status(400, "model_not_found"), ModelUnavailable, "has no model recorded", "name under [model]"),
    (
        Status(400, message="max_tokens is too large: 8000. This model supports at most 4096 completion tokens."),
        ModelUnavailable,
        "not allow replies as long as output_tokens",
        "lower output_tokens",
    ),
    (Status(500, message=f"oh {KEY} " * 40), NoReply, "answers 500 (oh *** oh ***", "try again later"),
    (Status(418), NoReply, "answers 418 (It went wrong.)", "polyadic doctor"),
    (NotJson(502), NoReply, "answers 502", "try again later"),
    (CutConnection(), NoReply, "cut the connection", "try again"),
    (NotJson(200), NoReply, "not a model reply", "often ends in /v1"),
    (Sends(""), NoReply, "not a model reply", "base_url"),
    (Sends('{"choices": [{"mess'), NoReply, "not a model reply", "base_url"),
    (Sends(b"\xff\xfe{"), NoReply, "not a model reply", "base_url"),
    (Sends("[" * 100_000), NoReply, "not a model reply", "base_url"),
    (Sends('{"object": "list"}'), NoReply, "not a model reply", "base_url"),
    (Sends('{"error": {"message": "All providers are down"}}'), NoReply, "(All providers are down)", "doctor"),
    (Sends('{"choices": [null]}'), NoReply, "an empty reply", "doctor"),
    (EmptyChoices(), NoReply, "recorded sent an empty reply", "doctor"),
    (NullContent(), NoReply, "recorded sent an empty reply", "doctor"),
    (EmptyText(), NoReply, "recorded sent an empty reply", "doctor"),
    (Replaced(" \n "), NoReply, "recorded sent an empty reply", "doctor"),
    (Changed(lambda said: replace(said, text="", finish_reason="length")), NoReply, "before it wrote", "output_tokens"),
    (Refusal(f"No,\nnot with {KEY}."), NoReply, "recorded refuses (No, not with ***.)", "rephrase the input"),
    (Changed(lambda said: replace(said, finish_reason="content_filter")), NoReply, "content filter", "rephrase"),
    (Status(400, "content_filter"), NoReply, "content filter", "rephrase the input"),
    (
        Status(400, "context_length_exceeded"),
        NoReply,
        "longer than recorded can hold",
        "lower window_tokens under [chunking]",
    ),
    (
        Status(400, message="exceeds the available context size"),
        NoReply,
        "longer than recorded can hold",
        "[retrieval]",
    ),
    (Sends('{"error": {"message": {"a": 1}}}', status=400), NoReply, "answers 400", "polyadic doctor"),
    (Sends('{"error": "No,\\nnever."}', status=400), NoReply, "answers 400 (No, never.)", "polyadic doctor"),
    (Sends('[{"oh": 1}]', status=400), NoReply, "answers 400", "polyadic doctor"),
    (Sends("max_tokens " * 200_000, status=500), NoReply, "answers 500 (max_tokens max", "try again later"),
    (Status(413), NoReply, "longer than recorded can hold", "set context_tokens of the model"),
]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("kind", "error", "what", "next_step"), WRONG)
def test_errors_are_explained(
    server: ModelServer, kind: Misbehaviour, error: type[PolyadicError], what: str, next_step: str, streamed: bool
) -> None:
    server.misbehave(kind, times=2)
    found = problem(EndpointModel(model_settings(server)), streamed)
    assert type(found) is error
    assert what in found.what and next_step in found.next_step


@pytest.mark.parametrize("streamed", [False, True])
def test_missing_response_times_out(server: ModelServer, streamed: bool) -> None:
    server.misbehave(Never())
    found = problem(EndpointModel(model_settings(server, timeout=0.2)), streamed)
    assert isinstance(found, NoReply) and "no reply within 0.2 s" in found.what and "timeout" in found.next_step


@pytest.mark.parametrize(
    ("events", "what"),
    [
        (f'data: {{"error": {{"message": "Out of memory, {KEY}"}}}}\n\n', "ended its reply early (Out of memory, ***)"),
        (EVENT + 'data: {"error": {"message": "busy", "code": "insufficient_quota"}}\n\n', "no credit left"),
        (EVENT + "data: {oh\n\n", "not a model reply"),
        ('data: [1, 2]\n\ndata: "words"\n\ndata: {"choices": null}\n\ndata: [DONE]\n\n', "not a model reply"),
        ('data: {"choices": [{"delta": null}]}\n\ndata: {"choices": []}\n\ndata: [DONE]\n\n', "empty reply"),
    ],
)
def test_error_within_a_stream_is_reported(server: ModelServer, events: str, what: str) -> None:
    server.misbehave(Sends(events, "text/event-stream"))
    assert what in problem(EndpointModel(model_settings(server)), streamed=True).what


def test_wrong_key_is_reported(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "sk-other")
    assert "refuses the key in A_TEST_KEY (401)" in str(problem(EndpointModel(model_settings(server))))
    found = problem(EndpointModel(model_settings(server, key_variable="")))
    assert "refuses a call without a key (401)" in found.what


@pytest.mark.parametrize("name", [VARIABLE, KEY], ids=["variable", "the key itself"])
def test_missing_key_is_reported(server: ModelServer, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delenv(VARIABLE)
    found = problem(EndpointModel(model_settings(server, key_variable=name)))
    assert isinstance(found, ModelUnavailable) and "is not set" in found.what and 'key_variable = ""' in found.next_step
    assert (VARIABLE in found.what) == (name == VARIABLE)
    with pytest.raises(ModelUnavailable):
        EndpointModel(model_settings(server, key_variable=name)).check()
    assert not server.asked


@pytest.mark.parametrize("key", ["sk-\u00f6", "sk-1\nsk-2"])
def test_invalid_key_is_reported(server: ModelServer, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(VARIABLE, key)
    found = problem(EndpointModel(model_settings(server)))
    assert isinstance(found, ModelUnavailable) and "holds characters" in found.what and "sk-" not in str(found)


def test_unknown_model_is_reported(server: ModelServer) -> None:
    found = problem(EndpointModel(model_settings(server, name="absent")))
    assert isinstance(found, ModelUnavailable) and "has no model absent" in found.what


@pytest.mark.parametrize(
    ("base_url", "what"),
    [
        ("http://no-such-host.invalid/v1", "cannot be reached"),
        ("localhost:1/v1", "cannot be reached"),
        ("ftp://localhost/v1", "cannot be reached"),
        ("http://[::1/v1", "can be set up"),
        ("http://ada:hidden@[::1/v1?key=hidden", "can be set up"),
    ],
)
def test_unreachable_addresses_are_reported(server: ModelServer, base_url: str, what: str) -> None:
    found = problem(EndpointModel(model_settings(server, base_url=base_url)))
    assert isinstance(found, ModelUnavailable) and what in found.what and "base_url under [model]" in found.next_step
    assert "hidden" not in str(found)


def test_closed_port_is_reported(server: ModelServer) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        found = problem(EndpointModel(model_settings(server, base_url=url)))
    assert isinstance(found, ModelUnavailable) and f"{url} cannot be reached" in found.what
    assert "the server is running" in found.next_step and "proxy" not in found.next_step


def test_address_without_its_path_is_reported(server: ModelServer) -> None:
    found = problem(EndpointModel(model_settings(server, base_url=server.azure_url)))
    assert isinstance(found, ModelUnavailable) and "(404)" in found.what and "/v1" in found.next_step


def test_unreachable_proxy_is_reported(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    found = problem(EndpointModel(model_settings(server, base_url="http://model.invalid/v1")))
    assert isinstance(found, ModelUnavailable) and "the proxy that the environment names" in found.next_step
    monkeypatch.setenv("HTTP_PROXY", "nonsense://127.0.0.1:1")
    found = problem(EndpointModel(model_settings(server, base_url="http://model.invalid/v1")))
    assert isinstance(found, ModelUnavailable) and "HTTP_PROXY" in found.next_step


def test_request_beyond_the_context_window_is_not_sent(server: ModelServer) -> None:
    for streamed in (False, True):
        model = EndpointModel(model_settings(server, context_tokens=2000))
        found = problem(model, streamed, question("word " * 1800))
        assert isinstance(found, NoReply) and "has about 1808 tokens, recorded holds 2000" in found.what
        assert "[chunking]" in found.next_step and "[retrieval]" in found.next_step
    assert not server.asked


def test_slow_connection_times_out() -> None:
    endpoint = Endpoint(EndpointSettings(base_url="http://host/v1", key_variable=""), "model")

    class ConnectTimeout(Exception):
        pass

    class ProxyError(Exception):
        pass

    request = _request()
    late, proxy = openai.APITimeoutError(request), openai.APIConnectionError(request=request)
    late.__cause__, proxy.__cause__ = ConnectTimeout(), ProxyError("403 Forbidden")
    assert str(translate_errors(late, endpoint, "m")).startswith("http://host/v1 cannot be reached (ConnectTimeout)")
    found = translate_errors(proxy, endpoint, "m")
    assert isinstance(found, ModelUnavailable) and "(403 Forbidden)" in found.what and "NO_PROXY" in found.next_step


def test_errors_are_not_redacted_without_a_key() -> None:
    assert Endpoint(EndpointSettings(key_variable=""), "model").quoted("none\nof it") == "none of it"


def test_key_appears_in_no_log_or_repr(server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    settings = model_settings(server)
    model = EndpointModel(settings)
    assert say(model, question(), True).text == REPLY
    server.misbehave(Status(401, message=f"Not {KEY}"))
    try:
        say(model, question(), False)
    except ModelUnavailable:
        logging.getLogger("polyadic").exception("failed")
    assert "failed" in caplog.text and KEY not in caplog.text
    held = [settings, model, model.endpoint, vars(model), vars(model.endpoint), question(), ChatMessage("user", "")]
    assert KEY not in repr(held)


def test_special_token_text_is_sent_as_text(server: ModelServer) -> None:
    server.misbehave(Replaced("<|endoftext|> and \x00"), CutText())
    reply = say(EndpointModel(model_settings(server)), question("<|endoftext|> " * 20), False)
    assert reply.text.startswith("<|endo") and reply.usage.completion_tokens > 1 and not reply.complete


def _request() -> Any:
    # Of the client's own HTTP library, whichever that is.
    from openai import OpenAI

    with OpenAI(api_key="none") as client:
        return client._client.build_request("POST", "http://host/v1")
