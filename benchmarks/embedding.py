"""Measure local embedding models for docs/performance.md: ``python -m benchmarks.embedding [FOLDER]``.

The data sets are in POLYADIC_DATA. FOLDER keeps the filled workspaces for the next run.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command sets it; must precede the import of numpy

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import SETS, data_folder, load
from benchmarks.holdout_log import note_look
from benchmarks.report_sections import PERFORMANCE, given_folder, rewrite
from polyadic.config import EmbeddingModel, EmbeddingSettings, ReadingSettings, Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.embeddings.minilm.checksums import TOKENIZER_SHA256, read_verified
from polyadic.embeddings.minilm.embedder import MiniLM
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import find_weights
from polyadic.evaluation.bootstrap import interval
from polyadic.evaluation.datasets import Dataset, corpus_id
from polyadic.evaluation.measures.measure import scores_of
from polyadic.evaluation.measures.passage_recall import PassageRecall
from polyadic.evaluation.outcome import QuestionOutcome
from polyadic.evaluation.retrieval_run import run_method
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document
from polyadic.text.sentences import sentences
from polyadic.workspace import Workspace
from tests.embeddings.minilm.reference import Reference

Row = tuple[str, ...]
MODELS: tuple[EmbeddingModel, EmbeddingModel] = ("minilm", "minilm-int8")
METHODS = ("chunks", "hypergraph", "walk")
SHORT = range(8, 31)
"""Tokens of a short sentence, without the two special tokens."""
SENTENCES, CALL, CALLS, ROUNDS, COMPARED, TAKEN = 1024, 256, 6, 5, 200, 5
CONTEXT_TOKENS = 4000
HEADING = "## Embedding on this machine"
HEAD = """
Made by `python -m benchmarks.embedding [FOLDER]` on {threads} threads; medians of {rounds} rounds in which the two take
turns. Short sentences are those of HotpotQA-100's and 2Wiki-101's passages of {least} to {most} tokens, {short:.1f} on
average with the two that every text gets; mixed texts are what indexing HotpotQA-100 without a model embeds, {call} a
call as there, {mixed:.1f} tokens on average. A second of processor time is one of one core: two cores that do nothing
else would do twice that. Recall is over all questions; *lost* is what is found less than with float32, question by
question, with its 95 % bootstrap interval.

In float32 nine tenths of the time are matrix products (10.6 million multiplications a token) about as fast as the
processor multiplies: only shorter texts or fewer bits take less time.

| what | `minilm`, float32 | `minilm-int8` |
|---|---|---|
"""


def main() -> None:
    note_look("`benchmarks.embedding`: recall with float32 and int8")
    models = [MiniLM(find_weights(), int8=name == "minilm-int8") for name in MODELS]
    short, mixed = _short(models[0]), _indexed()
    rows = [
        *_throughput("short sentences", models, [short]),
        *_throughput("mixed texts", models, mixed),
        *_fidelity(models, [text for call in mixed for text in call][:COMPARED]),
        *_dense(models),
    ]
    with given_folder() as folder:
        rows += _by_methods(folder)
    head = HEAD.format(
        threads=len(os.sched_getaffinity(0)),
        rounds=ROUNDS,
        least=SHORT.start,
        most=SHORT.stop - 1,
        short=2 + statistics.mean(models[0].token_counts(short)),
        mixed=2 + statistics.mean(length for call in mixed for length in models[0].token_counts(call)),
        call=CALL,
    )
    section = head + "".join(f"| {what} | {' | '.join(cells)} |\n" for what, *cells in rows)
    rewrite(PERFORMANCE, HEADING, section.splitlines())
    print(section)


def _short(model: MiniLM) -> list[str]:
    """Return a random sample of the short sentences of the corpora."""
    texts_found = {
        document.text[span.start : span.end]
        for name in SETS
        for document in _documents(load(name))
        for span in sentences(document.text, "en")
    }
    texts = sorted(texts_found)
    short = [text for text, length in zip(texts, model.token_counts(texts), strict=True) if length in SHORT]
    return random.Random(1).sample(short, SENTENCES)  # noqa: S311


class _RecordingEmbedder(HashingEmbedder):
    """Hashing embedder that records its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Sequence[str]] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(texts)
        return await super().embed(texts)


