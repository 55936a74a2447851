"""What an endpoint refuses is learned once, and left out from then on."""

from collections.abc import Collection, Iterator
from typing import Any

import pytest

from polyadic.config import ModelSettings
from polyadic.errors import NoReply
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.provider_quirks import ProviderQuirks
from tests.llm.endpoint_help import SCHEMA, Sends, ask, model_settings, question, say, stream
from tests.model_server import ModelServer, Status, says

REPLY = '{"answer": "Ada"}'


@pytest.fixture(scope="module")
def shared() -> Iterator[ModelServer]:
    with ModelServer([says(REPLY)]) as running:
        yield running


@pytest.fixture
def server(shared: ModelServer) -> ModelServer:
    shared.reset()
    shared.json_modes, shared.refuses = ("json_schema", "json_object"), ()
    return shared


def model_of(server: ModelServer, **values: Any) -> EndpointModel:
    return EndpointModel(model_settings(server, key_variable="", **values))


@pytest.mark.parametrize(
    ("modes", "refused", "learned", "calls"),
    [
        (("json_schema", "json_object"), (), ProviderQuirks(), 1),
        (("json_object",), (), ProviderQuirks(json_mode="object"), 2),
        ((), (), ProviderQuirks(json_mode="text"), 3),
        (("json_schema",), ("temperature",), ProviderQuirks(temperature=False), 2),
        (("json_schema",), ("max_tokens",), ProviderQuirks(limit="max_completion_tokens"), 2),
        ((), ("temperature", "max_tokens"), ProviderQuirks("text", "max_completion_tokens", False), 5),
    ],
)
def test_refused_parameters_are_learned_once(
    server: ModelServer, modes: Collection[str], refused: Collection[str], learned: ProviderQuirks, calls: int
) -> None:
    server.json_modes, server.refuses = modes, refused
    model = model_of(server)
    for _ in range(2):
        assert ask(model, question(schema=SCHEMA))[0].text == REPLY
    assert model.dialect == learned
    assert [call.status for call in server.calls] == [400] * (calls - 1) + [200, 200]


def test_streams_learn_refused_parameters(server: ModelServer) -> None:
    server.json_modes, server.refuses = ("json_object",), ("stream_options", "temperature")
    model = model_of(server)
    for _ in range(2):
        pieces, reply = stream(model, question(schema=SCHEMA))
        assert "".join(pieces) == reply.text == REPLY
    assert model.dialect == ProviderQuirks("object", temperature=False, streamed_usage=False)
    assert [call.status for call in server.calls] == [400, 400, 400, 200, 200]


def test_concurrent_calls_learn_together(server: ModelServer) -> None:
    server.json_modes, server.refuses, server.delay = (), ("temperature", "max_tokens"), 0.01
    model = model_of(server)
    replies = ask(model, *[question(schema=SCHEMA)] * 16)
    assert {reply.text for reply in replies} == {REPLY}
    assert model.dialect == ProviderQuirks("text", "max_completion_tokens", False)
    # Each call is refused once for each of four things at most, and the next one for none.
    assert len(server.calls) <= 16 * 5
    server.chat.reset()
    ask(model, question(schema=SCHEMA))
    assert [call.status for call in server.calls] == [200]


@pytest.mark.parametrize(("mode", "sent"), [("schema", "json_schema"), ("object", "json_object"), ("text", None)])
def test_configured_json_mode_is_tried_first(server: ModelServer, mode: str, sent: str | None) -> None:
    ask(model_of(server, json_mode=mode), question(schema=SCHEMA))
    ask(model_of(server, json_mode=mode), question())
    with_schema, without = server.asked
    assert with_schema.json_mode == sent and without.json_mode is None
    # Nothing but the format of the reply differs.
    assert {k: v for k, v in with_schema.body.items() if k != "response_format"} == without.body
    if sent == "json_schema":
        assert with_schema.schema == SCHEMA.schema and with_schema.body["response_format"]["json_schema"]["strict"]


def test_configured_json_mode_falls_back_if_refused(server: ModelServer) -> None:
    server.json_modes = ()
    model = model_of(server, json_mode="object")
    ask(model, question(schema=SCHEMA))
    assert [call.status for call in server.calls] == [400, 200] and model.dialect.json_mode == "text"


