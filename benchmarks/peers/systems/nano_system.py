"""nano-graphrag: its defaults, questions in local mode. Replies are kept as its own functions for a model keep them."""

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
_NOTHING_MORE = "NO"

# It is imported where communities are first sought, which is not to be timed.
assert graspologic.partition
vars(tiktoken).update(encoding_for_model=lambda name: Tokens())
logging.disable(logging.WARNING)


class Measured:
    """Implements System."""

    def __init__(self, model: StandIn) -> None:
        self._model = model

    async def warm(self) -> None:
        """It is imported whole."""

    async def open(self, folder: Path) -> None:
        ask = _asking(self._model)
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
        """It writes at the end of each insertion, and has nothing to close."""


def _asking(model: StandIn) -> Callable[..., Awaitable[str]]:
    """A function whose replies are remembered in the cache, which is written when an insertion ends."""

    async def ask(prompt: str, history_messages: Sequence[object] = (), hashing_kv: Any = None, **_: Any) -> str:
        key = compute_args_hash("stand-in", [*history_messages, prompt])
        remembered = await hashing_kv.get_by_id(key)
        if remembered is not None:
            return str(remembered["return"])
        reply = await model.say(_NOTHING_MORE if history_messages else _reply(prompt))
        await hashing_kv.upsert({key: {"return": reply, "model": "stand-in"}})
        return reply

    return ask


def _reply(prompt: str) -> str:
    if prompt.startswith(_EXTRACT):
        told = shown(prompt)
        return _told(told) if told else _END
    if _REPORT in prompt:
        return _report(summary(prompt))
    return summary(prompt)


def _told(told: Passage) -> str:
    rows = [("entity", name, "concept", description) for name, description in told.entities]
    pairs = [("relationship", *names[:2], said, "8") for said, names in told.facts]
    return _NEXT.join(f"({_BETWEEN.join(map(json.dumps, row))})" for row in [*rows, *pairs]) + _END


def _report(said: str) -> str:
    findings = [{"summary": said[:80], "explanation": said} for _ in range(_FINDINGS)]
    return json.dumps(
        {"title": said[:40], "summary": said, "rating": 5, "rating_explanation": said[:80], "findings": findings}
    )


async def _embed(texts: Sequence[str]) -> NDArray[np.float32]:
    return embedded(texts)
