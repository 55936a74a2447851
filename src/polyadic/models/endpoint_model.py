"""A language model behind an endpoint that speaks the OpenAI protocol."""

from collections.abc import AsyncIterator, Awaitable, Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from polyadic.errors import NoReply, PolyadicError
from polyadic.knowledge import Usage
from polyadic.models.dialect import Dialect
from polyadic.models.endpoint import Endpoint
from polyadic.models.language_model import Reply, Request
from polyadic.models.tokens import count_tokens
from polyadic.settings import ModelSettings

if TYPE_CHECKING:
    from openai.types.completion_usage import CompletionUsage

T = TypeVar("T")

_PRICED_TOKENS = 1_000_000
# What a chat endpoint wraps around each message, and around the reply.
_AROUND_A_MESSAGE, _AROUND_A_REPLY = 4, 3


class EndpointModel:
    """Implements LanguageModel.

    Calls that failed in passing (too many at once, a busy server) are made again by the client; parameters that the
    endpoint does not know are left out from then on.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self.name = settings.name
        self.context_tokens = settings.context_tokens
        self.output_tokens = min(settings.output_tokens, settings.context_tokens // 2)
        self.endpoint = Endpoint(settings, "model")
        self._settings = settings.model_copy(update={"output_tokens": self.output_tokens})
        self.dialect = Dialect() if settings.json_mode == "auto" else Dialect(json_mode=settings.json_mode)

    async def ask(self, request: Request) -> Reply:
        """The reply, once it is whole; raises as LanguageModel.ask says."""

        async def call(client: Any, body: dict[str, Any]) -> Reply:
            started = perf_counter()
            completion = await client.chat.completions.create(**body)
            choices = getattr(completion, "choices", None)
            if not choices:
                raise NoReply(
                    f"{self.endpoint.address} sent a reply without any text", "polyadic doctor looks for the reason"
                )
            message = choices[0].message
            text = self._checked(message.content or "", getattr(message, "refusal", None), choices[0].finish_reason)
            usage = self._usage(request, text, completion.usage)
            return Reply(text, choices[0].finish_reason != "length", usage, perf_counter() - started)

        return await self._answered(request, call)

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        """The pieces as they come, then the whole; raises as LanguageModel.ask does."""
        started = perf_counter()

        async def call(client: Any, body: dict[str, Any]) -> Any:
            if self.dialect.streamed_usage:
                body["stream_options"] = {"include_usage": True}
            return await client.chat.completions.create(stream=True, **body)

        import openai

        pieces: list[str] = []
        finish, refusal, usage = None, "", None
        stream = await self._answered(request, call)
        try:
            async for event in stream:
                usage = event.usage or usage
                for choice in event.choices[:1]:
                    finish = choice.finish_reason or finish
                    refusal += getattr(choice.delta, "refusal", None) or ""
                    if choice.delta.content:
                        pieces.append(choice.delta.content)
                        yield choice.delta.content
        except openai.OpenAIError as error:
            raise self._explained(error) from error
        except Exception as error:
            # The client passes on what its HTTP library raises in the middle of a stream.
            if type(error).__module__.split(".")[0] not in ("httpx", "httpx2", "httpcore", "httpcore2"):
                raise
            raise NoReply(
                f"{self.endpoint.address} cut the connection in the middle of its reply", "try again"
            ) from error
        finally:
            await stream.close()
        text = self._checked("".join(pieces), refusal, finish)
        yield Reply(text, finish != "length", self._usage(request, text, usage), perf_counter() - started)

    async def close(self) -> None:
        await self.endpoint.close()

    async def _answered(self, request: Request, call: Callable[[Any, dict[str, Any]], Awaitable[T]]) -> T:
        """Make a call, in the next dialect where this one is refused."""
        import openai

        while True:
            dialect = self.dialect
            try:
                async with self.endpoint.turn(self._expected(request)) as client:
                    return await call(client, dialect.body(request, self._settings))
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                adapted = dialect.without(f"{error.param or ''} {error.message}")
                if adapted is None:
                    raise self._explained(error) from error
                self.dialect = adapted
            except openai.OpenAIError as error:
                raise self._explained(error) from error
            except ValueError as error:
                raise NoReply(
                    f"{self.endpoint.address} sent what is no JSON", "check base_url; it often ends in /v1"
                ) from error

    def _expected(self, request: Request) -> int:
        """How many tokens a call may take; counted only where these are limited."""
        limited = self._settings.tokens_per_minute > 0
        return prompt_tokens(request) + self.output_tokens // 4 if limited else 0

    def _explained(self, error: Any) -> PolyadicError:
        from polyadic.models.endpoint_errors import explained

        return explained(error, self.endpoint, self.name)

    def _checked(self, text: str, refusal: str | None, finish: str | None) -> str:
        if refusal:
            raise NoReply(f"{self.name} refuses ({' '.join(refusal.split())[:200]})", "nothing can be done from here")
        if finish == "content_filter":
            raise NoReply(
                f"{self.endpoint.address} withholds the reply by its content filter", "nothing can be done from here"
            )
        if not text.strip():
            raise NoReply(f"{self.name} sent an empty reply", "polyadic doctor looks for the reason")
        return text

    def _usage(self, request: Request, text: str, reported: "CompletionUsage | None") -> Usage:
        """As the endpoint reports it, or as counted here where it does not."""
        sent = reported.prompt_tokens if reported else prompt_tokens(request)
        received = reported.completion_tokens if reported else count_tokens([text])[0]
        return Usage(1, sent, received, price(sent, received, self._settings))


def prompt_tokens(request: Request) -> int:
    """About how many tokens a request has, as a chat endpoint counts them.

    >>> from polyadic.models.language_model import Message
    >>> prompt_tokens(Request("answer", (Message("user", "Ada Lovelace"),)))
    11
    """
    texts = [message.text for message in request.messages]
    return sum(count_tokens(texts)) + _AROUND_A_MESSAGE * len(texts) + _AROUND_A_REPLY


def price(prompt_tokens: int, completion_tokens: int, settings: ModelSettings) -> float:
    """What so many tokens cost, in the currency of the settings' prices.

    >>> price(2_000_000, 1_000_000, ModelSettings(prompt_price=0.15, completion_price=0.6))
    0.9
    """
    money = prompt_tokens * settings.prompt_price + completion_tokens * settings.completion_price
    return money / _PRICED_TOKENS
