"""Protocol for OCR engines."""

from typing import Protocol


class OcrEngine(Protocol):
    """An OCR engine: recognizes the text of an image of a page.

    Attributes
    ----------
    name
        Name with all settings that change the text; part of the key of cached texts.
    image_width
        Width of the images that it receives, in pixels.
    at_once
        Maximum number of pages to recognize at the same time.
    """

    name: str
    image_width: int
    at_once: int

    def check(self) -> None:
        """Check the configuration without recognizing anything.

        Raises
        ------
        PolyadicError
            The engine cannot be used.
        """
        ...

    async def recognize(self, image: bytes, document_id: str) -> str:
        """Return the text of a page: plain, or with structure as Markdown, and each paragraph on one line.

        Parameters
        ----------
        image
            The page as PNG.
        document_id
            Identifier of the document, for the ledger.

        Raises
        ------
        ModelUnavailable
            The engine cannot be used: every other page would fail as well.
        PolyadicError
            The text of this page cannot be recognized.
        """
        ...

    async def close(self) -> None:
        """Close connections; the next call opens new ones."""
        ...
