"""Each request as a span, within that of whoever asks, if they say so (``traceparent``).

Its name is that of the route: neither the address that was asked for nor what came with it is told, since both may hold
words of people.
"""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyadic.tracing.spans import TraceSpan, Value, called

_NOT_TOLD = frozenset({"/health", "/ready", "/metrics"})
"""What is asked every few seconds by whoever watches the server."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class TracingMiddleware:
    """The outermost middleware where somebody is told of spans; lines of the log then name the trace."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _NOT_TOLD:
            await self._app(scope, receive, send)
            return
        status = 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with called(scope["method"], Headers(scope=scope)) as told:
            scope.setdefault("state", {})["trace_id"] = told.trace_id
            try:
                await self._app(scope, receive, sent)
            finally:
                _tell_of(told, scope, status)


def _tell_of(told: TraceSpan, scope: Scope, status: int) -> None:
    method = scope["method"] if scope["method"] in _METHODS else "_OTHER"
    route = getattr(scope.get("route"), "path", "")
    attributes: dict[str, Value] = {"http.request.method": method, "polyadic.request_id": scope["state"]["request_id"]}
    if route:
        attributes["http.route"] = route
    if workspace := scope.get("path_params", {}).get("workspace"):
        attributes["polyadic.workspace"] = workspace
    if status:
        attributes["http.response.status_code"] = status
    if status >= 500:
        told.fail(str(status))
    told.rename(f"{'HTTP' if method == '_OTHER' else method} {route}".rstrip())
    told.tell(attributes)
