"""A document parser that stands in for Docling Serve and MinerU in tests: real HTTP, with the forms of both."""

import asyncio
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

_HOST = "127.0.0.1"


@dataclass
class ParserServer:
    """Replies to every page with the same Markdown, or with ``reply`` and ``status`` if they are set."""

    markdown: str = ""
    key: str = ""
    reply: Any = None
    status: int = 200
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Path and form fields of each request."""

    @property
    def url(self) -> str:
        return f"http://{_HOST}:{self._port}"

    def __enter__(self) -> Self:
        started = Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]]()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)), daemon=True)
        self._thread.start()
        self._loop, self._closing, self._port = started.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()

    async def _serve(self, started: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]]") -> None:
        closing = asyncio.Event()
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/v1/convert/file", self._docling)
        app.router.add_post("/file_parse", self._mineru)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        await web.TCPSite(runner, _HOST, 0).start()
        started.set_result((asyncio.get_running_loop(), closing, runner.addresses[0][1]))
        await closing.wait()
        await runner.cleanup()

    async def _docling(self, request: web.Request) -> web.Response:
        name = await self._received(request)
        if self.key and request.headers.get("X-Api-Key") != self.key:
            return web.json_response({"detail": "Api key is required."}, status=401)
        document = {"filename": name, "md_content": self.markdown}
        return self._sent({"document": document, "status": "success", "errors": [], "processing_time": 0.1})

    async def _mineru(self, request: web.Request) -> web.Response:
        name = await self._received(request)
        results = {name.rpartition(".")[0]: {"md_content": self.markdown}}
        return self._sent({"backend": "pipeline", "version": "2.5.0", "results": results})

    async def _received(self, request: web.Request) -> str:
        """Record a request, and return the name of its file, which must be an image of a page."""
        form = dict(await request.post())
        file = form.pop("files")
        assert isinstance(file, web.FileField)
        assert file.file.read(8) == b"\x89PNG\r\n\x1a\n"
        self.calls.append((request.path, form))
        return str(file.filename)

    def _sent(self, usual: Any) -> web.Response:
        return web.json_response(usual if self.reply is None else self.reply, status=self.status)
