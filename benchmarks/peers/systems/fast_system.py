"""fast-graphrag with its defaults, except for the common chunk size. Its store is loaded before questions."""

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fast_graphrag
import numpy as np
from fast_graphrag._llm._base import BaseEmbeddingService, BaseLLMService
from fast_graphrag._services._chunk_extraction import DefaultChunkingService, DefaultChunkingServiceConfig
from numpy.typing import NDArray

from benchmarks.peers.stand_in import DIMENSION, StandIn, asked_of, embedded, shown, summary
from benchmarks.peers.systems import Holding
from benchmarks.synthetic_workload import Passage

_CHUNK, _OVERLAP = 1_200, 100

logging.disable(logging.WARNING)


class _Model(BaseLLMService):  # type: ignore[misc]
    """Mock model whose replies are parsed by the requested pydantic models, as with a real one."""

    def __init__(self, model: StandIn) -> None:
        super().__init__(model="stand-in")
        self._stand_in = model

    async def send_message(self, prompt: str, response_model: Any = None, **_: Any) -> tuple[Any, list[dict[str, str]]]:
        reply = await self._stand_in.say(_reply(prompt, response_model.__name__))
        form = getattr(response_model, "Model", response_model)
        parsed = form.model_validate_json(reply)
        result = parsed if form is response_model else form.to_dataclass(parsed)
        return result, [{"role": "user", "content": prompt}, {"role": "assistant", "content": reply}]


class _Embedding(BaseEmbeddingService):  # type: ignore[misc]
    async def encode(self, texts: Sequence[str], model: str | None = None) -> NDArray[np.float32]:
        return embedded(texts)


class Measured:
    """Implementation of System."""

    def __init__(self, model: StandIn) -> None:
        self._model = model
        self._is_loaded = False

    async def warm(self) -> None:
        """Do nothing: importing loads everything."""

    async def open(self, folder: Path) -> None:
        config = fast_graphrag.GraphRAG.Config(
            llm_service=_Model(self._model), embedding_service=_Embedding(embedding_dim=DIMENSION)
        )
        chunking = DefaultChunkingServiceConfig(chunk_token_size=_CHUNK, chunk_token_overlap=_OVERLAP)
        config.chunking_service_cls = lambda: DefaultChunkingService(chunking)
        self._rag = fast_graphrag.GraphRAG(
            working_dir=str(folder), domain="papers", example_queries="", entity_types=["concept"], config=config
        )

    async def insert(self, texts: Sequence[str]) -> None:
        if self._is_loaded:
            await self._rag.state_manager.query_done()
            self._is_loaded = False
        await self._rag.async_insert(list(texts), show_progress=False)

    async def query(self, question: str, method: str) -> str:
        # Queries need the store to be reloaded after an insertion.
        if not self._is_loaded:
            await self._rag.state_manager.query_start()
            self._is_loaded = True
        response = await self._rag.async_query(question, fast_graphrag.QueryParam(only_context=True))
        return "\n".join(str(one) for part in (response.context.relations, response.context.chunks) for one, _ in part)

    async def holding(self) -> Holding:
        state = self._rag.state_manager
        return Holding(await state.get_num_entities(), await state.get_num_relations())

    async def close(self) -> None:
        """Do nothing: it writes at the end of each insertion."""


def _reply(prompt: str, form: str) -> str:
    if form == "TGraph":
        passage = shown(prompt)
        return _graph_reply(passage) if passage else _graph_reply(Passage(0, (), ()))
    if form == "TQueryEntities":
        return json.dumps({"named": asked_of(prompt), "generic": ["what they share"]})
    if form == "TEditRelationList":
        return json.dumps({"grouped_facts": []})
    return json.dumps({"description": summary(prompt)})


def _graph_reply(passage: Passage) -> str:
    entities = [{"name": name, "type": "concept", "desc": described} for name, described in passage.entities]
    pairs = [{"source": names[0], "target": names[1], "desc": description} for description, names in passage.facts]
    return json.dumps({"entities": entities, "relationships": pairs, "other_relationships": []})
