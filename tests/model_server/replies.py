"""Replies as they go over the wire: one JSON object, or a stream of them."""

import time
from collections.abc import Iterator
from typing import Any

from tests.model_server.types import Asked, Said

_PIECE = 12


def usage_of(prompt_tokens: int, completion_tokens: int) -> dict[str, int]:
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }


def whole(asked: Asked, said: Said, usage: dict[str, int]) -> dict[str, Any]:
    message = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": said.finish_reason}
    reply = _head(asked, "chat.completion") | {"choices": [choice] if said.choices else []}
    return reply | {"usage": usage} if said.usage else reply


def chunks(asked: Asked, said: Said, usage: dict[str, int]) -> Iterator[dict[str, Any]]:
    """The events of a stream, without the closing ``[DONE]``."""
    head, with_usage = _head(asked, "chat.completion.chunk"), _wants_usage(asked)
    if with_usage:
        head["usage"] = None
    for delta in _deltas(said) if said.choices else ():
        yield head | {"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}]}
    if said.choices:
        yield head | {"choices": [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": said.finish_reason}]}
    else:
        yield head | {"choices": []}
    if with_usage and said.usage:
        yield head | {"choices": [], "usage": usage}


def _deltas(said: Said) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if said.text is None else "", "refusal": None}
    text = said.text or ""
    # A long reply comes in a thousand pieces at most.
    size = max(_PIECE, len(text) // 1000)
    yield from ({"content": text[at : at + size]} for at in range(0, len(text), size))
    if said.refusal is not None:
        yield {"refusal": said.refusal}


def _wants_usage(asked: Asked) -> bool:
    return bool((asked.body.get("stream_options") or {}).get("include_usage"))


def _head(asked: Asked, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{asked.number}",
        "object": kind,
        "created": int(time.time()),
        "model": asked.model,
        "system_fingerprint": None,
    }
