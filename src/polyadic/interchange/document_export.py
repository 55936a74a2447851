"""A document with its chunks and their evidence: the unit of export and import."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from polyadic.model.types import Chunk, Document, Evidence
from polyadic.query.shown_source_names import SourceNames
from polyadic.storage.protocol import Fingerprint, Reader


@dataclass(frozen=True, slots=True)
class ChunkExport:
    """A chunk with its evidence; ``failure`` is the reason if extraction failed."""

    chunk: Chunk
    evidence: tuple[Evidence, ...]
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentExport:
    """A document as a store holds it, with its ``pipeline_config`` (chunking, extraction) and extractor."""

    document: Document
    pipeline_config: str
    extractor: str
    chunk_exports: tuple[ChunkExport, ...]

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        return tuple(chunk_export.chunk for chunk_export in self.chunk_exports)

    @property
    def stamp(self) -> Fingerprint:
        return Fingerprint(self.document.content, self.pipeline_config, self.extractor)


def export_documents(reader: Reader, names: SourceNames | None = None) -> Iterator[DocumentExport]:
    """Iterate over the documents of a store, ordered by source; with ``names``, these are their sources."""
    failures = failures_of(reader)
    records = reader.records.documents()
    named = (names or SourceNames()).distinct(record.source for record in records)
    for record in records:
        stamp = reader.records.stamp(record.id)
        if stamp is not None:
            export = _export(reader, record.id, stamp, failures)
            yield replace(export, document=replace(export.document, source=named[record.source]))


def existing_export(reader: Reader, document_id: str, failures: Mapping[str, str]) -> DocumentExport | None:
    """Return the export of one document, or None if the store does not hold it."""
    stamp = reader.records.stamp(document_id)
    return None if stamp is None else _export(reader, document_id, stamp, failures)


def failures_of(reader: Reader) -> dict[str, str]:
    """Return the reasons of failed extractions by chunk id."""
    return {failed.chunk_id: failed.reason for failed in reader.records.failures()}


def _export(reader: Reader, document_id: str, stamp: Fingerprint, failures: Mapping[str, str]) -> DocumentExport:
    chunk_exports = [
        ChunkExport(chunk, evidence, failures.get(chunk.id)) for chunk, evidence in reader.records.evidence(document_id)
    ]
    return DocumentExport(
        reader.records.document(document_id), stamp.pipeline_config, stamp.extractor, tuple(chunk_exports)
    )
