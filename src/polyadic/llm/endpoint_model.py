"""A language model behind an endpoint that speaks the OpenAI protocol."""

import json
import math
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

from polyadic.config import EndpointSettings, ModelSettings
from polyadic.errors import NoReply
from polyadic.llm.call_tracing import chat_span
from polyadic.llm.endpoint_connection import Endpoint
from polyadic.llm.endpoint_reply import READ, EndpointReply
from polyadic.llm.language_model import ChatMessage, ModelReply, ModelRequest
from polyadic.llm.provider_quirks import ProviderQuirks
from polyadic.llm.rate_limiter import RateLimits
from polyadic.model.types import Usage
from polyadic.text.tokens import count_tokens

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_CHAT = "/chat/completions"
_PRICED_TOKENS = 1_000_000
TOKENS_PER_IMAGE = 3000
"""Tokens that an image of a page is assumed to have; models differ."""
# Tokens that a chat endpoint adds to each message, and to the reply.
_AROUND_A_MESSAGE, _AROUND_A_REPLY = 4, 3
TOKENIZER_MARGIN = 1.1
"""Factor of prompt tokens: they are counted with OpenAI's tokenizer, and another one may need a few more."""
# With less room for the reply than this, fail with a message instead of requesting a useless fragment.
_LEAST_REPLY, _LEAST_SHARE = 200, 0.1


