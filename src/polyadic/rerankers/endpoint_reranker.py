"""Reranking model behind an endpoint with ``POST /rerank``, as offered by Cohere, Jina, vLLM and llama.cpp.

The request has ``model``, ``query``, ``documents`` and ``top_n``. The reply has ``results`` with ``index`` and
``relevance_score``; Text Embeddings Inference returns a list of ``index`` and ``score``. Passages without a score are
ranked last. No Authorization header is sent if no key is configured.
"""

import math
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from polyadic.config import RerankerSettings
from polyadic.errors import ModelUnavailable, PolyadicError
from polyadic.llm.endpoint_connection import Endpoint
from polyadic.model.types import Usage
from polyadic.text.tokens import count_tokens

_PRICED_TOKENS = 1_000_000


class EndpointReranker:
    """A Reranker over HTTP, with the limits and retries of every endpoint."""

    def __init__(self, settings: RerankerSettings) -> None:
        self.name = settings.name
        self._endpoint = Endpoint(settings, "reranker")
        self._price = settings.prompt_price
        self._paid = Usage()
        self._seconds = 0.0

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return one score per passage; raises ModelUnavailable as Reranker.scores."""
        if not passages:
            return []
        import openai

        from polyadic.llm.endpoint_errors import no_reply, translate_errors

        body = {"model": self.name, "query": question, "documents": [*passages], "top_n": len(passages)}
        tokens = sum(count_tokens([question, *passages]))
        problem: PolyadicError
        try:
            async with self._endpoint.turn(tokens) as client:
                started = perf_counter()
                headers: dict[str, str | openai.Omit] = (
                    {} if self._endpoint.settings.key_variable else {"Authorization": openai.Omit()}
                )
                reply = await client.post("/rerank", cast_to=object, body=body, options={"headers": headers})
            self._paid += Usage(1, tokens, 0, tokens * self._price / _PRICED_TOKENS)
            self._seconds += perf_counter() - started
            return _scores(reply, len(passages))
        except openai.OpenAIError as error:
            problem = translate_errors(error, self._endpoint, self.name)
        except RecursionError:
            problem = no_reply(self._endpoint)
        except (ValueError, TypeError) as error:
            what = (
                f"{self._endpoint.address} sent something that is not a ranking ({self._endpoint.quoted(str(error))})"
            )
            problem = ModelUnavailable(what, "check base_url and name under [reranker]")
        # The original error is not kept as the cause, because the endpoint's message may repeat the key.
        raise ModelUnavailable(problem.what, problem.next_step) from None

    def take_usage(self) -> tuple[Usage, float]:
        paid = self._paid, self._seconds
        self._paid, self._seconds = Usage(), 0.0
        return paid

    async def close(self) -> None:
        await self._endpoint.close()


def _scores(reply: Any, count: int) -> list[float]:
    """Return the scores in the order of the passages.

    >>> _scores({"results": [{"index": 1, "relevance_score": 0.9}]}, 2)
    [-inf, 0.9]
    >>> _scores([{"index": 1, "score": 0.9}, {"index": 0, "score": 0.1}], 2)
    [0.1, 0.9]

    Raises
    ------
    ValueError
        The reply has no results, or a result lacks its index or score.
    """
    results = reply.get("results") if isinstance(reply, dict) else reply
    if not isinstance(results, list) or not results:
        raise ValueError("no results")
    scores = [-math.inf] * count
    for result in results:
        fields = result if isinstance(result, dict) else {}
        index, score = fields.get("index"), fields.get("relevance_score", fields.get("score"))
        if not isinstance(score, int | float) or not math.isfinite(score):
            raise ValueError("a result without relevance_score")
        if not isinstance(index, int) or not 0 <= index < count:
            raise ValueError("a result without index")
        scores[index] = float(score)
    return scores
