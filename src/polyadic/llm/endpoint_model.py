"""A language model behind an endpoint that speaks the OpenAI protocol."""

import json
import math
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

from polyadic.config import EndpointSettings, ModelSettings
from polyadic.errors import NoReply
from polyadic.llm.call_tracing import chat_span
from polyadic.llm.endpoint import Endpoint
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
# What a chat endpoint wraps around each message, and around the reply.
_AROUND_A_MESSAGE, _AROUND_A_REPLY = 4, 3
# Tokens are counted in the vocabulary of OpenAI's models; another one may need a few more.
_MARGIN = 1.1
# A shorter reply than this says nothing: better none, and a word why.
_LEAST_REPLY, _LEAST_SHARE = 200, 0.1


class EndpointModel:
    """Implements LanguageModel.

    Calls that failed in passing (too many at once, a busy server) are made again by the client; parameters that the
    endpoint does not know are left out from then on.
    """

    def __init__(
        self, settings: ModelSettings, limits: Callable[[EndpointSettings], RateLimits] = RateLimits.of
    ) -> None:
        self.name = settings.name
        self.context_tokens = settings.context_tokens
        self.output_tokens = settings.output_tokens
        self.endpoint = Endpoint(settings, "model", limits)
        self.dialect = (
            ProviderQuirks() if settings.json_mode == "auto" else ProviderQuirks(json_mode=settings.json_mode)
        )
        self._settings = settings

    @property
    def slowed(self) -> int:
        return self.endpoint.slowed

    def check(self) -> None:
        """Raises as LanguageModel.check says."""
        _ = self.endpoint.key

    def most(self, request: ModelRequest) -> Usage:
        """As LanguageModel.most says; what is sent is counted with a margin, as vocabularies differ."""
        sent, longest = self._room(request)
        counted = math.ceil(sent * _MARGIN)
        return Usage(1, counted, longest, price(counted, longest, self._settings))

    def counted(self, request: ModelRequest, text: str) -> Usage:
        return self._usage(EndpointReply([text]), prompt_tokens(request))

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The reply, once it is whole; raises as LanguageModel.ask says."""
        sent, longest = self._room(request)
        heard = EndpointReply()
        async with self._turn(sent, longest) as client:
            started = perf_counter()
            with chat_span(self.endpoint, self.name, request, sent, longest, heard):
                heard.add(await self._call(client, request, longest))
            seconds = perf_counter() - started
        return self._reply(heard, sent, seconds)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The pieces as they come, then the whole; raises as LanguageModel.ask does."""
        sent, longest = self._room(request)
        heard = EndpointReply()
        streamed = self.dialect.streams
        if streamed:
            # Events are read within the turn: a call is under way until its last one.
            async with self._turn(sent, longest) as client:
                started = perf_counter()
                with chat_span(self.endpoint, self.name, request, sent, longest, heard):
                    stream = await self._call(client, request, longest, stream=True)
                    try:
                        streamed = not _is_json(stream)
                        if streamed:
                            async for event in stream:
                                if piece := heard.add(event):
                                    yield piece
                        else:
                            # It sent the whole instead: from now on it is asked for that.
                            self.dialect = replace(self.dialect, streams=False)
                            if piece := heard.add(await _completion(stream)):
                                yield piece
                    finally:
                        await stream.close()
                seconds = perf_counter() - started
        if streamed or heard.envelope:
            yield self._reply(heard, sent, seconds)
            return
        reply = await self.ask(request)
        yield reply.text
        yield reply

    async def close(self) -> None:
        await self.endpoint.close()

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """What is sent for a request, also where others send it; NoReply as LanguageModel.most says."""
        _, longest = self._room(request)
        return self.dialect.body(request, self._settings, longest)

    def read(self, body: Mapping[str, object]) -> ModelReply:
        """The reply in what came back for a request that others sent; raises NoReply as LanguageModel.ask does."""
        from openai.types.chat import ChatCompletion

        heard = EndpointReply()
        # Whatever else a body holds could pass for an argument of construct.
        read: dict[str, Any] = {name: body[name] for name in READ if name in body}
        heard.add(ChatCompletion.construct(**read))
        return self._reply(heard, 0, 0.0)

    def _room(self, request: ModelRequest) -> tuple[int, int]:
        """How many tokens a request has, and how many its reply may have so that both fit.

        A local server cuts what does not fit off without a word, so it must never be sent.
        """
        sent = prompt_tokens(request)
        left = self.context_tokens - math.ceil(sent * _MARGIN)
        if left < min(_LEAST_REPLY, self.output_tokens, self.context_tokens * _LEAST_SHARE):
            from polyadic.llm.endpoint_errors import TOO_LONG

            what = f"the request has about {sent} tokens, {self.name} holds {self.context_tokens}, reply included"
            raise NoReply(what, TOO_LONG)
        return sent, min(self.output_tokens, left)

    @asynccontextmanager
    async def _turn(self, sent: int, longest: int) -> AsyncIterator["AsyncOpenAI"]:
        """The client, once there is room for the call; what goes wrong with it is explained.

        What the endpoint said is not kept as the cause: it may repeat the key.
        """
        import openai

        from polyadic.llm.endpoint_errors import no_reply, translate_errors

        try:
            # Few replies are as long as they may be.
            async with self.endpoint.turn(sent + longest // 4) as client:
                yield client
        except openai.OpenAIError as error:
            raise translate_errors(error, self.endpoint, self.name) from None
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
            raise no_reply(self.endpoint) from None

    async def _call(self, client: "AsyncOpenAI", request: ModelRequest, longest: int, stream: bool = False) -> Any:
        """What the client returns, in the next dialect where this one is refused."""
        import openai
        from openai.types.chat import ChatCompletion, ChatCompletionChunk

        from polyadic.llm.endpoint_errors import is_too_long, message_of

        # Not by chat.completions.create, which goes through all that is sent for what it has to transform: of what is
        # sent here that is nothing, and finding that out takes about as long as sending it.
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

    def _reply(self, heard: EndpointReply, sent: int, seconds: float) -> ModelReply:
        """The reply, if what was heard is one; its tokens as reported, or as counted here where they are not."""
        text = heard.text
        self._check(heard, text)
        usage = self._usage(heard, sent)
        if flaw := self._flaw(heard, text):
            raise NoReply(*flaw, usage=usage, seconds=seconds)
        return ModelReply(text, heard.finish != "length", usage, seconds)

    def _usage(self, heard: EndpointReply, sent: int) -> Usage:
        sent, received = heard.sent or sent, heard.received or sum(count_tokens([heard.text, heard.refusal]))
        return Usage(1, sent, received, price(sent, received, self._settings))

    def _check(self, heard: EndpointReply, text: str) -> None:
        """Raises NoReply where what came has not even the form of a reply, which nobody is paid for."""
        from polyadic.llm.endpoint_errors import no_reply

        if heard.error and not text:
            what = f"{self.endpoint.address} reports an error ({self.endpoint.quoted(heard.error)})"
            raise NoReply(what, "polyadic doctor looks for the reason")
        if not heard.envelope:
            raise no_reply(self.endpoint)

    def _flaw(self, heard: EndpointReply, text: str) -> tuple[str, str] | None:
        """Why a reply that was paid for is of no use, and what to do about it; None if it is of use."""
        if heard.refusal:
            return f"{self.name} refuses ({self.endpoint.quoted(heard.refusal)})", "nothing can be done from here"
        if heard.finish == "content_filter":
            return f"{self.endpoint.address} withholds the reply by its content filter", "nothing can be done from here"
        if not text.strip() and heard.finish == "length":
            return f"{self.name} used up its tokens before it said anything", "raise output_tokens under [model]"
        if not text.strip():
            return f"{self.name} sent an empty reply", "polyadic doctor looks for the reason"
        return None


def load_client() -> None:
    """Import what calls are made with while nobody waits: it takes seconds, for which a loop would stand still."""
    import openai.types.chat  # noqa: F401

    from polyadic.llm import endpoint_errors, throttled_client  # noqa: F401


def _is_json(stream: Any) -> bool:
    """Whether an endpoint that was asked for a stream sent a whole reply."""
    return str(stream.response.headers.get("content-type", "")).startswith("application/json")


async def _completion(stream: Any) -> object:
    """The whole reply that came instead of a stream; None where it cannot be read."""
    from openai.types.chat import ChatCompletion

    try:
        return ChatCompletion.construct(**json.loads(await stream.response.aread()))
    except Exception:
        # It broke off, or is JSON of another kind: asked for the whole, the endpoint fares better or the client says
        # what is wrong.
        return None


def prompt_tokens(request: ModelRequest) -> int:
    """About how many tokens a request has, as a chat endpoint counts them.

    >>> from polyadic.llm.language_model import ChatMessage
    >>> prompt_tokens(ModelRequest("answer", (ChatMessage("user", "Ada Lovelace"),)))
    11
    """
    counted = sum(map(_tokens, request.messages))
    return counted + _AROUND_A_MESSAGE * len(request.messages) + _AROUND_A_REPLY


def _tokens(message: ChatMessage) -> int:
    return _of_instructions(message.text) if message.role == "system" else count_tokens([message.text])[0]


@lru_cache(maxsize=64)
def _of_instructions(text: str) -> int:
    """Those with which one request after the other begins, longer than what follows."""
    return count_tokens([text])[0]


def price(prompt_tokens: int, completion_tokens: int, settings: ModelSettings) -> float:
    """What so many tokens cost, in the currency of the settings' prices.

    >>> price(2_000_000, 1_000_000, ModelSettings(prompt_price=0.15, completion_price=0.6))
    0.9
    """
    money = prompt_tokens * settings.prompt_price + completion_tokens * settings.completion_price
    return money / _PRICED_TOKENS
