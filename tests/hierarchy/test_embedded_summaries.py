"""Vectors of summaries do not depend on the order in which clusters are summarized."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.hierarchy.build_report import BuildReport
from polyadic.hierarchy.builder import EmbeddedSummaries
from polyadic.model.hierarchy import EXTRACTIVE, Summary
from polyadic.storage.sqlite.store import SqliteStore


class Together(HashingEmbedder):
    """Embedder whose vectors depend on the texts that are embedded before them, as those of a quantized model do."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = await super().embed(texts)
        return (vectors + np.cumsum(vectors, axis=0) / 10).astype(np.float32)


def test_order_of_the_summaries_does_not_matter(tmp_path: Path) -> None:
    summaries = [
        Summary(f"c{n}", 1, f"Theme {n}", "theme", f"All about {word}.", (), EXTRACTIVE)
        for n, word in enumerate(("engines", "looms", "poems", "engines"))
    ]
    embedder = Together()
    store = SqliteStore(tmp_path, embedder.name)
    embedded = EmbeddedSummaries(store, embedder, BuildReport(EXTRACTIVE))
    forwards = asyncio.run(embedded.of(summaries))
    backwards = asyncio.run(embedded.of(summaries[::-1]))
    assert forwards.shape == (4, embedder.dimension)
    assert np.array_equal(forwards, backwards[::-1])
    assert asyncio.run(embedded.of([])).shape == (0, embedder.dimension)
    store.close()
