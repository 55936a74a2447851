"""Align imported evidence with the chunks of a document."""

import json
from collections.abc import Sequence
from dataclasses import replace

from polyadic.chunking.chunker import chunk_document
from polyadic.config import ChunkingSettings
from polyadic.extraction.chunk_attribution import evidence_by_chunk
from polyadic.interchange.document_export import ChunkExport, DocumentExport
from polyadic.model.types import Document, Evidence, Span

NAME = "import"
"""Extractor recorded for evidence whose file names none."""


def align_to_chunks(document: Document, imported: Sequence[Evidence], chunking: ChunkingSettings) -> DocumentExport:
    """Chunk a document as indexing would and assign evidence to its chunks.

    Evidence belongs to the chunk that contains the start of its longest span. Evidence without spans is located by its
    text; if the document does not contain it verbatim, the chunk that names most of its participants is chosen.

    >>> from polyadic.model.types import Participation
    >>> ada = Evidence("Ada met Babbage.", 8.0, (Participation("Ada"), Participation("Babbage")), (), NAME)
    >>> document = Document("memory:a", "", "It rained. Ada met Babbage.")
    >>> align_to_chunks(document, [ada], ChunkingSettings()).chunk_exports[0].evidence[0].spans
    (Span(start=11, end=27),)

    Raises
    ------
    ValueError
        There is evidence, but the document has no text.
    """
    chunks = chunk_document(document, chunking)
    if imported and not chunks:
        raise ValueError("the document has no text for its facts")
    by_chunk = evidence_by_chunk([_located(document, evidence) for evidence in imported], chunks) if chunks else {}
    extractors = {evidence.extractor for evidence in imported}
    extractor = extractors.pop() if len(extractors) == 1 else NAME
    chunk_exports = tuple(ChunkExport(chunk, by_chunk[chunk.id]) for chunk in chunks)
    return DocumentExport(document, _pipeline_config(extractor, chunking), extractor, chunk_exports)


def _pipeline_config(extractor: str, chunking: ChunkingSettings) -> str:
    """Return a pipeline configuration marked as paid, so that indexing again keeps imported evidence."""
    return json.dumps({"extractor": extractor, "imported": True, "paid": True, **chunking.model_dump()}, sort_keys=True)


def _located(document: Document, evidence: Evidence) -> Evidence:
    """Add the span of the text if the evidence has none and the document contains it verbatim."""
    start = -1 if evidence.spans else document.text.find(evidence.text)
    return evidence if start < 0 else replace(evidence, spans=(Span(start, start + len(evidence.text)),))
