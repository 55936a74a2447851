"""Request ids, access log, request metrics and security headers."""

import logging
import re
import secrets
import time
import traceback

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyadic.server.json_logging import log_event
from polyadic.server.metrics import ServerMetrics
from polyadic.server.problem_details import problem

_LOG = logging.getLogger(__name__)
_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FRAMES = 8
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class RequestLogMiddleware:
    """Outermost middleware; turns unhandled exceptions into a generic 500 problem response."""

    def __init__(self, app: ASGIApp, metrics: ServerMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client_id = Headers(scope=scope).get("x-request-id", "")
        request_id = client_id if _ID.fullmatch(client_id) else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        started, status = time.perf_counter(), 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except (ConnectionError, ClientDisconnect):
            log_event(_LOG, logging.INFO, "client gone", scope)
            raise ConnectionAbortedError from None
        except Exception as error:
            _log_defect(error, scope)
            if status:
                # The response has started: breaking it off is the only way to show that it is incomplete.
                raise ConnectionAbortedError from None
            await problem(scope, 500, "defect", "internal error: the server log has details")(scope, receive, sent)
        finally:
            self._record(scope, status, time.perf_counter() - started)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = getattr(scope.get("route"), "path", "") or "none"
        self._metrics.answered(method, route, status, seconds)
        key = scope["state"].get("key")
        fields = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 1)}
        log_event(_LOG, logging.INFO, "request", scope, **fields, key=key.id if key else "")


def _log_defect(error: Exception, scope: Scope) -> None:
    """Log where an exception was raised, without its message: that may repeat parts of a request or document."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    log_event(_LOG, logging.ERROR, "defect", scope, error=type(error).__name__, where=where)
