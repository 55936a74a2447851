"""The extractor protocol: turn one chunk into evidence, with or without a language model."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from polyadic.model.types import Chunk, Document, Evidence


@dataclass(frozen=True, slots=True)
class Extraction:
    """The evidence extracted from one chunk, in text order; spans are character offsets in the document.

    ``problems`` counts items that were dropped or repaired, keyed by a short reason.
    """

    evidence: tuple[Evidence, ...]
    problems: Counter[str] = field(default_factory=Counter)


class Extractor(Protocol):
    """Protocol of an extractor, which reads one chunk of one document at a time.

    Attributes
    ----------
    name
        Identifies the extractor and its configuration; stored with all evidence. Change it whenever the same chunk
        would yield different evidence, so that a store can tell which chunks were read by an older version.
    paid
        Whether extraction costs money, or hours of local compute. If so, chunks are re-extracted only on request.
    """

    name: str
    paid: bool

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        """Extract the evidence of a chunk; the result depends on this document alone.

        Parameters
        ----------
        document
            The document that contains the chunk.
        chunk
            The chunk to read.

        Returns
        -------
        Extraction
            The evidence, with spans in characters of the document.

        Raises
        ------
        NoReply
            This chunk could not be read; other chunks may still succeed.
        ModelUnavailable
            The model cannot be used at all; all other chunks would fail too.
        """
        ...


@runtime_checkable
class ConcurrentExtractor(Extractor, Protocol):
    """An I/O-bound extractor that may read ``at_once`` chunks concurrently; other extractors read one at a time."""

    at_once: int


def concurrency_of(extractor: Extractor) -> int:
    """Return the number of chunks that an extractor may read concurrently."""
    return extractor.at_once if isinstance(extractor, ConcurrentExtractor) else 1
