"""What turns a chunk into evidence, with a language model or without one."""

from typing import Protocol

from polyadic.knowledge import Chunk, Document, Evidence


class Extractor(Protocol):
    """Reads one chunk of one document.

    ``name`` is recorded with all evidence and changes whenever the same chunk would give other evidence, so that
    a store knows what to read again. What is returned depends on this document alone.
    """

    name: str

    async def extract(self, document: Document, chunk: Chunk) -> tuple[Evidence, ...]:
        """Evidence of this chunk, in the order of the text; spans are characters of the document."""
