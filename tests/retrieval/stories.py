"""Small stores written down as facts: each document with its facts, each fact with the entities that it connects."""

from collections.abc import Mapping, Sequence

from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from tests.retrieval.conftest import read_from_memory
from tests.retrieval.memory_reader import MemoryReader

FactsByDocument = Mapping[str, Sequence[Sequence[str]]]


def reader_of(documents: FactsByDocument) -> MemoryReader:
    """A store in which each fact's sentence is its entities, joined by "meets"."""
    return read_from_memory(documents_of(documents))


def documents_of(documents: FactsByDocument) -> list[tuple[Document, Chunk, list[Evidence]]]:
    """The documents, each one chunk, with the evidence of their facts."""
    return [_document(name, facts) for name, facts in documents.items()]


def sentence(entities: Sequence[str]) -> str:
    return f"{' meets '.join(entities)}."


def _document(name: str, facts: Sequence[Sequence[str]]) -> tuple[Document, Chunk, list[Evidence]]:
    text = " ".join(sentence(entities) for entities in facts)
    document = Document(f"memory:{name}", "", text)
    evidence = []
    for entities in facts:
        start = text.index(sentence(entities))
        span = Span(start, start + len(sentence(entities)))
        taking_part = tuple(Participation(entity, score=80.0) for entity in entities)
        evidence.append(Evidence(sentence(entities), 8.0, taking_part, (span,), "by hand"))
    return document, Chunk(document.id, Span(0, len(text)), text, len(text.split()), 0), evidence
