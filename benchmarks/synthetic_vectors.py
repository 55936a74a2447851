"""Generate any number of vectors that are distributed like those of real texts.

MiniLM embeds the sentences, entity descriptions, passages and questions of the data sets. Any other text gets the
vector of a real text of its kind, chosen by the text's hash, plus a fraction of the difference between two near
neighbours, like a sentence that says something similar about other things. No text is paraphrased. Questions get the
unchanged vectors of real questions.
"""

import asyncio
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import SETS, data_folder
from benchmarks.ingest import Embedding
from polyadic.config import EmbeddingSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.embeddings.loading import load_embedder

Floats = NDArray[np.float32]
_NEIGHBOURS = 10
_LEAST_MOVED, _MOST_MOVED = 0.5, 1.0
_AT_ONCE = 1_000
_PASSAGE = 400
"""Minimum length of a passage in characters."""


class Kind(StrEnum):
    SENTENCE = "sentence"
    ENTITY = "entity"
    PASSAGE = "passage"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Pool:
    """Real vectors, shape (n, d), and the indices of their nearest neighbours."""

    vectors: Floats
    near: NDArray[np.int64]

    @classmethod
    def of(cls, vectors: Floats) -> "Pool":
        near = np.empty((len(vectors), _NEIGHBOURS), dtype=np.int64)
        for start in range(0, len(vectors), _AT_ONCE):
            cosines = vectors[start : start + _AT_ONCE] @ vectors.T
            rows = np.arange(len(cosines))
            cosines[rows, start + rows] = -1
            near[start : start + _AT_ONCE] = np.argpartition(-cosines, _NEIGHBOURS, axis=1)[:, :_NEIGHBOURS]
        return cls(vectors, near)

    def moved(self, seeds: NDArray[np.uint64]) -> Floats:
        """Generate a unit vector for each seed, shape (m, d)."""
        parts = [_mixed(seeds, number) for number in range(4)]
        base, neighbour, neighbour_rank = (
            parts[0] % len(self.vectors),
            parts[1] % len(self.vectors),
            parts[2] % _NEIGHBOURS,
        )
        share = _LEAST_MOVED + (_MOST_MOVED - _LEAST_MOVED) * (parts[3] % 1_000 / 1_000)
        step = self.vectors[neighbour] - self.vectors[self.near[neighbour, neighbour_rank]]
        shifted = self.vectors[base] + share[:, None] * step
        return np.asarray(shifted / np.linalg.norm(shifted, axis=1, keepdims=True), dtype=np.float32)


class Realistic(Embedding):
    """Embedder with realistic vectors, under the name of the hashing embedder, which the workspace's settings name."""

    name: str = HashingEmbedder().name
    window: int = 100_000

    def __init__(self, kept: Path) -> None:
        """Load the real vectors from the file ``kept``, which is created if necessary."""
        if not kept.exists():
            real: dict[str, Any] = {kind.value: _embedded(kind) for kind in Kind}
            np.savez(kept, **real)
        with np.load(kept) as arrays:
            self.pools = {kind: Pool.of(arrays[kind.value]) for kind in Kind}

    async def embed(self, texts: Sequence[str]) -> Floats:
        matrix = np.empty((len(texts), self.dimension), dtype=np.float32)
        kinds = [_kind(text) for text in texts]
        seeds = np.array([zlib.crc32(text.encode()) for text in texts], dtype=np.uint64)
        for kind, pool in self.pools.items():
            rows = np.flatnonzero([text_kind is kind for text_kind in kinds])
            if kind is Kind.QUESTION:
                matrix[rows] = pool.vectors[seeds[rows] % len(pool.vectors)]
            else:
                matrix[rows] = pool.moved(seeds[rows])
        return matrix


def _kind(text: str) -> Kind:
    """Classify a text by its form."""
    if text.endswith("?"):
        return Kind.QUESTION
    if len(text) > _PASSAGE:
        return Kind.PASSAGE
    return Kind.SENTENCE if text.endswith(".") else Kind.ENTITY


def _mixed(seeds: NDArray[np.uint64], number: int) -> NDArray[np.int64]:
    """Hash each seed to an independent number (splitmix64)."""
    mixed = (seeds * np.uint64(4) + np.uint64(number + 1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(1)).astype(np.int64)


def _embedded(kind: Kind) -> Floats:
    texts = list(dict.fromkeys(_texts(kind)))
    return asyncio.run(load_embedder(EmbeddingSettings()).embed(texts))


def _texts(kind: Kind) -> Iterator[str]:
    match kind:
        case Kind.SENTENCE:
            yield from (fact["text"] for fact in _facts())
            yield from (row["text"] for row in _rows("hyperred-dev/sentences.jsonl"))
        case Kind.ENTITY:
            yield from (
                f"{entity['name']}: {entity['description']}" for fact in _facts() for entity in fact["entities"]
            )
        case Kind.PASSAGE:
            yield from (row["text"] for name in SETS for row in _rows(f"{name}/corpus.jsonl"))
        case Kind.QUESTION:
            yield from (row["text"] for name in SETS for row in _rows(f"{name}/queries.jsonl"))


def _facts() -> Iterator[dict]:  # type: ignore[type-arg]
    return (fact for row in _rows("2wiki-101/facts.jsonl") for fact in row["facts"])


def _rows(name: str) -> Iterator[dict]:  # type: ignore[type-arg]
    with (data_folder() / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
