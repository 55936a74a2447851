"""A model that is asked by file sends nothing, and says what it would send."""

import asyncio
from typing import Any

import pytest

from polyadic.config import ModelSettings
from polyadic.errors import NoReply
from polyadic.llm.batch_model import BatchModel, ReplyPending
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ChatMessage, ModelReply, ModelRequest, ReplySchema
from polyadic.model.types import Usage

SETTINGS = ModelSettings(name="m", key_variable="KEY_THAT_NOBODY_SET", prompt_price=1.0, completion_price=2.0)
REQUEST = ModelRequest("extract", (ChatMessage("user", "Who?"),), ReplySchema("names", {"type": "object"}))
REPLY = ModelReply("Ada.", True, Usage(1, 5, 2), 0.0)


def model(known: dict[str, ModelReply] | None = None, **settings: Any) -> BatchModel:
    given = EndpointModel(SETTINGS.model_copy(update=settings))
    return BatchModel(given, (known or {}).get)


async def streamed(asked: BatchModel) -> list[str | ModelReply]:
    return [piece async for piece in asked.stream(REQUEST)]


def test_pending_request_contains_what_would_be_sent() -> None:
    with pytest.raises(ReplyPending) as raised:
        asyncio.run(model(json_mode="object", output_tokens=300).complete(REQUEST))
    (noted,) = raised.value.requests
    assert (noted.key, noted.purpose) == (REQUEST.key("m"), "extract")
    assert noted.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Who?"}],
        "max_tokens": 300,
        "temperature": 0.0,
        "response_format": {"type": "json_object"},
    }


def test_cached_reply_is_returned() -> None:
    known = model({REQUEST.key("m"): REPLY})
    known.check()
    assert asyncio.run(known.complete(REQUEST)) == REPLY
    assert asyncio.run(streamed(known)) == ["Ada.", REPLY]
    assert known.max_usage(REQUEST).completion_tokens == SETTINGS.output_tokens


def test_request_beyond_the_context_window_is_not_written() -> None:
    with pytest.raises(NoReply, match="holds 1000"):
        asyncio.run(model(context_tokens=1000).complete(ModelRequest("extract", (ChatMessage("user", "why " * 2000),))))


def test_fetched_reply_is_read() -> None:
    usage = {"prompt_tokens": 1_000_000, "completion_tokens": 500_000}
    choice = {"message": {"role": "assistant", "content": "Ada."}, "finish_reason": "length"}
    reply = EndpointModel(SETTINGS).read({"choices": [choice], "usage": usage})
    assert reply == ModelReply("Ada.", False, Usage(1, 1_000_000, 500_000, 2.0), 0.0)


@pytest.mark.parametrize("name", ["_fields_set", "_ModelT__cls", "self", "cls", "values"])
def test_extra_fields_of_a_response_are_ignored(name: str) -> None:
    body = {"choices": [{"message": {"content": "Ada."}}], name: 1}
    assert EndpointModel(SETTINGS).read(body).text == "Ada."


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}, "refuses"),
        ({"message": {"content": ""}, "finish_reason": "content_filter"}, "content filter"),
        ({"message": {"content": " "}, "finish_reason": "stop"}, "empty reply"),
        ({"message": "what"}, "empty reply"),
        ("what", "empty reply"),
    ],
)
def test_unusable_fetched_reply_is_refused(choice: object, said: str) -> None:
    with pytest.raises(NoReply, match=said):
        EndpointModel(SETTINGS).read({"choices": [choice], "usage": None})
