"""Drives a store as indexing does, with evidence that a test wrote by hand."""

from collections.abc import Mapping, Sequence

from polyadic.derivation import difference, tally
from polyadic.knowledge import Chunk, Document, Evidence, Participation, Span
from polyadic.store.protocol import Change, Stamp, Store
from tests.support.vectors import vectors

Statement = tuple[str, Sequence[str]]


def said(text: str, names: Sequence[str], score: float = 8.0, description: str = "") -> Evidence:
    """Evidence over the characters that the text has at the start of its chunk."""
    return Evidence(
        text,
        score,
        tuple(Participation(n, "thing", description, 60.0) for n in names),
        (Span(0, len(text)),),
        "by hand",
    )


def document(
    name: str, statements: Sequence[Statement], title: str = ""
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


def publish(store: Store, name: str, statements: Sequence[Statement], title: str = "") -> Document:
    """Index one hand-written document, replacing what it said before."""
    source, chunks, evidence = document(name, statements, title)
    stage(store, source, chunks, {chunks[0].id: evidence})
    with store.write() as writer:
        old = tally((source.id, e) for _, e in writer.current(source.id))
        tallies = difference(tally((source.id, e) for _, e in writer.staged(source.id)), old)
        tokens = {fact_id: len(fact.text.split()) for fact_id, fact in tallies.facts.items()}
        writer.apply(Change([source.id], (), tallies, tokens, {chunk.id: [chunk.text] for chunk in chunks}))
        while missing := writer.attach():
            writer.put_vectors(missing, vectors(missing))
    return source


def stage(store: Store, source: Document, chunks: Sequence[Chunk], evidence: Mapping[str, Sequence[Evidence]]) -> None:
    with store.write() as writer:
        writer.stage(source, Stamp(source.content, "recipe", "by hand"), chunks)
        writer.put_evidence(source.id, evidence)


def withdraw(store: Store, source: Document) -> None:
    with store.write() as writer:
        old = tally((source.id, e) for _, e in writer.current(source.id))
        writer.apply(Change((), [source.id], difference(tally(()), old), {}, {}))
        while missing := writer.attach():
            writer.put_vectors(missing, vectors(missing))
