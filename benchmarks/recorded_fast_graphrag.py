"""Run fast-graphrag on recorded facts and recorded names of questions; benchmarks/baselines.py starts it.

``python -m benchmarks.recorded_fast_graphrag DATASET EMBEDDINGS_URL STORE`` prints the retrieved passages of each
question as JSON. It runs in the environment of the peer, without Polyadic. A recorded fact of several entities becomes
a relation for each pair of them, with the sentence of the fact as description.
"""

import asyncio
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import fast_graphrag
import httpx
import numpy as np
from fast_graphrag._llm._base import BaseEmbeddingService, BaseLLMService
from numpy.typing import NDArray

_DIMENSION = 384
_BATCH = 64
_SECONDS = 120
_KEY = 200
"""Characters by which a passage is recognized."""

logging.disable(logging.WARNING)


class _Recorded:
    """What a model replied about the passages and the questions of a data set."""

    def __init__(self, folder: Path) -> None:
        self.passages = list(_rows(folder / "corpus.jsonl"))
        self.questions = list(_rows(folder / "queries.jsonl"))
        self._facts = {row["_id"]: row["facts"] for row in _rows(folder / "facts.jsonl")}
        self._names = {row["_id"]: row["entities"] for row in _rows(folder / "query_entities.jsonl")}
        self._by_text = {_bare(row["text"])[:_KEY]: row["_id"] for row in self.passages}
        self._by_question = {_bare(row["text"]): row["_id"] for row in self.questions}

    def passage_in(self, text: str) -> str | None:
        bare = _bare(text)
        return next((name for key, name in self._by_text.items() if key in bare), None)

    def graph(self, prompt: str) -> dict[str, Any]:
        facts = self._facts.get(self.passage_in(prompt) or "", [])
        entities = {one["name"]: one for fact in facts for one in fact["entities"]}
        pairs = [
            {"source": first, "target": second, "desc": fact["text"]}
            for fact in facts
            for first, second in combinations(sorted({one["name"] for one in fact["entities"]}), 2)
        ]
        shown = [
            {"name": name, "type": one["type"] or "other", "desc": one["description"]} for name, one in entities.items()
        ]
        return {"entities": shown, "relationships": pairs, "other_relationships": []}

    def names(self, prompt: str) -> list[str]:
        bare = _bare(prompt)
        return next((self._names[name] for text, name in self._by_question.items() if text in bare), [])


class _Model(BaseLLMService):  # type: ignore[misc]
    def __init__(self, recorded: _Recorded) -> None:
        super().__init__(model="recorded")
        self._recorded = recorded

    async def send_message(self, prompt: str, response_model: Any = None, **_: Any) -> tuple[Any, list[dict[str, str]]]:
        form = getattr(response_model, "Model", response_model)
        parsed = form.model_validate_json(json.dumps(self._reply(prompt, response_model.__name__)))
        result = parsed if form is response_model else form.to_dataclass(parsed)
        return result, [{"role": "user", "content": prompt}]

    def _reply(self, prompt: str, form: str) -> dict[str, Any]:
        match form:
            case "TGraph":
                return self._recorded.graph(prompt)
            case "TQueryEntities":
                return {"named": self._recorded.names(prompt), "generic": []}
            case "TEditRelationList":
                return {"grouped_facts": []}
            case _:
                return {"description": prompt[-_KEY:]}


class _Embedding(BaseEmbeddingService):  # type: ignore[misc]
    url: str = ""

    async def encode(self, texts: Sequence[str], model: str | None = None) -> NDArray[np.float32]:
        parts = [self._embedded(list(texts[start : start + _BATCH])) for start in range(0, len(texts), _BATCH)]
        return np.concatenate([np.zeros((0, _DIMENSION), dtype=np.float32), *parts])

    def _embedded(self, texts: list[str]) -> NDArray[np.float32]:
        reply = httpx.post(self.url, json=texts, timeout=_SECONDS)
        return np.frombuffer(reply.content, dtype=np.float32).reshape(-1, _DIMENSION)


async def _run(recorded: _Recorded, url: str, store: Path) -> dict[str, list[str | None]]:
    embedding = _Embedding(embedding_dim=_DIMENSION)
    embedding.url = url
    config = fast_graphrag.GraphRAG.Config(llm_service=_Model(recorded), embedding_service=embedding)
    rag = fast_graphrag.GraphRAG(str(store), "encyclopedia", "", ["person", "work", "place", "other"], config=config)
    await rag.async_insert([f"{row['title']}\n{row['text']}" for row in recorded.passages], show_progress=False)
    await rag.state_manager.query_start()
    found: dict[str, list[str | None]] = {}
    for question in recorded.questions:
        response = await rag.async_query(question["text"], fast_graphrag.QueryParam(only_context=True))
        found[question["_id"]] = [recorded.passage_in(str(chunk)) for chunk, _ in response.context.chunks]
    return found


def _bare(text: str) -> str:
    return "".join(text.split())


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_run(_Recorded(Path(sys.argv[1])), sys.argv[2], Path(sys.argv[3])))))
