"""nano-graphrag with its defaults and questions in local mode. Replies are cached as by its own model functions."""

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import graspologic.partition
import nano_graphrag
import numpy as np
import tiktoken
from nano_graphrag._utils import EmbeddingFunc, compute_args_hash
from numpy.typing import NDArray

from benchmarks.peers.stand_in import DIMENSION, StandIn, embedded, shown, summary
from benchmarks.peers.systems import Holding
from benchmarks.peers.systems.tokens import Tokens
from benchmarks.synthetic_workload import Passage

_BETWEEN, _NEXT, _END = "<|>", "##\n", "<|COMPLETE|>"
_EXTRACT, _REPORT = "-Goal-", "comprehensive report of a community"
_FINDINGS = 4
_TOKENS_OF_A_TEXT = 8_192
_NO_MORE_ENTITIES = "NO"

# It is otherwise imported during the first clustering, which is timed.
assert graspologic.partition
vars(tiktoken).update(encoding_for_model=lambda name: Tokens())
logging.disable(logging.WARNING)


class Measured:
    """Implementation of System."""

    def __init__(self, model: StandIn) -> None:
        self._model = model

    async def warm(self) -> None:
        """Do nothing: importing loads everything."""

    async def open(self, folder: Path) -> None:
        ask = _model_function(self._model)
        self._rag = nano_graphrag.GraphRAG(
            working_dir=str(folder),
            best_model_func=ask,
            cheap_model_func=ask,
            embedding_func=EmbeddingFunc(embedding_dim=DIMENSION, max_token_size=_TOKENS_OF_A_TEXT, func=_embed),
        )

    async def insert(self, texts: Sequence[str]) -> None:
        await self._rag.ainsert(list(texts))

    async def query(self, question: str, method: str) -> str:
        return str(await self._rag.aquery(question, nano_graphrag.QueryParam(mode=method, only_need_context=True)))

    async def holding(self) -> Holding:
        graph = self._rag.chunk_entity_relation_graph._graph
        return Holding(graph.number_of_nodes(), graph.number_of_edges())

    async def close(self) -> None:
        """Do nothing: it writes at the end of each insertion."""


def _model_function(model: StandIn) -> Callable[..., Awaitable[str]]:
    """Return a function that caches its replies; the cache is written when an insertion ends."""

    async def ask(prompt: str, history_messages: Sequence[object] = (), hashing_kv: Any = None, **_: Any) -> str:
        key = compute_args_hash("stand-in", [*history_messages, prompt])
        cached = await hashing_kv.get_by_id(key)
        if cached is not None:
            return str(cached["return"])
        reply = await model.say(_NO_MORE_ENTITIES if history_messages else _reply(prompt))
        await hashing_kv.upsert({key: {"return": reply, "model": "stand-in"}})
        return reply

    return ask


def _reply(prompt: str) -> str:
    if prompt.startswith(_EXTRACT):
        passage = shown(prompt)
        return _graph_reply(passage) if passage else _END
    if _REPORT in prompt:
        return _report(summary(prompt))
    return summary(prompt)


def _graph_reply(passage: Passage) -> str:
    rows = [("entity", name, "concept", description) for name, description in passage.entities]
    pairs = [("relationship", *names[:2], description, "8") for description, names in passage.facts]
    return _NEXT.join(f"({_BETWEEN.join(map(json.dumps, row))})" for row in [*rows, *pairs]) + _END


def _report(text: str) -> str:
    findings = [{"summary": text[:80], "explanation": text} for _ in range(_FINDINGS)]
    return json.dumps(
        {"title": text[:40], "summary": text, "rating": 5, "rating_explanation": text[:80], "findings": findings}
    )


async def _embed(texts: Sequence[str]) -> NDArray[np.float32]:
    return embedded(texts)
