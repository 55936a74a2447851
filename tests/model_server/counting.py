"""Tokens of prompts and replies, and texts cut to a number of them."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from polyadic.text.tokens import count_tokens
from tests.model_server.types import Asked, Message

_A_MESSAGE, _START_OF_REPLY = 4, 3


def tokens_of(text: str) -> int:
    return count_tokens([text])[0]


def prompt_tokens(messages: Sequence[Message]) -> int:
    return sum(count_tokens([m.text for m in messages])) + _A_MESSAGE * len(messages) + _START_OF_REPLY


def beginning(text: str, tokens: int) -> str:
    """As much of the beginning of a text as has no more than so many tokens."""
    if tokens_of(text) <= tokens:
        return text
    return text[: max(0, bisect_right(range(len(text)), tokens, key=lambda end: tokens_of(text[:end])) - 1)]


def ending(text: str, tokens: int) -> str:
    """As much of the end of a text as has no more than so many tokens."""
    if tokens_of(text) <= tokens:
        return text
    kept = max(0, bisect_right(range(len(text)), tokens, key=lambda size: tokens_of(text[len(text) - size :])) - 1)
    return text[len(text) - kept :]


def truncated(asked: Asked, limit: int) -> Asked:
    """What a model with a small window reads of a request when nobody tells it to complain: the end."""
    left, kept = limit - _START_OF_REPLY, list[Message]()
    for message in reversed(asked.messages):
        left -= _A_MESSAGE
        if left <= 0:
            break
        kept.append(Message(message.role, ending(message.text, left)))
        left -= tokens_of(kept[-1].text)
    return replace(asked, messages=tuple(reversed(kept)))