@pytest.mark.parametrize("streamed", [False, True])
def test_unrelated_errors_change_no_parameter(server: ModelServer, streamed: bool) -> None:
    server.misbehave(Status(400, message="Bad request"))
    model = model_of(server)
    with pytest.raises(NoReply, match="Bad request"):
        say(model, question(schema=SCHEMA), streamed)
    assert model.dialect == ProviderQuirks() and len(server.calls) == 1


def test_refusals_of_other_frameworks_are_understood(server: ModelServer) -> None:
    detail = '{"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}'
    server.misbehave(Sends(detail, status=422))
    model = model_of(server)
    assert stream(model, question())[1].text == REPLY
    assert model.dialect == ProviderQuirks(streamed_usage=False)


def test_too_high_limit_is_not_an_unknown_parameter(server: ModelServer) -> None:
    said = "'max_tokens' is too large: 8000. This model's maximum context length is 8192 tokens."
    server.misbehave(Status(400, message=said))
    model = model_of(server)
    with pytest.raises(NoReply, match="longer than recorded can hold"):
        ask(model, question(schema=SCHEMA))
    assert model.dialect == ProviderQuirks() and len(server.calls) == 1


@pytest.mark.parametrize(
    ("said", "learned"),
    [
        ("This response_format type is unavailable now", ProviderQuirks("object")),
        ("This model does not support response format `json_schema`", ProviderQuirks("object")),
        (
            "[{'loc': ['body', 'stream_options'], 'msg': 'Extra inputs are not permitted'}]",
            ProviderQuirks(streamed_usage=False),
        ),
        ("Use 'max_completion_tokens' instead of max_tokens", ProviderQuirks(limit="max_completion_tokens")),
        ("It went wrong", None),
    ],
)
def test_refusal_wordings_are_recognized(said: str, learned: ProviderQuirks | None) -> None:
    assert ProviderQuirks().without(said) == learned


def test_learning_terminates() -> None:
    dialect: ProviderQuirks | None = ProviderQuirks()
    steps = 0
    while dialect:
        learned, dialect = dialect, dialect.without("temperature max_tokens stream_options response_format")
        steps += 1
    assert (learned, steps) == (ProviderQuirks("text", "max_completion_tokens", False, False), 6)


def test_lone_surrogates_are_replaced() -> None:
    body = ProviderQuirks().body(question("Ada\udc80?"), ModelSettings(name="m"), 100)
    assert body["messages"] == [{"role": "user", "content": "Ada??"}]
    assert (body["max_tokens"], body["temperature"], "stream" in body) == (100, 0.0, False)


def test_endpoint_without_streaming_is_called_without_it(server: ModelServer) -> None:
    whole = '{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Ada."}}]}'
    server.misbehave(Sends(whole), times=None)
    model = model_of(server)
    for _ in range(2):
        pieces, reply = stream(model, question())
        assert pieces == ["Ada."] and reply.text == "Ada." and reply.complete
    # What came in answer to the first was paid, and is read.
    assert [asked.stream for asked in server.asked] == [True, False]


@pytest.mark.parametrize("body", ['{"error": "I cannot stream."}', "[1]", "{", '{"choices": "none"}', b"\xff"])
def test_json_that_is_no_completion_is_retried(server: ModelServer, body: str | bytes) -> None:
    server.misbehave(Sends(body))
    _, reply = stream(model_of(server), question())
    assert (reply.text, [asked.stream for asked in server.asked]) == (server.calls[1].text, [True, False])


def test_refusal_instead_of_a_stream_is_not_retried(server: ModelServer) -> None:
    message = '"message": {"role": "assistant", "refusal": "No."}'
    server.misbehave(Sends(f'{{"choices": [{{"index": 0, {message}}}], "usage": {{"prompt_tokens": 7}}}}'))
    with pytest.raises(NoReply, match="refuses") as raised:
        stream(model_of(server), question())
    assert raised.value.usage and raised.value.usage.prompt_tokens == 7 and len(server.asked) == 1
