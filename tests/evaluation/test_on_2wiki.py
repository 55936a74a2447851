"""2wiki-101 with MiniLM and recorded replies: what docs/quality.md claims of ``walk``, and the preset ``paper``.

The preset is compared with the equations written out naively. All share what was embedded.
"""

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.cached_embedder import CachedEmbedder
from polyadic.chunking.embedding_windows import windows
from polyadic.config import FILE_NAME, EmbeddingSettings, ModelSettings, Settings, load_settings, template
from polyadic.config.presets import PRESETS
from polyadic.embeddings.loading import load_embedder
from polyadic.embeddings.minilm.weights import find_weights
from polyadic.errors import WeightsMissing
from polyadic.evaluation.dataset_formats import load_beir
from polyadic.evaluation.datasets import Dataset, corpus_id
from polyadic.evaluation.measures.measure import scores_of
from polyadic.evaluation.measures.ranking_measures import AllGold, PassageRecall
from polyadic.evaluation.question_record import QuestionOutcome
from polyadic.evaluation.question_runner import run_method
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
def embedder(data: Path) -> CachedEmbedder:
    return CachedEmbedder(load_embedder(EMBEDDING))


@contextmanager
def opened(folder: Path, settings: Settings, embedder: CachedEmbedder) -> Iterator[Workspace]:
    with Workspace(folder, settings.model_copy(update={"embedding": EMBEDDING})) as workspace:
        workspace.__dict__["embedder"] = embedder
        yield workspace


def recorded(server: ModelServer) -> ModelSettings:
    return ModelSettings(name="recorded", base_url=server.url, key_variable="")


@pytest.fixture(scope="module")
def workspace(
    recorded_server: ModelServer, dataset: Dataset, embedder: CachedEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    """The recorded facts of the data set under the preset; the recorded model finds the entities of questions."""
    folder = tmp_path_factory.mktemp("paper")
    (folder / FILE_NAME).write_text(template(PRESETS["paper"]), encoding="utf-8")
    preset = load_settings(folder / FILE_NAME).model_copy(update={"model": recorded(recorded_server)})
    with opened(folder, preset, embedder) as workspace:
        import_file(workspace, dataset.corpus.parent / "facts.jsonl", [dataset.corpus])
        yield workspace


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def graph(data: Path, embedder: CachedEmbedder) -> KnowledgeHypergraph:
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
    chunks = {row["_id"]: parts(row["title"], row["text"], embedder) for row in rows(data / "corpus.jsonl")}
    # As precise as a store keeps vectors, so that nothing differs at a threshold.
    return knowledge_hypergraph(facts, chunks, lambda texts: widened(rounded(asyncio.run(embedder.embed(texts)))))


def parts(title: str, text: str, embedder: CachedEmbedder) -> list[str]:
    """The texts to embed for a passage: MiniLM reads some 250 tokens at once, the paper's embedder 8,000."""
    document = Document("memory:one", title, text)
    chunk = Chunk(document.id, Span(0, len(text)), text, 0, 0)
    return windows(document, [chunk], "en", embedder)[chunk.id]


def fact_key(text: str, names: list[str]) -> str:
    return json.dumps([normal_text(text), sorted(set(map(entity_key, names)))])


@pytest.fixture(scope="module")
def retrieved(workspace: Workspace, dataset: Dataset) -> list[Knowledge]:
    return [workspace.retrieve(question.text) for question in dataset.questions]


def test_every_fact_and_chunk_is_that_of_the_equations(
    retrieved: list[Knowledge], graph: KnowledgeHypergraph, embedder: CachedEmbedder, data: Path, dataset: Dataset
) -> None:
    named = {row["_id"]: row["entities"] for row in rows(data / "query_entities.jsonl")}
    some = slice(0, None, 3)
    asked = [text for question in dataset.questions[some] for text in (question.text, ", ".join(named[question.id]))]
    h = asyncio.run(embedder.embed(asked)).astype(np.float64)
    for found, question, names in zip(retrieved[some], h[::2], h[1::2], strict=True):
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


def test_several_vectors_per_entity_retrieve_more(
    workspace: Workspace, embedder: CachedEmbedder, dataset: Dataset
) -> None:
    settings = workspace.settings
    several = settings.hypergraph.model_copy(update={"one_vector_per_entity": False})
    with opened(workspace.folder, settings.model_copy(update={"hypergraph": several}), embedder) as changed:
        retrieved = [changed.retrieve(question.text) for question in dataset.questions]
    assert np.mean([len(found.facts) for found in retrieved]) == pytest.approx(11.3, abs=0.05)
    assert np.mean([len(found.chunks) for found in retrieved]) == pytest.approx(1.9, abs=0.05)
    assert recall_at_5(dataset, retrieved) == pytest.approx(0.772, abs=0.005)


def test_an_unrelated_question_retrieves_nothing(workspace: Workspace) -> None:
    found = workspace.retrieve("zebra quantum pastry")
    assert found.items == () and found.retrieves


def test_walk_reaches_95_percent_recall_and_beats_dense_retrieval(
    dataset: Dataset, embedder: CachedEmbedder, tmp_path: Path
) -> None:
    with opened(tmp_path, Settings(), embedder) as kb:
        kb.index([dataset.corpus])
        walk, dense = (
            np.mean(scores_of(PassageRecall(5), (run.outcome for run in runs)))
            for runs in (run_method(kb, dataset.questions, method, 4000) for method in ("walk", "chunks"))
        )
    assert walk >= 0.95
    assert walk > dense + 0.1


def test_walk_reaches_its_recall_target_with_model_facts(
    recorded_server: ModelServer, dataset: Dataset, embedder: CachedEmbedder, tmp_path: Path
) -> None:
    """A large model's facts, read through real calls."""
    with opened(tmp_path, Settings(model=recorded(recorded_server)), embedder) as kb:
        report = kb.index([dataset.corpus])
        assert (report.usage.calls, len(report.failed), report.stopped) == (report.documents, 0, "")
        recorded_server.reset()
        outcomes = [run.outcome for run in run_method(kb, dataset.questions, "walk", 4000)]
    assert np.mean(scores_of(PassageRecall(5), outcomes)) >= 0.97
    assert np.mean(scores_of(AllGold(8), outcomes)) >= 0.96
    assert recorded_server.asked == []
