"""Bounds for what a request sends: how much, and how slowly."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyadic.server.limits import ServerLimits
from polyadic.server.problem_details import ProblemError, problem


class BodyLimitMiddleware:
    """Middleware that ends a request whose body is too long, said or not, or stops coming, or whose answer stays."""

    def __init__(self, app: ASGIApp, limits: ServerLimits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_upload = headers.get("content-type", "").lower().startswith("multipart/form-data")
        most = self._limits.upload_bytes if is_upload else self._limits.json_bytes
        said = headers.get("content-length", "0")
        if not said.isascii() or not said.isdigit() or int(said) > most:
            refused = _too_long(most)
            await problem(scope, refused.status_code, refused.kind, refused.detail)(scope, receive, send)
            return
        await self._app(scope, self._bounded(receive, most), self._taken(send))

    def _taken(self, send: Send) -> Send:
        async def taken(message: Message) -> None:
            try:
                async with asyncio.timeout(self._limits.idle_seconds):
                    await send(message)
            except TimeoutError:
                raise ConnectionAbortedError("the client takes nothing any more") from None

        return taken

    def _bounded(self, receive: Receive, most: int) -> Receive:
        received, is_whole = 0, False
        deadline = asyncio.get_running_loop().time() + self._limits.request_seconds

        async def bounded() -> Message:
            nonlocal received, is_whole
            if is_whole:
                # What comes now is only that the client has gone.
                return await receive()
            try:
                left = deadline - asyncio.get_running_loop().time()
                async with asyncio.timeout(min(self._limits.idle_seconds, left)):
                    message = await receive()
            except TimeoutError:
                raise ProblemError(408, "too-slow", "the rest of the request did not come") from None
            received += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if received > most:
                raise _too_long(most)
            return message

        return bounded


def _too_long(most: int) -> ProblemError:
    return ProblemError(413, "too-long", f"a request of this kind may have {most:,} bytes")
