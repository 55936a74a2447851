"""Recognize the text of pages of a file with an OCR engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from polyadic.errors import UnreadableDocument
from polyadic.loaders.ocr.image_reader import ImageReader, PageCache, PageImage
from polyadic.model.identity import digest

SET_ENGINE = "set engine under [ocr] to tesseract, a vision model, or a parser (docling, mineru)"
"""Next step for a scanned document without OCR."""


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
    """A PageRecognizer with an OCR engine and a cache."""

    def __init__(self, reader: ImageReader) -> None:
        self._reader = reader

    def recognize(self, content: bytes, file_digest: str, pages: Sequence[int], document_id: str) -> RecognizedPages:
        keys = {number: page_key(self._reader.engine.name, file_digest, number) for number in pages}
        images = {key: PageImage(content, number) for number, key in keys.items()}
        read = self._reader.read(images, document_id)
        results = {number: read[key] for number, key in keys.items() if key in read}
        return RecognizedPages(
            {number: text for number, text in results.items() if isinstance(text, str)},
            {number: problem for number, problem in results.items() if not isinstance(problem, str)},
        )


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
