"""Check that the embedding model works and its vectors fit the store."""

import time
from collections.abc import AsyncGenerator

from polyadic.config import EmbeddingSettings
from polyadic.doctor.check_result import CheckResult, bad, good
from polyadic.embeddings.loading import load_embedder
from polyadic.errors import PolyadicError

_SAMPLE = [f"Sample sentence number {n}, about as long as a short fact." for n in range(32)]


async def embedding(settings: EmbeddingSettings, stored: int) -> AsyncGenerator[CheckResult, None]:
    """Embed a few sentences and compare the dimension with that of the store (0 if the store is empty)."""
    try:
        embedder = load_embedder(settings)
        try:
            await embedder.embed(_SAMPLE[:1])
            started = time.perf_counter()
            vectors = await embedder.embed(_SAMPLE)
            seconds = time.perf_counter() - started
        finally:
            await embedder.close()
    except PolyadicError as problem:
        yield bad("embedding", problem.what, problem.next_step)
        return
    speed = len(_SAMPLE) / seconds
    dimension = vectors.shape[1]
    if stored and stored != dimension:
        what = f"{embedder.name} has vectors with {dimension} dimensions, the store has vectors with {stored}"
        step = "set [embedding] back to the previous model, or run polyadic reembed --force to embed with the new one"
        yield bad("embedding", what, step)
    else:
        yield good(
            "embedding",
            f"{embedder.name}: vectors with {dimension} dimensions, about {speed:.0f} short texts per second",
        )
