"""Workspaces with evidence that hypothesis drew, in every form that evidence may have."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from polyadic.concurrency.async_to_sync import run_coroutine
from polyadic.config import ChunkingSettings, EmbeddingSettings, Settings
from polyadic.errors import NoReply
from polyadic.extraction.extractor import Extraction
from polyadic.indexing.indexer import Indexer
from polyadic.interchange.document_export import DocumentExport, export_documents
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.workspace import Workspace
from tests.support.canonical import canonical

SETTINGS = Settings(
    embedding=EmbeddingSettings(model="hashing"),
    chunking=ChunkingSettings(tokens=50, overlap=10, window_tokens=0, language="en"),
)
ADA = "Ada Lovelace met Charles Babbage in London. Ada Lovelace wrote a program for the Analytical Engine in 1843."
BABBAGE = "Charles Babbage designed the Analytical Engine in London."
# What breaks formats: quotes, line ends, markup, formulas, control characters, letters beyond the first plane.
PIECES = ["Ada", "ada", "Engine", '"', "\n", "\r\n", "<&>", "=1+1", ";", "\\", "\x01", "\u2028", "𝔸", "é", " ", ", "]
texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join).filter(str.strip)
hundredths = st.integers(1, 1000).map(lambda number: number / 100)
participants = st.builds(
    Participation,
    texts,
    st.sampled_from(["", "person"]),
    st.just("") | texts,
    hundredths,
    st.sampled_from(["", "author"]),
    st.sampled_from(["", "1843"]),
)
drafts = st.builds(
    Evidence,
    text=texts,
    score=hundredths,
    participants=st.lists(participants, max_size=4).map(tuple),
    spans=st.sampled_from([(), (Span(0, 3),), (Span(0, 1), Span(2, 4))]),
    extractor=st.sampled_from(["one", "another"]),
    unsupported=st.sampled_from(["", "the text does not contain the number 9"]),
    valid_from=st.sampled_from(["", "1843"]),
    valid_to=st.sampled_from(["", "1852-11-27"]),
    qualifiers=st.dictionaries(texts, texts, max_size=2).map(lambda qualifiers: tuple(qualifiers.items())),
)
bodies = st.lists(texts, min_size=1, max_size=40).map(". Then ".join).map(lambda text: f"So {text}.")
documents = st.builds(
    Document,
    source=st.sampled_from(["/data/a.txt", "/data/b.jsonl#1", "memory:c", "/data/ü.pdf"]),
    title=st.just("") | texts,
    text=bodies,
    metadata=st.dictionaries(texts, texts, max_size=2),
    pages=st.sampled_from([(), (0,), (0, 2)]),
)
collections = st.lists(documents, min_size=1, max_size=4, unique_by=lambda document: document.source)


@dataclass
class Drawn:
    """Reads in a chunk what was drawn for it, or nothing, or fails."""

    pool: Sequence[Evidence]
    name: str = "drawn"
    paid: bool = True

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        dice = random.Random(chunk.id)
        if dice.random() < 0.2:
            raise NoReply(f"no reply to {document.title!r}")
        return Extraction(tuple(dice.choices(self.pool, k=dice.randrange(4)))) if self.pool else Extraction(())


def workspace(folder: Path, settings: Settings = SETTINGS) -> Workspace:
    return Workspace(folder, settings)


def fill(kb: Workspace, sources: Sequence[Document], pool: Sequence[Evidence]) -> None:
    indexer = Indexer(kb.store(make=True), Drawn(pool), kb.embedder, kb.settings.chunking)
    run_coroutine(indexer.index(sources))


def contents(kb: Workspace) -> list[DocumentExport]:
    with kb.store().read() as reader:
        return list(export_documents(reader))


def canonical_text(kb: Workspace) -> str:
    return canonical(kb.store())
