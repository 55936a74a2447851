"""Measure deletions and changes for docs/performance.md: ``python -m benchmarks.deletion``; it needs no data.

Stores of 1,000, 10,000 and 100,000 facts are filled with single-chunk documents that share their entities. Documents
are deleted or changed in each store in turn, so that other load on the machine affects all stores equally.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command sets it; must precede the import of numpy

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.report_sections import PERFORMANCE, rewrite
from polyadic.config import ChunkingSettings, EmbeddingSettings, Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.types import Document
from polyadic.storage.sqlite.store import SqliteStore
from polyadic.workspace import Workspace

DELETION = "## Deleting and changing one document"
SIZES = (1_000, 10_000, 100_000)
FACTS_A_DOCUMENT = 5
TIMES = 20
HUBS = ("London", "Turin", "Cambridge")
HEAD = """
Made by `python -m benchmarks.deletion`, which fills three stores with documents of one chunk and {facts} facts that
share their entities; medians of {times}. A text that a change brings is embedded, here by the hashing embedder; a
deletion embeds nothing and calls no model.

| what | {sizes} | most / least | bound |
|---|{rules}---|---|
"""


class CountingEmbedder(HashingEmbedder):
    """Hashing embedder that counts the embedded texts."""

    texts = 0

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += len(texts)
        return await super().embed(texts)


class Measured(Workspace):
    """Workspace that counts written rows and embedded texts."""

    @cached_property
    def embedder(self) -> CountingEmbedder:
        return CountingEmbedder()

    @property
    def rows_written(self) -> int:
        """Rows that this process has inserted, changed or deleted, including those of the full-text index."""
        store = self.store(make=True)
        assert isinstance(store, SqliteStore)
        return store._writer.total_changes


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of changes, one value per change."""

    milliseconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    texts: list[int] = field(default_factory=list)

    def measure(self, kb: Measured, change: Callable[[], object]) -> None:
        rows, texts, started, used = kb.rows_written, kb.embedder.texts, time.perf_counter(), time.process_time()
        change()
        self.milliseconds.append(1000 * (time.perf_counter() - started))
        self.processor.append(1000 * (time.process_time() - used))
        self.rows.append(kb.rows_written - rows)
        self.texts.append(kb.embedder.texts - texts)


def main() -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stores = [(stack.enter_context(filled(folder / str(facts), facts)), documents_of(facts)) for facts in SIZES]
        lines = table(deleting(stores), "delete", 2.0) + table(changing(stores), "change", None)
    sizes = " | ".join(f"{facts:,} facts" for facts in SIZES)
    head = HEAD.format(facts=FACTS_A_DOCUMENT, times=TIMES, sizes=sizes, rules="---|" * len(SIZES))
    section = head + "\n".join(lines) + "\n"
    rewrite(PERFORMANCE, DELETION, section.splitlines())
    print(section)


def filled(folder: Path, facts: int) -> Measured:
    settings = Settings(embedding=EmbeddingSettings(model="hashing"), chunking=ChunkingSettings(language="en"))
    kb, documents = Measured(folder, settings), documents_of(facts)
    kb.add(written(number, documents) for number in range(documents))
    counts = kb.status().counts
    assert (counts.facts, counts.chunks) == (facts, documents)
    return kb


def documents_of(facts: int) -> int:
    return facts // FACTS_A_DOCUMENT


def written(number: int, documents: int, version: int = 0) -> Document:
    """Create a single-chunk document; its people are in about ten facts each, whatever the size of the store."""
    rng = random.Random(f"{number} {version}")  # noqa: S311
    people = [f"Person{rng.randrange(documents)} Surname{rng.randrange(10)}" for _ in range(2 * FACTS_A_DOCUMENT)]
    sentences = [
        f"{people[2 * n]} wrote letter {number * 1000 + version * 100 + n} to {people[2 * n + 1]}"
        f" from {rng.choice(HUBS) if rng.random() < 0.3 else f'Town{rng.randrange(documents // 4)}'}."
        for n in range(FACTS_A_DOCUMENT)
    ]
    return Document(source(number), f"Letters of {people[0]}", " ".join(sentences))


def source(number: int) -> str:
    return f"memory:letters/{number}"


def deleting(stores: Sequence[tuple[Measured, int]]) -> list[Costs]:
    return _measured(stores, lambda kb, documents, n: kb.delete(source(n)), 0)


def changing(stores: Sequence[tuple[Measured, int]]) -> list[Costs]:
    return _measured(stores, lambda kb, documents, n: kb.add([written(n, documents, version=1)]), 1)


def _measured(
    stores: Sequence[tuple[Measured, int]], change: Callable[[Measured, int, int], object], half: int
) -> list[Costs]:
    """Change documents drawn from one half of each store, alternating between the stores."""
    costs = [Costs() for _ in stores]
    samples = [
        random.Random(half).sample(range(half * documents // 2, (half + 1) * documents // 2), TIMES)  # noqa: S311
        for _, documents in stores
    ]
    for repetition in range(TIMES):
        for (kb, documents), store_sample, cost in zip(stores, samples, costs, strict=True):
            cost.measure(kb, partial(change, kb, documents, store_sample[repetition]))
    return costs


def table(costs: Sequence[Costs], what: str, bound: float | None) -> list[str]:
    return [
        _row(f"{what}: ms", [statistics.median(cost.milliseconds) for cost in costs], bound),
        _row(f"{what}: ms of processor time", [statistics.median(cost.processor) for cost in costs], None),
        _row(f"{what}: rows written", [statistics.median(cost.rows) for cost in costs], None),
        _row(f"{what}: texts embedded", [statistics.median(cost.texts) for cost in costs], None),
    ]


def _row(what: str, measured: Sequence[float], bound: float | None) -> str:
    spread = f"{max(measured) / min(measured):.2f}" if min(measured) else ""
    return f"| {what} | {' | '.join(f'{round(value, 1):g}' for value in measured)} | {spread} | {bound or ''} |"


if __name__ == "__main__":
    main()
