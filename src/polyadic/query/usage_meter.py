"""Usage metering for one question: sum up model calls and record each in the ledger."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from time import perf_counter
from typing import cast

from polyadic.embeddings.embedder import Embedder
from polyadic.errors import NoReply, StoreError
from polyadic.llm.cached_model import NullCache, PaidCall, ResponseCache
from polyadic.llm.language_model import LanguageModel, ModelReply, ModelRequest
from polyadic.model.types import Usage
from polyadic.rerankers.reranker import Reranker


@dataclass(slots=True)
class UsageMeter:
    """The model calls for one question.

    ``usage`` is their total cost, including calls without a usable reply. ``not_entered`` is the reason why a call
    could not be recorded in the ledger; the answer is returned nevertheless, because it is paid for.
    """

    cache: ResponseCache = field(default_factory=NullCache)
    usage: Usage = field(default_factory=Usage)
    not_entered: str = ""

    async def pay(self, request: ModelRequest, model: str, usage: Usage, seconds: float) -> None:
        """Add the cost of a call and record it in the ledger; the reply is not cached."""
        self.usage += usage
        await self._enter(request, model, usage, seconds)

    async def enter_embedding(self, embedder: Embedder) -> None:
        """Record the cost of embedding at an endpoint as one call, in the ledger only."""
        usage, seconds = embedder.take_usage()
        if usage.calls:
            await self._enter(ModelRequest("embed", ()), embedder.name, usage, seconds)

    async def enter_reranking(self, reranker: Reranker) -> None:
        """Record the cost of reranking at an endpoint as one call."""
        usage, seconds = reranker.take_usage()
        if usage.calls:
            await self._enter(ModelRequest("rerank", ()), reranker.name, usage, seconds)

    async def _enter(self, request: ModelRequest, model: str, usage: Usage, seconds: float) -> None:
        try:
            # In a thread: the write may have to wait for another transaction.
            paid = PaidCall(request, model, ModelReply("", False, usage, seconds), remember=False)
            await asyncio.to_thread(self.cache.note, [paid])
        except StoreError as error:
            self.not_entered = self.not_entered or str(error)


class MeteredModel:
    """A LanguageModel wrapper that adds the cost of every call to a usage meter."""

    def __init__(self, model: LanguageModel, meter: UsageMeter) -> None:
        self.name = model.name
        self.context_tokens = model.context_tokens
        self.output_tokens = model.output_tokens
        self._model = model
        self._meter = meter

    @property
    def throttle_count(self) -> int:
        return self._model.throttle_count

    def check(self) -> None:
        self._model.check()

    def max_usage(self, request: ModelRequest) -> Usage:
        return self._model.max_usage(request)

    def estimate_usage(self, request: ModelRequest, text: str) -> Usage:
        return self._model.estimate_usage(request, text)

    async def complete(self, request: ModelRequest) -> ModelReply:
        try:
            reply = await self._model.complete(request)
        except NoReply as problem:
            if problem.usage:
                await self._pay(request, problem.usage, problem.seconds)
            raise
        await self._pay(request, reply.usage, reply.seconds)
        return reply

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """Stream as LanguageModel.stream; if iteration stops early, the cost of the text so far is estimated."""
        started, received, due = perf_counter(), list[str](), True
        # Every language model streams by a generator, which releases its connection when it is closed.
        stream = cast(AsyncGenerator[str | ModelReply, None], self._model.stream(request))
        try:
            async with aclosing(stream) as pieces:
                async for piece in pieces:
                    if isinstance(piece, ModelReply):
                        due = False
                        await self._pay(request, piece.usage, piece.seconds)
                    else:
                        received.append(piece)
                    yield piece
        except NoReply as problem:
            if problem.usage:
                due = False
                await self._pay(request, problem.usage, problem.seconds)
            raise
        finally:
            if due and received:
                await self._pay(
                    request, self._model.estimate_usage(request, "".join(received)), perf_counter() - started
                )

    async def close(self) -> None:
        await self._model.close()

    async def _pay(self, request: ModelRequest, usage: Usage, seconds: float) -> None:
        await self._meter.pay(request, self.name, usage, seconds)
