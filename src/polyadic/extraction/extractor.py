"""The extractor protocol: turn one window of a document into evidence, with or without a language model."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from polyadic.model.types import Chunk, Document, Evidence


@dataclass(frozen=True, slots=True)
class Extraction:
    """The evidence extracted from one window, in text order; spans are character offsets in the document.

    ``problems`` counts items that were dropped or repaired, keyed by a short reason.
    """

    evidence: tuple[Evidence, ...]
    problems: Counter[str] = field(default_factory=Counter)


class Extractor(Protocol):
    """Protocol of an extractor, which reads one window of one document at a time.

    Attributes
    ----------
    name
        Identifies the extractor and its configuration; stored with all evidence. Change it whenever the same window
        would yield different evidence, so that a store can tell which chunks were read by an older version.
    paid
        Whether extraction costs money, or hours of local compute. If so, chunks are re-extracted only on request.
    """

    name: str
    paid: bool

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        """Extract the evidence of a window; the result depends on this document alone.

        Parameters
        ----------
        document
            The document that contains the window.
        chunk
            The window to read: a chunk, or several as one.

        Returns
        -------
        Extraction
            The evidence, with spans in characters of the document.

        Raises
        ------
        NoReply
            This window could not be read; others may still succeed.
        ModelUnavailable
            The model cannot be used at all; all others would fail too.
        """
        ...


@runtime_checkable
class ConcurrentExtractor(Extractor, Protocol):
    """An I/O-bound extractor that may read ``at_once`` windows concurrently; other extractors read one at a time."""

    at_once: int


def concurrency_of(extractor: Extractor) -> int:
    """Return the number of windows that an extractor may read concurrently."""
    return extractor.at_once if isinstance(extractor, ConcurrentExtractor) else 1
