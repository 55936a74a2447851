"""A worker: an actor of Ray Data that indexes batches of documents, by the code that indexes on one machine."""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from polyadic.config import Settings
from polyadic.embeddings.loading import load_embedder
from polyadic.errors import PolyadicError
from polyadic.extraction import factory
from polyadic.extraction.factory import ExtractorName, SelectedExtractor
from polyadic.indexing.indexer import Indexer
from polyadic.indexing.ray.coordinator import SharedBudget, shared_limits
from polyadic.indexing.ray.embedder_pool import PooledEmbedder
from polyadic.indexing.ray.serialization import COLUMN, DONE, FOUND, BatchResult, Packed
from polyadic.indexing.ray.worker_env import WorkerEnvironment
from polyadic.indexing.report import IndexReport
from polyadic.llm.budget import SpendingBudget
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.store_cache import StoreResponseCache
from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document, Usage
from polyadic.storage.url import database

BATCHES_AT_ONCE = 4
"""While the last chunks of one batch are read and it is published, others are being read: of two that are read beside
each other both would end at about the same time, and nobody would ask the model meanwhile. Each keeps a connection to
the store for its claims, so there are no more than that takes."""


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """What a worker needs to know; ``address`` of the workspace, which may hold a password.

    ``council`` and ``pool`` are handles of actors. ``anew`` says that documents are read again that were read in
    another way.
    """

    address: str = field(repr=False)
    settings: Settings
    surroundings: WorkerEnvironment
    extractor: ExtractorName
    anew: bool
    budget: SpendingBudget | None
    council: Any
    pool: Sequence[Any]


class IndexingWorker:
    """Several batches at once, each by a run of :class:`Indexer`; they share a store, a model, its pace and a purse."""

    def __init__(self, job: WorkerConfig) -> None:
        job.surroundings.enter()
        self._job = job
        self._embedder = PooledEmbedder(load_embedder(job.settings.embedding), job.pool)
        if job.extractor == "model":
            from polyadic.llm.endpoint_model import load_client

            load_client()
        self._store = database(job.address).open(self._embedder.name)
        self._prompts = tempfile.TemporaryDirectory(prefix="polyadic-prompts-")
        job.surroundings.put_prompts(Path(self._prompts.name))
        self._at_once = asyncio.Semaphore(BATCHES_AT_ONCE)
        self._chosen: SelectedExtractor | None = None
        self._told = Usage(), Usage(), 0

    async def __call__(self, batch: Packed) -> Packed:
        """Index the documents of a batch; the one row that it gives is what became of them."""
        sources = [FOUND.unpacked(packed).one for packed in batch[COLUMN]]
        async with self._at_once:
            done = await self._done(sources)
        return {COLUMN: [DONE.packed(done)]}

    async def _done(self, sources: Sequence[Document | SkippedInput]) -> BatchResult:
        stopped = await self._job.council.stopped.remote()
        if stopped:
            return BatchResult(IndexReport(stopped=stopped))
        try:
            report = await self._indexed(sources)
        except PolyadicError as error:
            await self._job.council.stop.remote(str(error))
            return BatchResult(IndexReport(), (error.what, error.next_step))
        if report.stopped:
            await self._job.council.stop.remote(report.stopped)
        return BatchResult(report)

    async def _indexed(self, sources: Sequence[Document | SkippedInput]) -> IndexReport:
        job, chosen = self._job, self._extractor()
        chunking = job.settings.chunking.sized(chosen.extractor.paid)
        indexer = Indexer(self._store, chosen.extractor, self._embedder, chunking, anew=job.anew, sweeps=False)
        report = await indexer.index(sources)
        self._enter_paid(report, chosen)
        return report

    def _extractor(self) -> SelectedExtractor:
        """What reads chunks, made within the loop in which it is used."""
        if self._chosen is None:
            self._chosen = self._made_extractor()
        return self._chosen

    def _made_extractor(self) -> SelectedExtractor:
        job, settings = self._job, self._job.settings
        if job.extractor == "sentences":
            return factory.without_model(settings)
        from polyadic.llm.endpoint_model import EndpointModel

        model = EndpointModel(settings.model, lambda endpoint: shared_limits(job.council, endpoint))
        purse = SharedBudget(job.council, uuid4().hex, job.budget)
        prompts = PromptLibrary(Path(self._prompts.name))
        return factory.with_model(model, StoreResponseCache(self._store), prompts, settings, job.budget, purse)

    def _enter_paid(self, report: IndexReport, chosen: SelectedExtractor) -> None:
        """Enter what was paid since the last batch was reported: runs beside each other share what pays."""
        usage, embedding_usage, slowed = self._told
        self._told = chosen.spent(), self._embedder.spent, chosen.slowed()
        report.usage = self._told[0] - usage
        report.embedding_usage = self._told[1] - embedding_usage
        report.slowed = self._told[2] - slowed
