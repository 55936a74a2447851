"""Send judge requests concurrently, with cached replies."""

from collections.abc import Callable, Sequence

from polyadic.concurrency.bounded_runner import BoundedRunner
from polyadic.errors import NoReply
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
    runner = BoundedRunner(at_once)

    async def reply_to(request: ModelRequest) -> str | None:
        try:
            return (await judge.complete(request, lambda reply: is_readable(reply.text))).text
        except NoReply:
            return None

    reply_texts = await runner.map(reply_to, requests)
    if runner.unavailable:
        raise runner.unavailable
    return reply_texts
