"""Server-sent events, including errors after the response has started."""

import json
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from pydantic_core import to_jsonable_python
from starlette.requests import Request
from starlette.responses import StreamingResponse

from polyadic.errors import PolyadicError
from polyadic.server.json_logging import log_event
from polyadic.server.problem_details import ProblemError, of_core

_LOG = logging.getLogger(__name__)
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
Shape = Callable[[str, str], str]
QUIET = ": still here\n\n"
"""A comment that keeps the connection alive."""


def event(name: str, content: object) -> str:
    r"""Format an event with JSON content, which has no line breaks.

    >>> event("token", {"text": "a\nb"})
    'event: token\ndata: {"text": "a\\nb"}\n\n'
    """
    return f"event: {name}\n{data(content)}"


def data(content: object) -> str:
    """Format an event without a name, as in OpenAI's protocol."""
    return f"data: {json.dumps(to_jsonable_python(content), ensure_ascii=False)}\n\n"


async def streamed(
    events: AsyncGenerator[str, None],
    request: Request,
    media_type: str = "text/event-stream",
    shape: Shape | None = None,
) -> StreamingResponse:
    """Stream events as a response.

    An error before the first event becomes an ordinary error response, a later one a last event.

    Parameters
    ----------
    events
        Events to send; closed when the client disconnects.
    request
        The request that is answered.
    media_type
        Media type of the response.
    shape
        Formats the last event for a problem from its kind and message; ``event: problem`` by default.
    """
    try:
        first = await anext(events)
    except StopAsyncIteration:
        first = ""
    return StreamingResponse(_rest(first, events, request, shape or _problem), media_type=media_type, headers=_HEADERS)


async def _rest(
    first: str, events: AsyncGenerator[str, None], request: Request, shape: Shape
) -> AsyncGenerator[str, None]:
    async with aclosing(events):
        try:
            yield first
            async for item in events:
                yield item
        except ProblemError as refused:
            yield shape(refused.kind, str(refused.detail))
        except PolyadicError as error:
            _, kind, detail = of_core(error)
            log_event(
                _LOG,
                logging.WARNING,
                "problem",
                request.scope,
                kind=kind,
                error=type(error).__name__,
                message=str(error),
            )
            yield shape(kind, detail)


def _problem(kind: str, detail: str) -> str:
    return event("problem", {"type": f"urn:polyadic:problem:{kind}", "detail": detail})
