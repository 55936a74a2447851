"""What the tests of the server ask, by the official client."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import openai

from tests.model_server.server import ModelServer

FACTS = 'Give the facts as JSON: {"facts": [...]}.'
SENTENCES = "[1] Ada Lovelace wrote to Charles Babbage in 1843.\n[2] The Analytical Engine was never built."


@contextmanager
def client(server: ModelServer, key: str = "sk-test", **settings: Any) -> Iterator[openai.OpenAI]:
    """The official client, without retries unless told otherwise."""
    # Without certificates, which take long to load and which nobody needs for plain HTTP.
    bare = openai.DefaultHttpxClient(verify=False)
    defaults = {"max_retries": 0, "timeout": 30.0, "http_client": bare}
    with openai.OpenAI(base_url=server.url, api_key=key, **{**defaults, **settings}) as opened:
        yield opened


def ask(opened: openai.OpenAI, text: str = f"{FACTS}\n{SENTENCES}", /, **parameters: Any) -> Any:
    """One completion for one message of a user."""
    messages = [{"role": "user", "content": text}]
    return opened.chat.completions.create(**{"model": "recorded", "messages": messages, **parameters})


def text_of(reply: Any) -> str:
    return str(reply.choices[0].message.content)
