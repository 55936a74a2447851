"""Whether the embedding model is there and gives vectors that fit the store."""

import time
from collections.abc import AsyncIterator

from polyadic.doctor.check_result import CheckResult, bad, good
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import PolyadicError

_SAMPLE = [f"Sample sentence number {n}, about as long as a short fact." for n in range(32)]


async def embedding(embedder: Embedder, stored: int) -> AsyncIterator[CheckResult]:
    """Embeds a few sentences; ``stored`` is how many numbers the store's vectors have, 0 where it has none."""
    try:
        await embedder.embed(_SAMPLE[:1])
        started = time.perf_counter()
        vectors = await embedder.embed(_SAMPLE)
    except PolyadicError as problem:
        yield bad("embedding", problem.what, problem.next_step)
        return
    speed = len(_SAMPLE) / (time.perf_counter() - started)
    dimension = vectors.shape[1]
    if stored and stored != dimension:
        what = f"{embedder.name} gives vectors of {dimension} numbers, the store holds vectors of {stored}"
        step = "set [embedding] back to the model that filled it, or polyadic reembed --force brings all to the new one"
        yield bad("embedding", what, step)
    else:
        yield good(
            "embedding", f"{embedder.name}: vectors of {dimension} numbers, about {speed:.0f} short texts a second"
        )
