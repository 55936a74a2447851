"""A document with its chunks and all that was said of them: what goes in and out as one piece."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from polyadic.model.types import Chunk, Document, Evidence
from polyadic.storage.protocol import Fingerprint, Reader


@dataclass(frozen=True, slots=True)
class ChunkExport:
    """A chunk with its evidence; ``failure`` says why it could not be read, where that is so."""

    chunk: Chunk
    evidence: tuple[Evidence, ...]
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentExport:
    """A document as a store holds it; ``recipe`` says how it was cut and read, ``extractor`` by what."""

    document: Document
    recipe: str
    extractor: str
    passages: tuple[ChunkExport, ...]

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        return tuple(passage.chunk for passage in self.passages)

    @property
    def stamp(self) -> Fingerprint:
        return Fingerprint(self.document.content, self.recipe, self.extractor)


def export_documents(reader: Reader) -> Iterator[DocumentExport]:
    """Every document of a store, by source, one at a time."""
    failures = failures_of(reader)
    for record in reader.documents():
        stamp = reader.stamp(record.id)
        if stamp is not None:
            yield _told(reader, record.id, stamp, failures)


def existing_export(reader: Reader, document_id: str, failures: Mapping[str, str]) -> DocumentExport | None:
    """What a store holds of one document; None where it has none."""
    stamp = reader.stamp(document_id)
    return None if stamp is None else _told(reader, document_id, stamp, failures)


def failures_of(reader: Reader) -> dict[str, str]:
    """Why chunks (by id) could not be read."""
    return {failed.chunk_id: failed.reason for failed in reader.failures()}


def _told(reader: Reader, document_id: str, stamp: Fingerprint, failures: Mapping[str, str]) -> DocumentExport:
    passages = [ChunkExport(chunk, said, failures.get(chunk.id)) for chunk, said in reader.evidence(document_id)]
    return DocumentExport(reader.document(document_id), stamp.recipe, stamp.extractor, tuple(passages))
