"""Indexing a sample into a store that is thrown away, to see what the rest will take."""

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyadic.chunking.chunker import chunk_document
from polyadic.chunking.embedding_windows import windows
from polyadic.config import ChunkingSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.extraction.extractor import Extractor
from polyadic.indexing.indexer import Indexer
from polyadic.indexing.publisher import language_of
from polyadic.model.types import Document, Usage
from polyadic.storage.sqlite.store import SqliteStore

_DIMENSION = 384


@dataclass(frozen=True, slots=True)
class TrialRun:
    """What indexing a sample took, embedding left out.

    ``seconds`` is per document. ``texts`` are all that had to be embedded, ``others`` those of them that are no windows
    of passages: ``facts``, and ``forms`` (entities with their descriptions), of which a ``share`` of the sample had
    ``forms_of_share``.
    """

    seconds: float
    texts: Sequence[str]
    others: Sequence[str]
    facts: int
    forms: int
    share: float
    forms_of_share: int

    def forms_in(self, times: float) -> float:
        """How many distinct forms there are in so many times the sample, by Heaps' law."""
        if not self.forms_of_share or self.share == 1:
            return self.forms * times
        exponent = min(1.0, max(0.3, math.log(self.forms / self.forms_of_share) / -math.log(self.share)))
        return float(self.forms * times**exponent)


async def run_trial(
    sample: Sequence[Document], half: int, extractor: Extractor, embedder: Embedder, chunking: ChunkingSettings
) -> TrialRun:
    """Index a sample of passages, each as a document, with an extractor that asks no model; nothing is embedded.

    What a part of it brings is noted after the first ``half`` documents.
    """
    embedded = _Unembedded(embedder)
    with tempfile.TemporaryDirectory(prefix="polyadic-") as folder:
        store = SqliteStore(Path(folder), embedded.name)
        try:
            indexer = Indexer(store, extractor, embedded, chunking)
            # The first document loads what all of them need, and is not timed.
            first = await indexer.index(sample[:1])
            reports = [await indexer.index(sample[1:half])]
            passages = [_windows(document, indexer) for document in sample]
            _, forms_of_half = _facts_and_forms(store, passages[:half])
            reports.append(await indexer.index(sample[half:]))
            facts, forms = _facts_and_forms(store, passages)
            timed = reports if len(sample) > 1 else [first]
            seconds = sum(report.seconds for report in timed) / sum(report.documents for report in timed)
            cut = frozenset().union(*passages)
            others = [text for text in embedded.texts if text not in cut]
            return TrialRun(seconds, embedded.texts, others, facts, forms, _share(sample, half), forms_of_half)
        finally:
            store.close()


def _share(sample: Sequence[Document], first: int) -> float:
    """The share of the sample's text that the first documents have."""
    sizes = [len(document.text) for document in sample]
    return sum(sizes[:first]) / max(1, sum(sizes))


def _facts_and_forms(store: SqliteStore, passages: Sequence[frozenset[str]]) -> tuple[int, int]:
    """How many facts there are, and texts of entities with a vector, where passages have these windows."""
    with store.read() as reader:
        counts = reader.counts()
    return counts.facts, max(0, counts.vectors - counts.facts - len(frozenset().union(*passages)))


def _windows(document: Document, by: Indexer) -> frozenset[str]:
    """The texts that are embedded for the passages of a document."""
    chunks = chunk_document(document, by.chunking)
    cut = windows(document, chunks, language_of(document, by.chunking), by.embedder)
    return frozenset(text for texts in cut.values() for text in texts)


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
