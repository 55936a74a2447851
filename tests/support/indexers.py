"""An indexer over a folder that needs no weights, and counts what it is asked to embed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyadic.config import ChunkingSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.extraction.extractor import Extractor
from polyadic.extraction.sentence_extractor import SentenceExtractor
from polyadic.indexing.indexer import Indexer
from polyadic.storage.sqlite.store import SqliteStore


class CountingEmbedder(HashingEmbedder):
    """Remembers every text that it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += texts
        return await super().embed(texts)


@contextmanager
def indexer(
    folder: Path, chunking: ChunkingSettings | None = None, extractor: Extractor | None = None
) -> Iterator[Indexer]:
    embedder = CountingEmbedder()
    store = SqliteStore(folder, embedder.name)
    try:
        yield Indexer(store, extractor or SentenceExtractor("en"), embedder, chunking or ChunkingSettings())
    finally:
        store.close()
