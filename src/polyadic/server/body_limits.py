"""Limits on the size of request bodies and on slow clients."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyadic.server.problem_details import ProblemError, problem
from polyadic.server.server_limits import ServerLimits


class RequestLimitMiddleware:
    """Middleware that ends a request whose body is too large or stalls, or whose client stops reading the response."""

    def __init__(self, app: ASGIApp, limits: ServerLimits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_upload = headers.get("content-type", "").lower().startswith("multipart/form-data")
        limit = self._limits.upload_bytes if is_upload else self._limits.json_bytes
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > limit:
            refused = _too_large(limit)
            await problem(scope, refused.status_code, refused.kind, refused.detail)(scope, receive, send)
            return
        await self._app(scope, self._with_receive_limit(receive, limit), self._with_send_timeout(send))

    def _with_send_timeout(self, send: Send) -> Send:
        async def taken(message: Message) -> None:
            try:
                async with asyncio.timeout(self._limits.idle_seconds):
                    await send(message)
            except TimeoutError:
                raise ConnectionAbortedError("the client stopped reading the response") from None

        return taken

    def _with_receive_limit(self, receive: Receive, limit: int) -> Receive:
        received, is_complete = 0, False
        deadline = asyncio.get_running_loop().time() + self._limits.request_seconds

        async def bounded() -> Message:
            nonlocal received, is_complete
            if is_complete:
                # After the body, the only message left is the disconnect.
                return await receive()
            try:
                remaining = deadline - asyncio.get_running_loop().time()
                async with asyncio.timeout(min(self._limits.idle_seconds, remaining)):
                    message = await receive()
            except TimeoutError:
                raise ProblemError(408, "too-slow", "the rest of the request body did not arrive in time") from None
            received += len(message.get("body", b""))
            is_complete = not message.get("more_body", False)
            if received > limit:
                raise _too_large(limit)
            return message

        return bounded


def _too_large(limit: int) -> ProblemError:
    return ProblemError(413, "too-long", f"the request body may have at most {limit:,} bytes")
