"""Read images of pages and pictures: render them, call an OCR engine, and cache the texts in the store."""

import asyncio
import concurrent.futures
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from polyadic.concurrency.bounded_runner import BoundedRunner
from polyadic.concurrency.run_in_thread import run_in_thread
from polyadic.errors import ModelUnavailable, PolyadicError, UnreadableDocument
from polyadic.loaders.ocr.engine import OcrEngine
from polyadic.loaders.pages.page_rendering import Box, rendered_page
from polyadic.storage.protocol import Store
from polyadic.storage.retry import with_retries

_RENDERING_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page of a PDF or picture, by its number from 1, or the part of a page of a PDF in ``box``."""

    content: bytes
    number: int = 1
    box: Box | None = None


class PageCache(Protocol):
    """A cache of the texts of pages, by key."""

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Return the cached texts; keys without one are absent."""

    def put(self, key: str, text: str) -> None:
        """Cache a text."""


class StorePageCache:
    """A PageCache among the cached replies of a store; ``open_store`` creates the store if it does not exist."""

    def __init__(self, exists: Callable[[], bool], open_store: Callable[[], Store]) -> None:
        self._exists = exists
        self._open_store = open_store

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        if not self._exists():
            return {}
        return {key: text for key, (text, _) in with_retries(self._open_store().replies, keys).items()}

    def put(self, key: str, text: str) -> None:
        self._open_store().record_calls([(None, (key, text, True))])


class ImageReader:
    """Reads images with an OCR engine and a cache.

    Loaders call it in threads; the engine runs on the event loop on which the reader was created.
    """

    def __init__(self, engine: OcrEngine, cache: PageCache) -> None:
        self.engine = engine
        self._cache = cache
        self._loop = asyncio.get_running_loop()
        self._running: concurrent.futures.Future[dict[str, str | UnreadableDocument]] | None = None

    def read(self, images: Mapping[str, PageImage], document_id: str) -> Mapping[str, str | UnreadableDocument]:
        """Return the text of each image, or the reason why it has none, by its key in the cache.

        Raises
        ------
        ModelUnavailable
            The engine cannot be used. The texts read until then are cached.
        """
        known = self._cache.get(list(images))
        missing = {key: image for key, image in images.items() if key not in known}
        if not missing:
            return known
        self._running = asyncio.run_coroutine_threadsafe(self._read_all(missing, document_id), self._loop)
        try:
            return {**known, **self._running.result()}
        except concurrent.futures.CancelledError:
            raise asyncio.CancelledError from None

    def cancel(self) -> None:
        """Cancel the work in progress; the loader that waits for it gets a CancelledError."""
        if self._running is not None:
            self._running.cancel()

    async def close(self) -> None:
        """Close the connections of the engine."""
        await self.engine.close()

    async def _read_all(self, images: Mapping[str, PageImage], document_id: str) -> dict[str, str | UnreadableDocument]:
        runner = BoundedRunner(self.engine.at_once)

        async def read(key: str) -> str | UnreadableDocument:
            return await self._read(key, images[key], document_id)

        texts = await runner.map(read, list(images))
        if runner.unavailable:
            raise runner.unavailable
        return {key: text for key, text in zip(images, texts, strict=True) if text is not None}

    async def _read(self, key: str, image: PageImage, document_id: str) -> str | UnreadableDocument:
        try:
            width = self.engine.image_width
            png = await rendered_page(image.content, image.number, _RENDERING_SECONDS, width, image.box)
            text = await self.engine.recognize(png, document_id)
        except ModelUnavailable:
            raise
        except PolyadicError as problem:
            return UnreadableDocument(problem.what, problem.next_step)
        except TimeoutError:
            return UnreadableDocument(f"not rendered within {_RENDERING_SECONDS:.0f} seconds", "")
        await run_in_thread(self._cache.put, key, text)
        return text