def _indexed() -> list[Sequence[str]]:
    """Return an evenly spaced sample of the embedding calls of indexing."""
    embedder = _RecordingEmbedder()
    with (
        tempfile.TemporaryDirectory() as folder,
        Workspace(folder, Settings(embedding=EmbeddingSettings(model="hashing"))) as workspace,
    ):
        workspace.embedder = embedder
        workspace.index([load(SETS[0]).corpus])
    full_calls = [call for call in embedder.calls if len(call) == CALL]
    return [full_calls[number * len(full_calls) // CALLS] for number in range(CALLS)]


def _throughput(what: str, models: Sequence[MiniLM], calls: Sequence[Sequence[str]]) -> Iterator[Row]:
    """Yield texts per second, and per second of processor time, of each model."""
    texts = sum(len(call) for call in calls)
    clock: list[list[float]] = [[] for _ in models]
    used: list[list[float]] = [[] for _ in models]
    for model in models:
        asyncio.run(model.embed(calls[0][:CALL]))
    for _ in range(ROUNDS):
        for number, model in enumerate(models):
            started, before = time.perf_counter(), time.process_time()
            for call in calls:
                asyncio.run(model.embed(call))
            clock[number].append(texts / (time.perf_counter() - started))
            used[number].append(texts / (time.process_time() - before))
    yield (f"{what} a second", *(f"{statistics.median(rates):.0f}" for rates in clock))
    yield (f"{what} a second of processor time", *(f"{statistics.median(rates):.0f}" for rates in used))


def _fidelity(models: Sequence[MiniLM], texts: Sequence[str]) -> Iterator[Row]:
    """Yield the similarity of vectors to those of the reference implementation in numpy."""
    weights = find_weights()
    reference = Reference(weights.folder / "model.safetensors")
    tokenizer = WordPiece(read_verified(weights.tokenizer, TOKENIZER_SHA256))
    expected = np.array([reference.vector(ids) for ids in tokenizer.ids(texts, MiniLM.window)])
    cosines = [(asyncio.run(model.embed(texts)) * expected).sum(axis=1) for model in models]
    yield ("cosine to the network in plain numpy, mean", *(f"{cosine.mean():.5f}" for cosine in cosines))
    yield ("the same, least", *(f"{cosine.min():.5f}" for cosine in cosines))


def _dense(models: Sequence[MiniLM]) -> Iterator[Row]:
    """Yield the recall of passages ranked by the cosine of title and text with the question."""
    for name in SETS:
        dataset = load(name)
        documents = _documents(dataset)
        ids = np.array([corpus_id(document.source) for document in documents])
        passage_texts = [f"{document.title}\n{document.text}" for document in documents]
        outcomes = []
        for model in models:
            passages = asyncio.run(model.embed(passage_texts))
            question_vectors = asyncio.run(model.embed([question.text for question in dataset.questions]))
            best = ids[np.argsort(-(question_vectors @ passages.T), axis=1, kind="stable")[:, :TAKEN]]
            outcomes.append(
                [QuestionOutcome(q, tuple(passage_ids)) for q, passage_ids in zip(dataset.questions, best, strict=True)]
            )
        yield _recalls(f"{name}: recall@{TAKEN} by vectors of passages alone", outcomes)


def _by_methods(folder: Path) -> Iterator[Row]:
    """Yield the recall of the methods on workspaces indexed with each model."""
    dataset = load(SETS[0])
    runs: dict[str, list[list[QuestionOutcome]]] = {method: [] for method in METHODS}
    for name in MODELS:
        settings = Settings(embedding=EmbeddingSettings(model=name))
        with Workspace(folder / f"{dataset.name}-{name}", settings) as workspace:
            workspace.index([dataset.corpus])
            for method, outcomes in runs.items():
                retrieval_runs = run_method(workspace, dataset.questions, method, CONTEXT_TOKENS)
                outcomes.append([run.outcome for run in retrieval_runs])
    for method, outcomes in runs.items():
        yield _recalls(f"{dataset.name}: recall@{TAKEN} by `{method}`", outcomes)


def _recalls(what: str, outcomes: Sequence[Sequence[QuestionOutcome]]) -> Row:
    float32, int8 = (np.array(scores_of(PassageRecall(TAKEN), part)) for part in outcomes)
    return what, f"{float32.mean():.3f}", f"{int8.mean():.3f}, lost {interval(list(float32 - int8))}"


def _documents(dataset: Dataset) -> list[Document]:
    loaded = read_documents([dataset.corpus], ReadingSettings())
    return [document for document in loaded if isinstance(document, Document)]


if __name__ == "__main__":
    data_folder()
    main()
