"""What all routes that cost tokens have in common: a request is read, recorded, checked, answered."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from aiohttp import web

from tests.model_server.checks import check_azure_version, check_key
from tests.model_server.errors import ApiError
from tests.model_server.misbehaviour import Misbehaviour
from tests.model_server.records import Records, Visit
from tests.model_server.request_parsing import json_body
from tests.model_server.rules import Rules
from tests.model_server.settings import Settings
from tests.model_server.types import Asked, Route


class ServerClosing(Exception):
    """Ends whatever a request is waiting for."""


@dataclass
class Endpoint(ABC):
    route: ClassVar[Route]
    settings: Settings
    records: Records
    rules: Rules
    closing: asyncio.Event

    @abstractmethod
    def read(self, body: dict[str, Any], headers: Mapping[str, str], number: int) -> Asked: ...

    @abstractmethod
    async def answer(self, request: web.Request, visit: Visit, kinds: Sequence[Misbehaviour]) -> web.StreamResponse: ...

    async def handle(self, request: web.Request) -> web.StreamResponse:
        try:
            check_azure_version(request)
            asked = self.read(await json_body(request), request.headers, self.records.number())
        except ApiError as error:
            return error.response()
        visit = self.records.arrived(asked)
        try:
            check_key(self.settings, request)
            return await self._answer(request, visit)
        except ApiError as error:
            visit.end(error.status, error=error.message)
            return error.response()
        except ServerClosing:
            return abort(request)
        finally:
            visit.end(0, error="the client went away, or the server closed")

    async def pause(self, seconds: float | None) -> None:
        """Wait, but not longer than the server is there."""
        if seconds is not None and seconds <= 0:
            return
        try:
            await asyncio.wait_for(self.closing.wait(), seconds)
        except TimeoutError:
            return
        raise ServerClosing

    async def _answer(self, request: web.Request, visit: Visit) -> web.StreamResponse:
        kinds = self.rules.take(visit.asked, self.route)
        for kind in kinds:
            if (response := await kind.act(self.pause)) is not None:
                visit.end(response.status, error=type(kind).__name__)
                return response
        return await self.answer(request, visit, kinds)


def abort(request: web.Request) -> web.Response:
    """Cut the connection; the response is for aiohttp alone, nobody will read it."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
