"""Send judge requests concurrently, with cached replies."""

import asyncio
from collections.abc import Callable, Sequence

from polyadic.errors import ModelUnavailable, NoReply
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.language_model import ModelRequest

AT_ONCE = 16


async def replies(
    judge: CachedModel, requests: Sequence[ModelRequest], is_readable: Callable[[str], bool], at_once: int = AT_ONCE
) -> list[str | None]:
    """Return one reply per request, in order; None for a request without a reply.

    Only readable replies are cached, so that requests with unreadable ones are repeated next time.

    Raises
    ------
    ModelUnavailable
        The judge is unavailable, or the budget is spent. Requests in progress are completed and cached.
    """
    reply_texts: list[str | None] = [None] * len(requests)
    remaining = iter(enumerate(requests))
    stopped: list[ModelUnavailable] = []

    async def work() -> None:
        for n, request in remaining:
            if stopped:
                return
            try:
                reply_texts[n] = (await judge.complete(request, lambda reply: is_readable(reply.text))).text
            except NoReply:
                continue
            except ModelUnavailable as problem:
                stopped.append(problem)

    await asyncio.gather(*(work() for _ in range(at_once)))
    if stopped:
        raise stopped[0]
    return reply_texts
