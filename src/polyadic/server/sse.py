"""Server-sent events: what is streamed to clients, and what becomes of errors once an answer has begun."""

import json
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from pydantic_core import to_jsonable_python
from starlette.requests import Request
from starlette.responses import StreamingResponse

from polyadic.errors import PolyadicError
from polyadic.server.logs import log_event
from polyadic.server.problem_details import ProblemError, of_core

_LOG = logging.getLogger(__name__)
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
Shape = Callable[[str, str], str]
QUIET = ": still here\n\n"
"""A comment, which shows that the connection lives."""


def event(name: str, content: object) -> str:
    r"""An event with a JSON content, which has no line ends.

    >>> event("token", {"text": "a\nb"})
    'event: token\ndata: {"text": "a\\nb"}\n\n'
    """
    return f"event: {name}\n{data(content)}"


def data(content: object) -> str:
    """An event without a name, as OpenAI's protocol has them."""
    return f"data: {json.dumps(to_jsonable_python(content), ensure_ascii=False)}\n\n"


async def streamed(
    events: AsyncGenerator[str, None],
    request: Request,
    media_type: str = "text/event-stream",
    shape: Shape | None = None,
) -> StreamingResponse:
    """A response of events; what goes wrong before the first is answered as any error, afterwards with a last event.

    Parameters
    ----------
    events
        Closed when the client goes.
    request
        To which this is the answer.
    media_type
        Of the whole.
    shape
        Makes the last event out of a problem: its kind and its text; ``event: problem`` if left out.
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
            async for one in events:
                yield one
        except ProblemError as refused:
            yield shape(refused.kind, str(refused.detail))
        except PolyadicError as error:
            _, kind, detail = of_core(error)
            log_event(
                _LOG, logging.WARNING, "problem", request.scope, kind=kind, error=type(error).__name__, said=str(error)
            )
            yield shape(kind, detail)


def _problem(kind: str, detail: str) -> str:
    return event("problem", {"type": f"urn:polyadic:problem:{kind}", "detail": detail})
