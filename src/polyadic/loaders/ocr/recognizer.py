"""Recognize pages of a file: render them, call an OCR engine, and cache the texts."""

import asyncio
import concurrent.futures
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from polyadic.concurrency.bounded_runner import BoundedRunner
from polyadic.concurrency.run_in_thread import run_in_thread
from polyadic.errors import ModelUnavailable, PolyadicError, UnreadableDocument
from polyadic.loaders.ocr.engine import OcrEngine
from polyadic.loaders.ocr.page_cache import PageCache
from polyadic.loaders.pages.rendering import rendered_page
from polyadic.model.identity import digest

SET_ENGINE = "set engine under [ocr] to tesseract, a vision model, or a parser (docling, mineru)"
"""Next step for a scanned document without OCR."""

_RENDERING_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class RecognizedPages:
    """Texts of pages, and the reasons why others have none, by number of the page from 1."""

    texts: Mapping[int, str]
    failures: Mapping[int, UnreadableDocument]


class PageRecognizer(Protocol):
    """Recognizes the text of pages that are images."""

    def recognize(self, content: bytes, file_digest: str, pages: Sequence[int], document_id: str) -> RecognizedPages:
        """Return the texts of pages of a PDF or a picture; blocks until all are recognized.

        Parameters
        ----------
        content
            The file.
        file_digest
            Its digest.
        pages
            Numbers of the pages, from 1.
        document_id
            Identifier of the document, for the ledger.

        Raises
        ------
        ModelUnavailable
            The engine cannot be used. The texts recognized until then are cached.
        """
        ...


class EngineRecognizer:
    """A PageRecognizer with an OCR engine and a cache.

    Readers call it in threads; the engine runs on the event loop on which the recognizer was created.
    """

    def __init__(self, engine: OcrEngine, cache: PageCache) -> None:
        self._engine = engine
        self._cache = cache
        self._loop = asyncio.get_running_loop()
        self._running: concurrent.futures.Future[dict[int, str | UnreadableDocument]] | None = None

    def recognize(self, content: bytes, file_digest: str, pages: Sequence[int], document_id: str) -> RecognizedPages:
        keys = {number: page_key(self._engine.name, file_digest, number) for number in pages}
        known = self._cache.get(list(keys.values()))
        texts = {number: known[key] for number, key in keys.items() if key in known}
        failures: dict[int, UnreadableDocument] = {}
        missing = {number: key for number, key in keys.items() if key not in known}
        if missing:
            work = self._recognize_all(content, missing, document_id)
            self._running = asyncio.run_coroutine_threadsafe(work, self._loop)
            try:
                results = self._running.result()
            except concurrent.futures.CancelledError:
                raise asyncio.CancelledError from None
            texts |= {number: text for number, text in results.items() if isinstance(text, str)}
            failures = {number: text for number, text in results.items() if not isinstance(text, str)}
        return RecognizedPages(texts, failures)

    def cancel(self) -> None:
        """Cancel the work in progress; the reader that waits for it gets a CancelledError."""
        if self._running is not None:
            self._running.cancel()

    async def close(self) -> None:
        """Close the connections of the engine."""
        await self._engine.close()

    async def _recognize_all(
        self, content: bytes, keys: Mapping[int, str], document_id: str
    ) -> dict[int, str | UnreadableDocument]:
        runner = BoundedRunner(self._engine.at_once)

        async def recognize(number: int) -> str | UnreadableDocument:
            return await self._recognize(content, number, keys[number], document_id)

        texts = await runner.map(recognize, list(keys))
        if runner.unavailable:
            raise runner.unavailable
        return {number: text for number, text in zip(keys, texts, strict=True) if text is not None}

    async def _recognize(self, content: bytes, number: int, key: str, document_id: str) -> str | UnreadableDocument:
        try:
            image = await rendered_page(content, number, _RENDERING_SECONDS, self._engine.image_width)
            text = await self._engine.recognize(image, document_id)
        except ModelUnavailable:
            raise
        except PolyadicError as problem:
            return UnreadableDocument(problem.what, problem.next_step)
        except TimeoutError:
            return UnreadableDocument(f"not rendered within {_RENDERING_SECONDS:.0f} seconds", "")
        await run_in_thread(self._cache.put, key, text)
        return text


class CountingRecognizer:
    """A PageRecognizer for estimates: returns cached texts, and counts the other pages instead of reading them.

    Attributes
    ----------
    pages
        Number of pages without a cached text.
    """

    def __init__(self, engine: str, cache: PageCache) -> None:
        self.pages = 0
        self._engine = engine
        self._cache = cache

    def recognize(self, content: bytes, file_digest: str, pages: Sequence[int], document_id: str) -> RecognizedPages:
        keys = {number: page_key(self._engine, file_digest, number) for number in pages}
        known = self._cache.get(list(keys.values()))
        self.pages += sum(key not in known for key in keys.values())
        # A document needs some text to be counted.
        unread = "Page {} is not recognized yet."
        return RecognizedPages({n: known.get(key, unread.format(n)) for n, key in keys.items()}, {})


def page_key(engine: str, file_digest: str, number: int) -> str:
    """Return the key under which the text of a page is cached."""
    return digest("page", engine, file_digest, str(number))
