"""Polyadic with a regular workspace and mock models."""

import json
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import ingest
from benchmarks.peers.stand_in import StandIn, asked_of, embedded, known, shown
from benchmarks.peers.systems import Holding
from benchmarks.synthetic_workload import marked
from polyadic.config import ChunkingSettings, EmbeddingSettings, ModelRole, ModelSettings, Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.llm.language_model import LanguageModel, ModelReply, ModelRequest
from polyadic.model.types import Document
from polyadic.workspace import Workspace

_SETTINGS = Settings(
    chunking=ChunkingSettings(language="en"),
    embedding=EmbeddingSettings(model="endpoint", name=ingest.Embedding.name),
    model=ModelSettings(name="stand-in"),
)
_NAMES = "question-entities"
_NOTHING = '{"facts": []}'


class _Model(ingest.Model):
    """Mock model that replies in the format of Polyadic's prompts."""

    def __init__(self, model: StandIn) -> None:
        super().__init__(model.seconds)
        self._model = model

    async def complete(self, request: ModelRequest) -> ModelReply:
        text = request.messages[-1].text
        if request.purpose == _NAMES:
            reply = json.dumps({"entities": asked_of(text)})
        else:
            passage = shown(text)
            reply = ingest.reply_about(passage) if passage else _NOTHING
        return ModelReply(await self._model.say(reply), True, self.max_usage(request), self.seconds)


class _Embedding(ingest.Embedding):
    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return embedded(texts)


class _Workspace(Workspace):
    """A workspace with mock models."""

    def __init__(self, folder: Path, model: StandIn) -> None:
        super().__init__(folder, _SETTINGS)
        self._stand_in = model

    @cached_property
    def embedder(self) -> Embedder:
        return _Embedding()

    def _model(self, role: ModelRole) -> LanguageModel | None:
        return _Model(self._stand_in)


class Measured:
    """Implementation of System."""

    def __init__(self, model: StandIn) -> None:
        self._model = model

    async def warm(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with _Workspace(Path(folder), StandIn(0.0)) as workspace:
                await workspace.aadd([Document("memory:warm", "Papers", known(0).text)])

    async def open(self, folder: Path) -> None:
        self._workspace = _Workspace(folder, self._model)

    async def insert(self, texts: Sequence[str]) -> None:
        documents = [Document(f"memory:{marked(text)}", f"Papers {marked(text)}", text) for text in texts]
        report = await self._workspace.aadd(documents)
        assert not report.failed, report

    async def query(self, question: str, method: str) -> str:
        knowledge = await self._workspace.aretrieve(question, method)
        return "\n".join(item.text for item in knowledge.items)

    async def holding(self) -> Holding:
        counts = self._workspace.status().counts
        return Holding(counts.entities, counts.facts)

    async def close(self) -> None:
        await self._workspace.aclose()
