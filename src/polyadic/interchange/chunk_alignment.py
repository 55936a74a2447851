"""Where statements from elsewhere stand in a document: which chunk each is evidence of."""

import json
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from polyadic.chunking.chunker import chunk_document
from polyadic.config import ChunkingSettings
from polyadic.interchange.document_record import ChunkExport, DocumentExport
from polyadic.model.types import Chunk, Document, Evidence, Span

NAME = "import"
"""The extractor that is recorded where the file names none."""


def align_to_chunks(document: Document, said: Sequence[Evidence], chunking: ChunkingSettings) -> DocumentExport:
    """A document with what was said of it, cut as indexing would.

    Evidence belongs to the chunk in which its first characters stand. Where none are named, its text is looked for;
    where that is not there word for word, it belongs to the chunk that names most of its participants.

    >>> from polyadic.model.types import Participation
    >>> ada = Evidence("Ada met Babbage.", 8.0, (Participation("Ada"), Participation("Babbage")), (), NAME)
    >>> document = Document("memory:a", "", "It rained. Ada met Babbage.")
    >>> align_to_chunks(document, [ada], ChunkingSettings()).passages[0].evidence[0].spans
    (Span(start=11, end=27),)

    Raises
    ------
    ValueError
        There is evidence, but no text.
    """
    chunks = chunk_document(document, chunking)
    if said and not chunks:
        raise ValueError("there is no text that facts could rest on")
    names = [chunk.text.casefold() for chunk in chunks]
    by_chunk: list[list[Evidence]] = [[] for _ in chunks]
    for evidence in said:
        placed = _located(document, evidence)
        by_chunk[_chunk_of(placed, chunks, names)].append(placed)
    extractors = {evidence.extractor for evidence in said}
    extractor = extractors.pop() if len(extractors) == 1 else NAME
    passages = tuple(ChunkExport(chunk, tuple(found)) for chunk, found in zip(chunks, by_chunk, strict=True))
    return DocumentExport(document, _recipe(extractor, chunking), extractor, passages)


def _recipe(extractor: str, chunking: ChunkingSettings) -> str:
    """As of what was paid for: indexing the document again must not replace unasked what somebody brought."""
    return json.dumps({"extractor": extractor, "imported": True, "paid": True, **chunking.model_dump()}, sort_keys=True)


def _located(document: Document, evidence: Evidence) -> Evidence:
    """With the characters at which the text stands, where it names none and stands there word for word."""
    at = -1 if evidence.spans else document.text.find(evidence.text)
    return evidence if at < 0 else replace(evidence, spans=(Span(at, at + len(evidence.text)),))


def _chunk_of(evidence: Evidence, chunks: Sequence[Chunk], texts: Sequence[str]) -> int:
    if evidence.spans:
        return max(0, bisect_right([chunk.fresh for chunk in chunks], evidence.spans[0].start) - 1)
    wanted = [participant.name.casefold() for participant in evidence.participants]
    return max(range(len(chunks)), key=lambda i: sum(name in texts[i] for name in wanted))
