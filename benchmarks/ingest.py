"""Measure indexing with a model for docs/performance.md: ``python -m benchmarks.ingest``; it needs no data.

A mock language model and embedder (benchmarks/synthetic_workload.py) take almost no time, so the rest is our own cost:
chunking, requests, parsing replies, aggregation and writing. Each column runs in its own process.
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
from benchmarks.report_sections import PERFORMANCE, rewrite
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
Made by `python -m benchmarks.ingest`: {PASSAGES} passages of about 1,100 tokens, for each of which a stand-in model
returns 12 facts of 2 to 6 among 16 entities. The model and the embedder cost next to nothing; {AT_ONCE} calls are made
at once. Aimed at: 0.8 s where the model takes no time, 290 calls a second (of 320) where it takes 50 ms, and 4 bytes
written a byte.

"""
RUNS = ((10, 0.0), (1, 0.0), (10, 0.05))
"""Passages per document, and seconds per model call."""


@dataclass
class Model:
    """Mock language model; its reply about a passage is determined by the passage's mark."""

    seconds: float
    name: str = "stand-in"
    context_tokens: int = 128_000
    output_tokens: int = 8_000
    throttle_count: int = 0
    calls: int = 0

    def check(self) -> None:
        """Do nothing: there is no API key."""

    def max_usage(self, request: ModelRequest) -> Usage:
        return Usage(1, 1_500, 1_000)

    def estimate_usage(self, request: ModelRequest, text: str) -> Usage:
        return self.max_usage(request)

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.calls += 1
        await asyncio.sleep(self.seconds)
        return ModelReply(_cached_reply(marked(request.messages[-1].text)), True, self.max_usage(request), self.seconds)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        yield await self.complete(request)

    async def close(self) -> None:
        """Do nothing: there are no resources."""


class Embedding:
    """Mock embedding model."""

    name: str = "stand-in"
    dimension: int = 384
    window: int = 254
    unrelated_below: float = 0.3
    spent: Usage = Usage()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return vectors(texts, self.dimension)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        return [len(text) // 5 for text in texts]

    def take_usage(self) -> tuple[Usage, float]:
        return Usage(), 0.0

    def cost(self, texts: int, tokens: int) -> Usage:
        return Usage()

    async def close(self) -> None:
        """Do nothing: there are no resources."""


@cache
def _cached_reply(number: int) -> str:
    """Return the reply about a passage, cached before the measurement."""
    return reply_about(passage(number))


def reply_about(passage: Passage) -> str:
    """Build the model's reply about a passage."""
    descriptions = dict(passage.entities)
    facts = [
        {
            "text": text,
            "score": 9,
            "sentences": [1 + place],
            "entities": [
                {"name": name, "type": "matter", "description": descriptions[name], "score": 80} for name in names
            ],
        }
        for place, (text, names) in enumerate(passage.facts)
    ]
    return json.dumps({"facts": facts})


def measure(folder: Path, passages: int, a_document: int, seconds: float) -> dict[str, float]:
    """Index passages into a new store in a folder."""
    written_before = written()
    with closing(SqliteStore(folder, Embedding.name)) as store:
        results = read_into(store, passages, a_document, seconds)
    return results | {"bytes written a byte stored": (written() - written_before) / stored(folder)}


def read_into(store: Store, passages: int, a_document: int, seconds: float) -> dict[str, float]:
    """Index passages into a store that has none of them."""
    documents_to_index = [
        Document(f"memory:{n}", f"Papers {n}", text) for n, text in enumerate(documents(passages, a_document))
    ]
    for number in range(passages):
        _cached_reply(number)
    vectors(["warm"])
    count_tokens(["warm"])
    settings, model = Settings(), Model(seconds)
    cached_model = CachedModel(model, StoreResponseCache(store))
    extractor = LLMExtractor(cached_model, PromptLibrary(Path("prompts")), settings.extraction, "en", AT_ONCE)
    chunking = settings.chunking.model_copy(update={"language": "en"}).read_by(extractor.paid)
    started, used = time.perf_counter(), time.process_time()
    report = asyncio.run(Indexer(store, extractor, Embedding(), chunking).index(documents_to_index))
    seconds_taken = time.perf_counter() - started
    assert not report.failed and report.chunks >= passages, report
    return {
        "chunks": float(report.chunks),
        "s": seconds_taken,
        "s of processor time": time.process_time() - used,
        "ms a chunk": 1_000 * seconds_taken / report.chunks,
        "calls a second": model.calls / seconds_taken,
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
    rewrite(PERFORMANCE, HEADING, section.splitlines())
    print(section)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(Path(sys.argv[1]), PASSAGES, int(sys.argv[2]), float(sys.argv[3]))))
    else:
        main()
