"""Sample chunks, and index the sample into a temporary store, to estimate the cost of indexing."""

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
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
from polyadic.model.types import Chunk, Document, Usage
from polyadic.storage.sqlite.store import SqliteStore

_SAMPLE_SIZE, _RUN_LENGTH = 192, 4
_DIMENSION = 384


@dataclass(slots=True)
class ChunkSample:
    """A sample of 192 to 384 chunks (or all, if fewer), in runs at equal distances from a stream of any length.

    Runs, because neighbouring chunks share names: isolated chunks would overestimate the number of distinct names.
    """

    kept: list[tuple[Document, Chunk]] = field(default_factory=list)
    _runs: list[int] = field(default_factory=list)
    _added: int = 0
    _stride: int = 1

    def add(self, one: tuple[Document, Chunk]) -> None:
        run = self._added // _RUN_LENGTH
        if run % self._stride == 0:
            self.kept.append(one)
            self._runs.append(run)
            if len(self.kept) > 2 * _SAMPLE_SIZE:
                self._stride *= 2
                kept = [(one, of) for one, of in zip(self.kept, self._runs, strict=True) if of % self._stride == 0]
                self.kept, self._runs = [one for one, _ in kept], [of for _, of in kept]
        self._added += 1

    def in_halves(self) -> tuple[list[tuple[Document, Chunk]], list[tuple[Document, Chunk]]]:
        """Split the sample into odd and even runs."""
        numbered = list(zip(self.kept, self._runs, strict=True))
        first = [one for one, run in numbered if run // self._stride % 2 == 0]
        return first, [one for one, run in numbered if run // self._stride % 2]


def evenly_spaced(texts: Sequence[str], number: int) -> list[str]:
    """Pick a number of texts at equal distances.

    >>> evenly_spaced("abcdefgh", 4), evenly_spaced("ab", 4)
    (['b', 'd', 'f', 'h'], ['a', 'b'])
    """
    number = min(number, len(texts))
    return [texts[(2 * place + 1) * len(texts) // (2 * number)] for place in range(number)]


@dataclass(frozen=True, slots=True)
class TrialRun:
    """Result of indexing a sample, without embedding.

    Parameters
    ----------
    seconds
        Duration per document, in seconds.
    texts
        All texts to embed.
    others
        Texts to embed other than windows of passages.
    facts
        Number of facts.
    forms
        Number of distinct forms (entities with their descriptions).
    share
        Share of the sample that ``forms_of_share`` was measured on.
    forms_of_share
        Number of distinct forms in that share.
    """

    seconds: float
    texts: Sequence[str]
    others: Sequence[str]
    facts: int
    forms: int
    share: float
    forms_of_share: int

    def forms_in(self, times: float) -> float:
        """Estimate the number of distinct forms in ``times`` times the sample, by Heaps' law."""
        if not self.forms_of_share or self.share == 1:
            return self.forms * times
        exponent = min(1.0, max(0.3, math.log(self.forms / self.forms_of_share) / -math.log(self.share)))
        return float(self.forms * times**exponent)


async def run_trial(
    sample: Sequence[Document], half: int, extractor: Extractor, embedder: Embedder, chunking: ChunkingSettings
) -> TrialRun:
    """Index a sample of passages, each as a document, with an extractor without a model; nothing is embedded.

    Distinct forms are also counted after the first ``half`` documents, to fit Heaps' law.
    """
    embedded = _RecordingEmbedder(embedder)
    with tempfile.TemporaryDirectory(prefix="polyadic-") as folder:
        store = SqliteStore(Path(folder), embedded.name)
        try:
            indexer = Indexer(store, extractor, embedded, chunking)
            # Warm-up: the first document loads shared resources and is not timed.
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
    """Share of the sample's characters in the first documents."""
    sizes = [len(document.text) for document in sample]
    return sum(sizes[:first]) / max(1, sum(sizes))


def _facts_and_forms(store: SqliteStore, passages: Sequence[frozenset[str]]) -> tuple[int, int]:
    """Count facts, and texts of entities with a vector, given the windows of the passages."""
    with store.read() as reader:
        counts = reader.records.counts()
    return counts.facts, max(0, counts.vectors - counts.facts - len(frozenset().union(*passages)))


def _windows(document: Document, by: Indexer) -> frozenset[str]:
    """Texts that are embedded for the passages of a document."""
    chunks = chunk_document(document, by.config.chunking)
    cut = windows(document, chunks, language_of(document, by.chunking), by.embedder)
    return frozenset(text for texts in cut.values() for text in texts)


class _RecordingEmbedder:
    """Embedder stub: records the texts and returns the same vector for all of them."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension or _DIMENSION
        self.window = embedder.window
        self.unrelated_below = embedder.unrelated_below
        self.spent = Usage()
        self.token_counts = embedder.token_counts
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        vectors[:, 0] = 1
        return vectors

    def cost(self, texts: int, tokens: int) -> Usage:
        return Usage()

    def take_usage(self) -> tuple[Usage, float]:
        return Usage(), 0.0

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""