class EndpointModel:
    """A LanguageModel behind an endpoint.

    The client retries transient failures (too many calls, a busy server). Parameters that the endpoint rejects are left
    out from then on. ``section`` is the section of the settings, for messages.
    """

    def __init__(
        self,
        settings: ModelSettings,
        limits: Callable[[EndpointSettings], RateLimits] = RateLimits.of,
        section: str = "model",
    ) -> None:
        self.name = settings.name
        self.context_tokens = settings.context_tokens
        self.output_tokens = settings.output_tokens
        self.batch_discount = settings.batch_discount
        self.endpoint = Endpoint(settings, section, limits)
        self.dialect = (
            ProviderQuirks() if settings.json_mode == "auto" else ProviderQuirks(json_mode=settings.json_mode)
        )
        self._settings = settings

    @property
    def batch_url(self) -> str:
        """URL of the request lines of batch files, as a path; Azure's has no version."""
        return _CHAT if self._settings.azure_api_version else f"/v1{_CHAT}"

    @property
    def throttle_count(self) -> int:
        return self.endpoint.throttle_count

    def check(self) -> None:
        """Raise as LanguageModel.check if the key is missing."""
        _ = self.endpoint.key

    def max_usage(self, request: ModelRequest) -> Usage:
        """Return the maximum cost as LanguageModel.most; prompt tokens have a margin, because tokenizers differ."""
        sent, longest = self._room(request)
        counted = math.ceil(sent * TOKENIZER_MARGIN)
        return Usage(1, counted, longest, price(counted, longest, self._settings))

    def estimate_usage(self, request: ModelRequest, text: str) -> Usage:
        return self._usage(EndpointReply([text]), prompt_tokens(request))

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return the complete reply; raises as LanguageModel.complete."""
        sent, longest = self._room(request)
        response = EndpointReply()
        async with self._turn(sent, longest) as client:
            started = perf_counter()
            with chat_span(self.endpoint, self.name, request, sent, longest, response):
                response.add(await self._call(client, request, longest))
            seconds = perf_counter() - started
        return self._reply(response, sent, seconds)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """Yield pieces of the reply, then the complete reply; raises as LanguageModel.complete."""
        sent, longest = self._room(request)
        response = EndpointReply()
        streamed = self.dialect.streams
        if streamed:
            # Events are read while holding the limiter: a call runs until its last event.
            async with self._turn(sent, longest) as client:
                started = perf_counter()
                with chat_span(self.endpoint, self.name, request, sent, longest, response):
                    stream = await self._call(client, request, longest, stream=True)
                    try:
                        streamed = not _is_json(stream)
                        if streamed:
                            async for event in stream:
                                if piece := response.add(event):
                                    yield piece
                        else:
                            # The endpoint sent a complete reply instead: do not request streams from now on.
                            self.dialect = replace(self.dialect, streams=False)
                            if piece := response.add(await _completion(stream)):
                                yield piece
                    finally:
                        await stream.close()
                seconds = perf_counter() - started
        if streamed or response.envelope:
            yield self._reply(response, sent, seconds)
            return
        reply = await self.complete(request)
        yield reply.text
        yield reply

    async def close(self) -> None:
        await self.endpoint.close()

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """Return the request body, for sending it elsewhere; raises NoReply as LanguageModel.most."""
        _, longest = self._room(request)
        return self.dialect.body(request, self._settings, longest)

    def read(self, body: Mapping[str, object]) -> ModelReply:
        """Parse a response body that was received elsewhere; raises NoReply as LanguageModel.complete."""
        from openai.types.chat import ChatCompletion

        response = EndpointReply()
        # Other fields of a body could be mistaken for arguments of construct.
        read: dict[str, Any] = {name: body[name] for name in READ if name in body}
        response.add(ChatCompletion.construct(**read))
        return self._reply(response, 0, 0.0)

    def _room(self, request: ModelRequest) -> tuple[int, int]:
        """Return the number of prompt tokens, and the maximum number of reply tokens so that both fit.

        A local server silently truncates a request that does not fit, so it must never be sent.
        """
        sent = prompt_tokens(request)
        left = self.context_tokens - math.ceil(sent * TOKENIZER_MARGIN)
        if left < min(_LEAST_REPLY, self.output_tokens, self.context_tokens * _LEAST_SHARE):
            from polyadic.llm.endpoint_errors import TOO_LONG

            what = f"the request has about {sent} tokens, {self.name} holds {self.context_tokens}, reply included"
            raise NoReply(what, TOO_LONG)
        return sent, min(self.output_tokens, left)

    @asynccontextmanager
    async def _turn(self, sent: int, longest: int) -> AsyncIterator["AsyncOpenAI"]:
        """Yield the client once the limits allow the call; translate its errors.

        The original error is not kept as the cause: the endpoint's message may repeat the key.
        """
        import openai

        from polyadic.llm.endpoint_errors import no_reply, translate_errors

        try:
            # Few replies reach their maximum length.
            async with self.endpoint.turn(sent + longest // 4) as client:
                yield client
        except openai.OpenAIError as error:
            raise translate_errors(error, self.endpoint, self.name) from None
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
            raise no_reply(self.endpoint) from None

    async def _call(self, client: "AsyncOpenAI", request: ModelRequest, longest: int, stream: bool = False) -> Any:
        """Send the request; adapt the parameters and retry where the endpoint rejects one."""
        import openai
        from openai.types.chat import ChatCompletion, ChatCompletionChunk

        from polyadic.llm.endpoint_errors import is_too_long, message_of

        # chat.completions.create would first search the whole request for values to transform. There are none here, and
        # the search takes about as long as sending the request.
        post: Any = client.post
        while True:
            dialect = self.dialect
            try:
                return await post(
                    _CHAT,
                    body=dialect.body(request, self._settings, longest, stream),
                    cast_to=ChatCompletion,
                    options={"security": {"bearer_auth": True}},
                    stream=stream,
                    stream_cls=openai.AsyncStream[ChatCompletionChunk],
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                adapted = None if is_too_long(error) else dialect.without(f"{error.param} {message_of(error)}")
                if adapted is None:
                    raise
                self.dialect = self.dialect.joined(adapted)

    def _reply(self, response: EndpointReply, sent: int, seconds: float) -> ModelReply:
        """Validate the reply; token counts are those reported, or else counted here."""
        text = response.text
        self._check(response, text)
        usage = self._usage(response, sent)
        if flaw := self._flaw(response, text):
            raise NoReply(*flaw, usage=usage, seconds=seconds)
        return ModelReply(text, response.finish != "length", usage, seconds)

    def _usage(self, response: EndpointReply, sent: int) -> Usage:
        sent, received = (
            response.sent or sent,
            response.received or sum(count_tokens([response.text, response.refusal])),
        )
        return Usage(1, sent, received, price(sent, received, self._settings))

    def _check(self, response: EndpointReply, text: str) -> None:
        """Raise NoReply if the response does not have the form of a reply, which costs nothing."""
        from polyadic.llm.endpoint_errors import no_reply

        if response.error and not text:
            what = f"{self.endpoint.address} reports an error ({self.endpoint.quoted(response.error)})"
            raise NoReply(what, "run polyadic doctor to find the reason")
        if not response.envelope:
            raise no_reply(self.endpoint)

    def _flaw(self, response: EndpointReply, text: str) -> tuple[str, str] | None:
        """Return why a paid reply is unusable and the next step; None if it is usable."""
        if response.refusal:
            return f"{self.name} refuses ({self.endpoint.quoted(response.refusal)})", "rephrase the input"
        if response.finish == "content_filter":
            return f"{self.endpoint.address} withheld the reply because of its content filter", "rephrase the input"
        if not text.strip() and response.finish == "length":
            return (
                f"{self.name} used up its tokens before it wrote any text",
                f"raise output_tokens under [{self.endpoint.section}]",
            )
        if not text.strip():
            return f"{self.name} sent an empty reply", "run polyadic doctor to find the reason"
        return None


def load_client() -> None:
    """Import the client ahead of the first call: the import takes seconds and would block the event loop."""
    import openai.types.chat  # noqa: F401

    from polyadic.llm import endpoint_errors, throttled_client  # noqa: F401


def _is_json(stream: Any) -> bool:
    """Return whether an endpoint answered a streaming request with a complete JSON reply."""
    return str(stream.response.headers.get("content-type", "")).startswith("application/json")


async def _completion(stream: Any) -> object:
    """Return the complete reply that came instead of a stream; None if it cannot be read."""
    from openai.types.chat import ChatCompletion

    try:
        return ChatCompletion.construct(**json.loads(await stream.response.aread()))
    except Exception:
        # It ended early, or is JSON of another kind. A request without streaming then succeeds, or the client reports
        # what is wrong.
        return None


def prompt_tokens(request: ModelRequest) -> int:
    """Estimate the number of tokens of a request, as a chat endpoint counts them.

    >>> from polyadic.llm.language_model import ChatMessage
    >>> prompt_tokens(ModelRequest("answer", (ChatMessage("user", "Ada Lovelace"),)))
    11
    """
    counted = sum(map(_tokens, request.messages))
    counted += TOKENS_PER_IMAGE * sum(len(message.images) for message in request.messages)
    return counted + _AROUND_A_MESSAGE * len(request.messages) + _AROUND_A_REPLY


def _tokens(message: ChatMessage) -> int:
    return _of_instructions(message.text) if message.role == "system" else count_tokens([message.text])[0]


@lru_cache(maxsize=64)
def _of_instructions(text: str) -> int:
    """Count the tokens of system messages, which are long and the same in many requests."""
    return count_tokens([text])[0]


def price(prompt_tokens: int, completion_tokens: int, settings: ModelSettings) -> float:
    """Return the cost of these tokens, in the currency of the prices in the settings.

    >>> price(2_000_000, 1_000_000, ModelSettings(prompt_price=0.15, completion_price=0.6))
    0.9
    """
    money = prompt_tokens * settings.prompt_price + completion_tokens * settings.completion_price
    return money / _PRICED_TOKENS
