"""A document with its chunks and all that was said of them: what goes in and out as one piece."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from polyadic.knowledge import Chunk, Document, Evidence
from polyadic.store.protocol import Reader, Stamp


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with its evidence; ``failure`` says why it could not be read, where that is so."""

    chunk: Chunk
    evidence: tuple[Evidence, ...]
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """A document as a store holds it; ``recipe`` says how it was cut and read, ``extractor`` by what."""

    document: Document
    recipe: str
    extractor: str
    passages: tuple[Passage, ...]

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        return tuple(passage.chunk for passage in self.passages)

    @property
    def stamp(self) -> Stamp:
        return Stamp(self.document.content, self.recipe, self.extractor)


def all_told(reader: Reader) -> Iterator[Told]:
    """Every document of a store, by source, one at a time."""
    failures = failures_of(reader)
    for record in reader.documents():
        stamp = reader.stamp(record.id)
        if stamp is not None:
            yield _told(reader, record.id, stamp, failures)


def told_before(reader: Reader, document_id: str, failures: Mapping[str, str]) -> Told | None:
    """What a store holds of one document; None where it has none."""
    stamp = reader.stamp(document_id)
    return None if stamp is None else _told(reader, document_id, stamp, failures)


def failures_of(reader: Reader) -> dict[str, str]:
    """Why chunks (by id) could not be read."""
    return {failed.chunk_id: failed.reason for failed in reader.failures()}


def _told(reader: Reader, document_id: str, stamp: Stamp, failures: Mapping[str, str]) -> Told:
    passages = [Passage(chunk, said, failures.get(chunk.id)) for chunk, said in reader.evidence(document_id)]
    return Told(reader.document(document_id), stamp.recipe, stamp.extractor, tuple(passages))
