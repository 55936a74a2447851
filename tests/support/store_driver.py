"""Drives a store as indexing does, with evidence that a test wrote by hand."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from polyadic.concurrency.async_to_sync import run_coroutine
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.aggregation import tally, tally_difference
from polyadic.model.resolution import ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.resolution import apply_decisions
from polyadic.storage.protocol import Fingerprint, Store, StoreChange, Writer
from tests.support.vectors import vectors

WrittenFact = tuple[str, Sequence[str]]


def make_evidence(text: str, names: Sequence[str], score: float = 8.0, description: str = "") -> Evidence:
    """Evidence over the characters that the text has at the start of its chunk."""
    return Evidence(
        text,
        score,
        tuple(Participation(n, "thing", description, 60.0) for n in names),
        (Span(0, len(text)),),
        "by hand",
    )


def document(
    name: str, statements: Sequence[WrittenFact], title: str = ""
) -> tuple[Document, list[Chunk], list[Evidence]]:
    """A document of one chunk, in which the statements follow each other."""
    text = " ".join(statement for statement, _ in statements) or "nothing"
    source = Document(f"/docs/{name}.txt", title, text)
    evidence, at = [], 0
    for statement, names in statements:
        participants = tuple(Participation(n, "thing", "", 60.0) for n in names)
        evidence.append(Evidence(statement, 8.0, participants, (Span(at, at + len(statement)),), "by hand"))
        at += len(statement) + 1
    return source, [Chunk(source.id, Span(0, len(text)), text, len(text.split()), 0)], evidence


def publish(store: Store, name: str, statements: Sequence[WrittenFact], title: str = "") -> Document:
    """Index one hand-written document, replacing what it said before."""
    (source,) = publish_all(store, [(name, statements, title)])
    return source


def publish_all(store: Store, written: Sequence[tuple[str, Sequence[WrittenFact], str]]) -> list[Document]:
    """Index hand-written documents (name, statements, title) in one change, no document twice."""
    return publish_documents(store, [document(name, statements, title) for name, statements, title in written])


def publish_documents(
    store: Store, documents: Sequence[tuple[Document, list[Chunk], list[Evidence]]]
) -> list[Document]:
    """Index documents of one chunk with their evidence in one change, no document twice."""
    sources = [source for source, _, _ in documents]
    for source, chunks, evidence in documents:
        stage(store, source, chunks, {chunks[0].id: evidence})
    with store.write() as writer:
        resolution = writer.resolution()
        old = tally(_evidence_of(writer, sources), resolution)
        staged = [(s.id, chunk.id, e) for s in sources for chunk, e in writer.staged(s.id)]
        tallies = tally_difference(tally(((source, e) for source, _, e in staged), resolution), old)
        tokens = {fact_id: len(fact.text.split()) for fact_id, fact in tallies.facts.items()}
        windows = {chunk.id: [chunk.text] for _, chunks, _ in documents for chunk in chunks}
        said = {chunk: e for _, chunk, e in staged}
        writer.apply(StoreChange([source.id for source in sources], (), tallies, tokens, windows, said))
        _embed(writer)
    return sources


def stage(store: Store, source: Document, chunks: Sequence[Chunk], evidence: Mapping[str, Sequence[Evidence]]) -> None:
    with store.write() as writer:
        writer.stage([(source, Fingerprint(source.content, "recipe", "by hand"), chunks)])
        writer.put_evidence({source.id: evidence})


def _evidence_of(writer: Writer, sources: Sequence[Document]) -> Iterator[tuple[str, Sequence[Evidence]]]:
    """The evidence of what is published of these documents, each time with the document's id."""
    for document_id, chunks in writer.current([source.id for source in sources]):
        yield from ((document_id, evidence) for _, evidence in chunks)


def withdraw(store: Store, source: Document) -> None:
    with store.write() as writer:
        old = tally(_evidence_of(writer, [source]), writer.resolution())
        writer.apply(StoreChange((), [source.id], tally_difference(tally(()), old), {}, {}, {}))
        _embed(writer)


def decide(store: Store, new: Collection[ResolutionDecision] = (), undone: Collection[ResolutionDecision] = ()) -> None:
    """Make decisions and undo others, in one change."""
    run_coroutine(apply_decisions.apply_decisions(store, Drawing, new, undone))


class Drawing(HashingEmbedder):
    """Gives texts the vectors of this driver."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return vectors(texts)


def _embed(writer: Writer) -> None:
    while missing := writer.attach():
        writer.put_vectors(missing, vectors(missing))
