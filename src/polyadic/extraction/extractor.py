"""What turns a chunk into evidence, with a language model or without one."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from polyadic.model.types import Chunk, Document, Evidence


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was read in a chunk, in the order of the text; spans are characters of the document.

    ``problems`` counts what was left out or mended, by its reason in a few words.
    """

    evidence: tuple[Evidence, ...]
    problems: Counter[str] = field(default_factory=Counter)


class Extractor(Protocol):
    """Reads one chunk of one document.

    Attributes
    ----------
    name
        Recorded with all evidence; changes whenever the same chunk would give other evidence, so that a store knows
        what was read in another way.
    paid
        Whether reading costs money, or hours on one's own machine: then nothing is read again unasked.
    """

    name: str
    paid: bool

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        """What this chunk says; depends on this document alone.

        Raises
        ------
        NoReply
            This chunk could not be read; others may fare better.
        ModelUnavailable
            No other chunk will fare better.
        """
        ...


@runtime_checkable
class ConcurrentExtractor(Extractor, Protocol):
    """An extractor that spends its time waiting: ``concurrency_of`` chunks may be read at the same time, others one by
    one."""

    at_once: int


def concurrency_of(extractor: Extractor) -> int:
    """How many chunks an extractor reads at the same time."""
    return extractor.at_once if isinstance(extractor, ConcurrentExtractor) else 1
