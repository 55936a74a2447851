"""Asking a judge: many requests at once, each paid for once."""

import asyncio
from collections.abc import Callable, Sequence

from polyadic.errors import ModelUnavailable, NoReply
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.language_model import ModelRequest

AT_ONCE = 16


async def replies(
    judge: CachedModel, requests: Sequence[ModelRequest], is_readable: Callable[[str], bool], at_once: int = AT_ONCE
) -> list[str | None]:
    """One reply a request, in their order; None for a request that got none.

    Only readable replies are remembered, so that what was unreadable is asked again the next time.

    Raises
    ------
    ModelUnavailable
        The judge is not to be had, or the budget is spent. What was under way was read to its end and is remembered.
    """
    found: list[str | None] = [None] * len(requests)
    left = iter(enumerate(requests))
    stopped: list[ModelUnavailable] = []

    async def work() -> None:
        for n, request in left:
            if stopped:
                return
            try:
                found[n] = (await judge.ask(request, lambda reply: is_readable(reply.text))).text
            except NoReply:
                continue
            except ModelUnavailable as problem:
                stopped.append(problem)

    await asyncio.gather(*(work() for _ in range(at_once)))
    if stopped:
        raise stopped[0]
    return found
