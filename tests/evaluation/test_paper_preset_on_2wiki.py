"""The preset ``paper`` on 2wiki-101, with MiniLM and recorded replies, against the equations written out naively."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyadic.chunking.embedding_windows import windows
from polyadic.config import FILE_NAME, EmbeddingSettings, ModelSettings, Settings, load_settings, template
from polyadic.config.presets import PRESETS
from polyadic.embeddings.loading import load_embedder
from polyadic.embeddings.minilm.weights import find_weights
from polyadic.errors import WeightsMissing
from polyadic.evaluation.dataset_formats import load_beir
from polyadic.evaluation.datasets import Dataset, corpus_id
from polyadic.evaluation.measures.measure import scores_of
from polyadic.evaluation.measures.ranking_measures import PassageRecall
from polyadic.evaluation.question_record import QuestionOutcome
from polyadic.interchange.import_file import import_file
from polyadic.model.identity import entity_key, normal_text
from polyadic.model.types import Chunk, Document, Knowledge, Span
from polyadic.storage.sql.half_precision import rounded, widened
from polyadic.workspace import Workspace
from tests.model_server import ModelServer
from tests.model_server.fixtures import recorded_server
from tests.retrieval.paper_equations import ExtractedEntity, ExtractedFact, KnowledgeHypergraph, knowledge_hypergraph

pytestmark = [pytest.mark.slow, pytest.mark.data, pytest.mark.weights]

__all__ = ["recorded_server"]

EMBEDDING = EmbeddingSettings(model="minilm-int8")


@pytest.fixture(scope="module")
def data() -> Path:
    folder = os.environ.get("POLYADIC_DATA")
    if not folder:
        pytest.skip("POLYADIC_DATA is not set: it names the folder with 2wiki-101")
    try:
        find_weights()
    except WeightsMissing as missing:
        pytest.skip(str(missing))
    return Path(folder) / "2wiki-101"


@pytest.fixture(scope="module")
def dataset(data: Path) -> Dataset:
    return load_beir(data)


@pytest.fixture(scope="module")
def workspace(
    recorded_server: ModelServer, dataset: Dataset, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    """The recorded facts of the data set under the preset; the recorded model finds the entities of questions."""
    folder = tmp_path_factory.mktemp("paper")
    with Workspace(folder, preset(folder, recorded_server)) as opened:
        import_file(opened, dataset.corpus.parent / "facts.jsonl", [dataset.corpus])
        yield opened


def preset(folder: Path, server: ModelServer) -> Settings:
    (folder / FILE_NAME).write_text(template(PRESETS["paper"]), encoding="utf-8")
    model = ModelSettings(name="recorded", base_url=server.url, key_variable="")
    return load_settings(folder / FILE_NAME).model_copy(update={"embedding": EMBEDDING, "model": model})


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def embed(texts: list[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return asyncio.run(load_embedder(EMBEDDING).embed(texts))


@pytest.fixture(scope="module")
def graph(data: Path) -> KnowledgeHypergraph:
    """The knowledge hypergraph of the recorded facts; a fact has its text and the keys of its entities as its key."""
    facts = []
    for passage in rows(data / "facts.jsonl"):
        for fact in passage["facts"]:
            entities = [
                ExtractedEntity(entity_key(one["name"]), one["name"], one["description"], one["score"])
                for one in fact["entities"]
            ]
            key = fact_key(fact["text"], [one.name for one in entities])
            facts.append(ExtractedFact(key, fact["text"], fact["score"], entities))
    chunks = {row["_id"]: parts(row["title"], row["text"]) for row in rows(data / "corpus.jsonl")}
    # As precise as a store keeps vectors, so that nothing differs at a threshold.
    return knowledge_hypergraph(facts, chunks, lambda texts: widened(rounded(embed(list(texts)))))


def parts(title: str, text: str) -> list[str]:
    """The texts to embed for a passage: MiniLM reads some 250 tokens at once, the paper's embedder 8,000."""
    document = Document("memory:one", title, text)
    chunk = Chunk(document.id, Span(0, len(text)), text, 0, 0)
    return windows(document, [chunk], "en", load_embedder(EMBEDDING))[chunk.id]


def fact_key(text: str, names: list[str]) -> str:
    return json.dumps([normal_text(text), sorted(set(map(entity_key, names)))])


@pytest.fixture(scope="module")
def retrieved(workspace: Workspace, dataset: Dataset) -> list[Knowledge]:
    return [workspace.retrieve(question.text) for question in dataset.questions]


def test_every_fact_and_chunk_is_that_of_the_equations(
    retrieved: list[Knowledge], graph: KnowledgeHypergraph, data: Path, dataset: Dataset
) -> None:
    named = {row["_id"]: row["entities"] for row in rows(data / "query_entities.jsonl")}
    questions = [question.text for question in dataset.questions]
    h_q = embed(questions).astype(np.float64)
    h_vq = embed([", ".join(named[question.id]) for question in dataset.questions]).astype(np.float64)
    for found, question, names in zip(retrieved, h_q, h_vq, strict=True):
        k_h, k_chunk = graph.retrieve(question, names)
        assert {fact_key(fact.text, list(fact.entities)) for fact in found.facts} == k_h
        assert {corpus_id(chunk.places[0].source) for chunk in found.chunks} == k_chunk
        assert (len(found.facts), len(found.chunks)) == (len(k_h), len(k_chunk))
        assert found.omitted == 0


def recall_at_5(dataset: Dataset, retrieved: list[Knowledge]) -> float:
    outcomes = [
        QuestionOutcome(question, tuple(corpus_id(source) for source in found.documents))
        for question, found in zip(dataset.questions, retrieved, strict=True)
    ]
    return float(np.mean(scores_of(PassageRecall(5), outcomes)))


def test_what_the_equations_retrieve(retrieved: list[Knowledge], dataset: Dataset) -> None:
    assert np.mean([len(found.facts) for found in retrieved]) == pytest.approx(7.0, abs=0.05)
    assert np.mean([len(found.chunks) for found in retrieved]) == pytest.approx(1.9, abs=0.05)
    assert recall_at_5(dataset, retrieved) == pytest.approx(0.616, abs=0.005)


def test_several_vectors_per_entity_retrieve_more(workspace: Workspace, dataset: Dataset) -> None:
    settings = workspace.settings
    several = settings.hypergraph.model_copy(update={"one_vector_per_entity": False})
    with Workspace(workspace.folder, settings.model_copy(update={"hypergraph": several})) as opened:
        retrieved = [opened.retrieve(question.text) for question in dataset.questions]
    assert np.mean([len(found.facts) for found in retrieved]) == pytest.approx(11.3, abs=0.05)
    assert np.mean([len(found.chunks) for found in retrieved]) == pytest.approx(1.9, abs=0.05)
    assert recall_at_5(dataset, retrieved) == pytest.approx(0.772, abs=0.005)


def test_an_unrelated_question_retrieves_nothing(workspace: Workspace) -> None:
    found = workspace.retrieve("zebra quantum pastry")
    assert found.items == () and found.retrieves
