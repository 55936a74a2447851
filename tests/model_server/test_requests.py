"""What requests must keep to: JSON modes, parameters, the context."""

from typing import Any

import openai
import pytest

from tests.model_server import ModelServer, needle, says
from tests.model_server.client import ask, client, text_of


def schema(strict: bool = True, **changes: Any) -> dict[str, Any]:
    """A response format for an object with a name."""
    properties = {"name": {"type": "string"}}
    body = {"type": "object", "properties": properties, "required": ["name"], "additionalProperties": False, **changes}
    return {"type": "json_schema", "json_schema": {"name": "named", "schema": body, "strict": strict}}


def test_reply_matches_the_schema() -> None:
    with ModelServer([says('{"name": "Ada"}')]) as server, client(server) as opened:
        assert text_of(ask(opened, response_format=schema())) == '{"name": "Ada"}'
        assert server.asked[0].schema == schema()["json_schema"]["schema"]
        server.responders = [says('{"name": 1}')]
        with pytest.raises(openai.InternalServerError, match="1 is not of type 'string'"):
            ask(opened, response_format=schema())
        server.responders = [says("Ada")]
        with pytest.raises(openai.InternalServerError, match="is not JSON"):
            ask(opened, response_format=schema())


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"additionalProperties": True}, "'additionalProperties' is required"),
        ({"required": []}, "Missing 'name'"),
        ({"type": "array"}, "type: 'array'"),
        ({"default": {}}, "'default' is not permitted"),
        ({"$defs": {"inner": {"type": "object"}}}, "'inner'"),
        ({"type": "nothing"}, "'nothing' is not valid"),
    ],
)
def test_strict_schemas_are_checked(changes: dict[str, Any], complaint: str) -> None:
    with (
        ModelServer([says('{"name": "Ada"}')]) as server,
        client(server) as opened,
        pytest.raises(openai.BadRequestError, match=complaint) as error,
    ):
        ask(opened, response_format=schema(**changes))
    assert error.value.param == "response_format"


def test_non_strict_schemas_are_accepted() -> None:
    with ModelServer([says('{"name": "Ada"}')]) as server, client(server) as opened:
        assert ask(opened, response_format=schema(strict=False, additionalProperties=True))


def test_json_object_mode_requires_the_word_json() -> None:
    with ModelServer([says("{}")]) as server, client(server) as opened:
        assert text_of(ask(opened, "As JSON", response_format={"type": "json_object"})) == "{}"
        with pytest.raises(openai.BadRequestError, match="must contain the word 'json'"):
            ask(opened, "As you like", response_format={"type": "json_object"})


def test_missing_json_modes_are_imitated() -> None:
    with ModelServer([says("{}")], json_modes={"json_object"}) as server, client(server) as opened:
        assert ask(opened, response_format={"type": "json_object"})
        with pytest.raises(openai.BadRequestError, match="not supported") as error:
            ask(opened, response_format=schema())
    assert error.value.param == "response_format"


@pytest.mark.parametrize(
    ("name", "value", "code", "message"),
    [
        ("temperature", 0.2, "unsupported_value", "does not support 0.2"),
        ("max_tokens", 5, "unsupported_parameter", "Use 'max_completion_tokens' instead"),
        ("max_completion_tokens", 5, "unsupported_parameter", "Use 'max_tokens' instead"),
        ("seed", 1, "unsupported_parameter", "not supported"),
    ],
)
def test_refused_parameters_are_imitated(name: str, value: float, code: str, message: str) -> None:
    with ModelServer([says("Hello.")], refuses={name}) as server, client(server) as opened:
        assert ask(opened)
        with pytest.raises(openai.BadRequestError, match=message) as error:
            ask(opened, **{name: value})
    assert (error.value.param, error.value.code) == (name, code)


@pytest.mark.parametrize("wrong", [{"messages": []}, {"temperature": 3}, {"max_tokens": 0}, {"model": 1}])
def test_invalid_requests_are_refused(wrong: dict[str, Any]) -> None:
    with ModelServer([says("Hello.")]) as server, client(server) as opened, pytest.raises(openai.BadRequestError):
        ask(opened, **wrong)


def test_a_prompt_longer_than_the_context_is_an_error() -> None:
    with ModelServer([says("Hello.")], context_tokens=50) as server, client(server) as opened:
        assert ask(opened, "word " * 30)
        with pytest.raises(openai.BadRequestError, match="maximum context length is 50") as error:
            ask(opened, "word " * 60)
    assert error.value.code == "context_length_exceeded"
    assert server.calls[1].prompt_tokens == 0


def test_silent_prompt_truncation_is_imitated() -> None:
    text = "The pass phrase is ocelot.\n" + "word " * 60 + "What is the pass phrase?"
    with ModelServer([needle()], context_tokens=200, truncates_silently=True) as server, client(server) as opened:
        assert text_of(ask(opened, text)) == "ocelot"
        server.context_tokens = 50
        reply = ask(opened, text)
    assert text_of(reply) == "unknown"
    assert 40 <= reply.usage.prompt_tokens <= 50
    assert server.calls[1].asked.text == text


def test_unanswered_request_fails_the_test() -> None:
    with ModelServer() as server, client(server) as opened:
        with pytest.raises(openai.InternalServerError, match="no responder"):
            ask(opened)
        server.responders = [lambda asked: str(asked.messages[7])]
        with pytest.raises(openai.InternalServerError, match="IndexError"):
            ask(opened)
