"""LightRAG with its defaults, except for 16 concurrent calls, no reranking and no cache of replies to questions."""

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import lightrag
import numpy as np
from lightrag.utils import EmbeddingFunc, Tokenizer
from numpy.typing import NDArray

from benchmarks.peers.stand_in import AT_ONCE, DIMENSION, StandIn, asked_of, embedded, shown, summary
from benchmarks.peers.systems import Holding
from benchmarks.peers.systems.tokens import Tokens
from benchmarks.synthetic_workload import Passage, marked

_BETWEEN, _END = "<|#|>", "<|COMPLETE|>"
# These words identify the prompts.
_EXTRACT, _CONTINUE, _KEYWORDS = "---Input Text---", "Based on the last extraction task", "keyword extractor"
_TOKENS_OF_A_TEXT = 8_192

logging.disable(logging.WARNING)


class Measured:
    """Implementation of System."""

    def __init__(self, model: StandIn) -> None:
        self._model = model

    async def warm(self) -> None:
        """Do nothing: importing loads everything."""

    async def open(self, folder: Path) -> None:
        self._rag = lightrag.LightRAG(
            working_dir=str(folder),
            llm_model_func=_model_function(self._model),
            llm_model_max_async=AT_ONCE,
            enable_llm_cache=False,
            tokenizer=Tokenizer("o200k", Tokens()),
            embedding_func=EmbeddingFunc(embedding_dim=DIMENSION, func=_embed, max_token_size=_TOKENS_OF_A_TEXT),
        )
        await self._rag.initialize_storages()

    async def insert(self, texts: Sequence[str]) -> None:
        await self._rag.ainsert(list(texts), file_paths=[f"papers-{marked(text)}.txt" for text in texts])

    async def query(self, question: str, method: str) -> str:
        parameters = lightrag.QueryParam(mode=method, only_need_context=True, enable_rerank=False)
        return str(await self._rag.aquery(question, parameters))

    async def holding(self) -> Holding:
        graph = self._rag.chunk_entity_relation_graph
        return Holding(len(await graph.get_all_nodes()), len(await graph.get_all_edges()))

    async def close(self) -> None:
        await self._rag.finalize_storages()


def _model_function(model: StandIn) -> Callable[..., Awaitable[str]]:
    """Return a function that refers only to the model, because it is copied with all settings."""

    async def ask(prompt: str, **_: Any) -> str:
        return await model.say(_reply(prompt))

    return ask


def _reply(prompt: str) -> str:
    if _CONTINUE in prompt:
        return _END
    if _KEYWORDS in prompt:
        return json.dumps({"high_level_keywords": ["what they share"], "low_level_keywords": asked_of(prompt)})
    if _EXTRACT in prompt:
        passage = shown(prompt)
        return _graph_reply(passage) if passage else _END
    return summary(prompt)


def _graph_reply(passage: Passage) -> str:
    rows = [("entity", name, "Concept", description) for name, description in passage.entities]
    pairs = [("relation", *names[:2], "share", description) for description, names in passage.facts]
    return "\n".join([*(_BETWEEN.join(row) for row in [*rows, *pairs]), _END])


async def _embed(texts: Sequence[str], **_: Any) -> NDArray[np.float32]:
    return embedded(texts)
