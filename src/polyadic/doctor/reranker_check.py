"""Check that the reranker, if one is set, works and ranks a relevant passage first."""

import time
from collections.abc import AsyncGenerator

from polyadic.config import RerankerSettings
from polyadic.doctor.check_result import CheckResult, bad, doubtful, good
from polyadic.errors import PolyadicError
from polyadic.rerankers.loading import load_reranker

_QUESTION = "When does the ferry leave?"
_PASSAGES = ("Bread is made of flour and water.", "The ferry leaves at nine every morning.")


async def reranking(settings: RerankerSettings) -> AsyncGenerator[CheckResult, None]:
    """Rank two passages, one of which answers the question; yield nothing if no reranker is set."""
    try:
        reranker = load_reranker(settings)
        if reranker is None:
            return
        try:
            started = time.perf_counter()
            wrong, right = await reranker.scores(_QUESTION, _PASSAGES)
            seconds = time.perf_counter() - started
        finally:
            await reranker.close()
    except PolyadicError as problem:
        yield bad("reranker", problem.what, problem.next_step)
        return
    detail = f"{reranker.name} ranks two passages in {seconds:.1f} s"
    if right > wrong:
        yield good("reranker", detail)
    else:
        yield doubtful("reranker", f"{detail}, the relevant one last", "check that it is a reranking model")
