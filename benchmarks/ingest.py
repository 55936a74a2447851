"""Makes the section Reading with a model of docs/performance.md: ``python -m benchmarks.ingest``; it needs no data.

A language model and an embedder that cost next to nothing stand in (benchmarks/synthetic_workload.py), so that what is
left is ours: cutting, asking, reading replies, deriving, writing. Each column is a process of its own.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.footprint import stored, written
from benchmarks.report_sections import replaced
from benchmarks.speed import REPORT
from benchmarks.synthetic_workload import Passage, documents, marked, passage, vectors
from polyadic.config import Settings
from polyadic.extraction.llm_extractor import LLMExtractor
from polyadic.indexing.indexer import Indexer
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.language_model import ModelReply, ModelRequest
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.store_cache import StoreResponseCache
from polyadic.model.types import Document, Usage
from polyadic.storage.protocol import Store
from polyadic.storage.sqlite.store import SqliteStore
from polyadic.text.tokens import count_tokens

PASSAGES = 200
AT_ONCE = 16
HEADING = "## Reading with a model"
HEAD = f"""
Made by `python -m benchmarks.ingest`: {PASSAGES} passages of about 1,100 tokens, of each of which a model that stands
in tells 12 facts of 2 to 6 among 16 entities. The model and the embedder cost next to nothing; {AT_ONCE} calls are made
at once. Aimed at: 0.8 s where the model takes no time, 290 calls a second (of 320) where it takes 50 ms, and 4 bytes
written a byte.

"""
RUNS = ((10, 0.0), (1, 0.0), (10, 0.05))
"""Passages a document, and seconds that the model takes for a call."""


@dataclass
class Model:
    """Stands in for a language model: what it says of a passage follows from the passage's mark."""

    seconds: float
    name: str = "stand-in"
    context_tokens: int = 128_000
    output_tokens: int = 8_000
    slowed: int = 0
    calls: int = 0

    def check(self) -> None:
        """There is no key."""

    def most(self, request: ModelRequest) -> Usage:
        return Usage(1, 1_500, 1_000)

    def counted(self, request: ModelRequest, text: str) -> Usage:
        return self.most(request)

    async def ask(self, request: ModelRequest) -> ModelReply:
        self.calls += 1
        await asyncio.sleep(self.seconds)
        return ModelReply(_said(marked(request.messages[-1].text)), True, self.most(request), self.seconds)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        yield await self.ask(request)

    async def close(self) -> None:
        """There is nothing to let go of."""


class Embedding:
    """Stands in for an embedding model."""

    name: str = "stand-in"
    dimension: int = 384
    window: int = 254
    unrelated_below: float = 0.3
    spent: Usage = Usage()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return vectors(texts, self.dimension)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        return [len(text) // 5 for text in texts]

    def take_paid(self) -> tuple[Usage, float]:
        return Usage(), 0.0

    def cost(self, texts: int, tokens: int) -> Usage:
        return Usage()

    async def close(self) -> None:
        """There is nothing to let go of."""


@cache
def _said(number: int) -> str:
    """The reply about a passage; made ahead of the measurement."""
    return reply_about(passage(number))


def reply_about(told: Passage) -> str:
    """What the model says of a passage."""
    described = dict(told.entities)
    facts = [
        {
            "text": said,
            "score": 9,
            "sentences": [1 + place],
            "entities": [
                {"name": name, "type": "matter", "description": described[name], "score": 80} for name in names
            ],
        }
        for place, (said, names) in enumerate(told.facts)
    ]
    return json.dumps({"facts": facts})


def measure(folder: Path, passages: int, a_document: int, seconds: float) -> dict[str, float]:
    """Read so many passages into a new store in this folder."""
    before = written()
    with closing(SqliteStore(folder, Embedding.name)) as store:
        told = read_into(store, passages, a_document, seconds)
    return told | {"bytes written a byte stored": (written() - before) / stored(folder)}


def read_into(store: Store, passages: int, a_document: int, seconds: float) -> dict[str, float]:
    """Read so many passages into a store that has none of them."""
    read = [Document(f"memory:{n}", f"Papers {n}", text) for n, text in enumerate(documents(passages, a_document))]
    for number in range(passages):
        _said(number)
    vectors(["warm"])
    count_tokens(["warm"])
    settings, model = Settings(), Model(seconds)
    asked = CachedModel(model, StoreResponseCache(store))
    extractor = LLMExtractor(asked, PromptLibrary(Path("prompts")), settings.extraction, "en", AT_ONCE)
    chunking = settings.chunking.model_copy(update={"language": "en"}).sized(extractor.paid)
    started, used = time.perf_counter(), time.process_time()
    report = asyncio.run(Indexer(store, extractor, Embedding(), chunking).index(read))
    taken = time.perf_counter() - started
    assert not report.failed and report.chunks >= passages, report
    return {
        "chunks": float(report.chunks),
        "s": taken,
        "s of processor time": time.process_time() - used,
        "ms a chunk": 1_000 * taken / report.chunks,
        "calls a second": model.calls / taken,
    }


def main() -> None:
    columns = []
    for a_document, seconds in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "benchmarks.ingest", folder, str(a_document), str(seconds)]
            columns.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    heads = [f"{a_document} a document, model at {1_000 * seconds:.0f} ms" for a_document, seconds in RUNS]
    rows = [f"| what | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    rows += [f"| {what} | {' | '.join(f'{column[what]:.2f}' for column in columns)} |" for what in columns[0]]
    section = HEAD + "\n".join(rows) + "\n"
    REPORT.write_text(replaced(REPORT.read_text(encoding="utf-8"), HEADING, section), encoding="utf-8")
    print(section)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(Path(sys.argv[1]), PASSAGES, int(sys.argv[2]), float(sys.argv[3]))))
    else:
        main()
