"""Indexing a sample into a store that is thrown away, to see what the rest will take."""

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyadic.construction.chunk import chunk_document
from polyadic.construction.extractor import Extractor
from polyadic.construction.indexing import Indexer
from polyadic.construction.publishing import language_of
from polyadic.construction.windows import windows
from polyadic.knowledge import Document, Usage
from polyadic.models.embedder import Embedder
from polyadic.settings import ChunkingSettings
from polyadic.store.sqlite.store import SqliteStore

_DIMENSION = 384


@dataclass(frozen=True, slots=True)
class Trial:
    """What indexing a sample took, embedding left out.

    ``seconds`` is per document. ``texts`` are all that had to be embedded: ``facts``, ``forms`` (entities with their
    descriptions, of which half of the sample had ``half_of_forms``) and windows of the passages.
    """

    seconds: float
    texts: Sequence[str]
    facts: int
    forms: int
    half_of_forms: int

    def forms_in(self, times: float) -> float:
        """How many distinct forms there are in so many times the sample, by Heaps' law."""
        if not self.half_of_forms:
            return self.forms * times
        exponent = min(1.0, max(0.3, math.log2(self.forms / self.half_of_forms)))
        return float(self.forms * times**exponent)


async def tried(
    sample: Sequence[Document], extractor: Extractor, embedder: Embedder, chunking: ChunkingSettings
) -> Trial:
    """Index a sample of passages, each as a document, with an extractor that asks no model; nothing is embedded."""
    embedded = _Unembedded(embedder)
    with tempfile.TemporaryDirectory(prefix="polyadic-") as folder:
        store = SqliteStore(Path(folder), embedded.name)
        try:
            indexer = Indexer(store, extractor, embedded, chunking)
            half = (len(sample) + 1) // 2
            # The first document loads what all of them need, and is not timed.
            first = await indexer.index(sample[:1])
            reports = [await indexer.index(sample[1:half])]
            half_of_forms = _texts_of_facts_and_entities(store, sample[:half], indexer)[1]
            reports.append(await indexer.index(sample[half:]))
            facts, forms = _texts_of_facts_and_entities(store, sample, indexer)
            timed = reports if len(sample) > 1 else [first]
            seconds = sum(report.seconds for report in timed) / sum(report.documents for report in timed)
            return Trial(seconds, embedded.texts, facts, forms, half_of_forms)
        finally:
            store.close()


def _texts_of_facts_and_entities(store: SqliteStore, indexed: Sequence[Document], by: Indexer) -> tuple[int, int]:
    """How many texts of facts, and of entities with their descriptions, have a vector once these are indexed."""
    with store.read() as reader:
        counts = reader.counts()
    passages: set[str] = set()
    for document in indexed:
        chunks = chunk_document(document, by.chunking)
        cut = windows(document, chunks, language_of(document, by.chunking), by.embedder)
        passages.update(text for texts in cut.values() for text in texts)
    return counts.facts, max(0, counts.vectors - counts.facts - len(passages))


class _Unembedded:
    """Stands in for an embedder: notes the texts, and gives all of them the same vector."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension or _DIMENSION
        self.window = embedder.window
        self.unrelated_below = embedder.unrelated_below
        self.spent = Usage()
        self.lengths = embedder.lengths
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        vectors[:, 0] = 1
        return vectors

    def cost(self, texts: int, tokens: int) -> Usage:
        return Usage()

    def take_paid(self) -> tuple[Usage, float]:
        return Usage(), 0.0

    async def close(self) -> None:
        """Nothing is open."""
