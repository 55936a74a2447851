"""A span for each request, as a child of the client's span if it sends one (``traceparent``).

The span is named after the route. URLs and bodies are not recorded, since they may contain user text.
"""

from opentelemetry.trace import Span, format_trace_id
from opentelemetry.util.types import AttributeValue
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyadic.tracing.spans import called, mark_failed

_UNTRACED = frozenset({"/health", "/ready", "/metrics"})
"""Paths that monitoring requests every few seconds."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class TracingMiddleware:
    """Outermost middleware when spans are recorded; log lines then contain the trace id."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _UNTRACED:
            await self._app(scope, receive, send)
            return
        status = 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with called(scope["method"], Headers(scope=scope)) as request_span:
            scope.setdefault("state", {})["trace_id"] = format_trace_id(request_span.get_span_context().trace_id)
            try:
                await self._app(scope, receive, sent)
            finally:
                _record(request_span, scope, status)


def _record(request_span: Span, scope: Scope, status: int) -> None:
    method = scope["method"] if scope["method"] in _METHODS else "_OTHER"
    route = getattr(scope.get("route"), "path", "")
    attributes: dict[str, AttributeValue] = {
        "http.request.method": method,
        "polyadic.request_id": scope["state"]["request_id"],
    }
    if route:
        attributes["http.route"] = route
    if workspace := scope.get("path_params", {}).get("workspace"):
        attributes["polyadic.workspace"] = workspace
    if status:
        attributes["http.response.status_code"] = status
    if status >= 500:
        mark_failed(request_span, str(status))
    request_span.update_name(f"{'HTTP' if method == '_OTHER' else method} {route}".rstrip())
    request_span.set_attributes(attributes)
