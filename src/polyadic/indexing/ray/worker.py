"""Worker: a Ray Data actor that indexes batches of documents with the code used on one machine."""

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
from polyadic.llm.cached_model import StoreResponseCache
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document, Usage
from polyadic.storage.url import database

BATCHES_AT_ONCE = 4
"""Batches that a worker indexes concurrently: while one is published, the others keep the model busy. With two, both
would often end at the same time and leave it idle. Each batch holds a store connection for its leases, so the number is
kept small."""


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Configuration of a worker.

    Parameters
    ----------
    address
        Address of the workspace, which may contain a password.
    settings
        Settings of the workspace.
    worker_env
        Environment variables and prompts.
    extractor
        Name of the extractor.
    reextract
        Reindex documents whose pipeline configuration has changed.
    budget
        Spending limit of all workers together; None: no limit.
    coordinator
        Handle of the coordinator actor.
    pool
        Handles of the embedding actors.
    """

    address: str = field(repr=False)
    settings: Settings
    worker_env: WorkerEnvironment
    extractor: ExtractorName
    reextract: bool
    budget: SpendingBudget | None
    coordinator: Any
    pool: Sequence[Any]


class IndexingWorker:
    """Index several batches concurrently, each by a run of :class:`Indexer`, with shared store, model and budget."""

    def __init__(self, job: WorkerConfig) -> None:
        job.worker_env.enter()
        self._job = job
        self._embedder = PooledEmbedder(load_embedder(job.settings.embedding), job.pool)
        if job.extractor == "model":
            from polyadic.llm.endpoint_model import load_client

            load_client()
        self._store = database(job.address).open(self._embedder.name)
        self._prompts = tempfile.TemporaryDirectory(prefix="polyadic-prompts-")
        job.worker_env.put_prompts(Path(self._prompts.name))
        self._at_once = asyncio.Semaphore(BATCHES_AT_ONCE)
        self._chosen: SelectedExtractor | None = None
        self._reported = Usage(), Usage(), 0

    async def __call__(self, batch: Packed) -> Packed:
        """Index the documents of a batch and return one row with the result."""
        sources = [FOUND.unpacked(packed).one for packed in batch[COLUMN]]
        async with self._at_once:
            result = await self._process(sources)
        return {COLUMN: [DONE.packed(result)]}

    async def _process(self, sources: Sequence[Document | SkippedInput]) -> BatchResult:
        stopped = await self._job.coordinator.stopped.remote()
        if stopped:
            return BatchResult(IndexReport(stopped=stopped))
        try:
            report = await self._index(sources)
        except PolyadicError as error:
            await self._job.coordinator.stop.remote(str(error))
            return BatchResult(IndexReport(), (error.what, error.next_step))
        if report.stopped:
            await self._job.coordinator.stop.remote(report.stopped)
        return BatchResult(report)

    async def _index(self, sources: Sequence[Document | SkippedInput]) -> IndexReport:
        job, chosen = self._job, self._extractor()
        chunking = job.settings.chunking
        indexer = Indexer(
            self._store, chosen.extractor, self._embedder, chunking, reextract=job.reextract, drop_abandoned=False
        )
        report = await indexer.index(sources)
        self._add_usage(report, chosen)
        return report

    def _extractor(self) -> SelectedExtractor:
        """The extractor, created within the event loop that uses it."""
        if self._chosen is None:
            self._chosen = self._create_extractor()
        return self._chosen

    def _create_extractor(self) -> SelectedExtractor:
        job, settings = self._job, self._job.settings
        if job.extractor == "sentences":
            return factory.without_model(settings)
        from polyadic.llm.endpoint_model import EndpointModel

        model = EndpointModel(
            settings.model.of_role("extraction"),
            lambda endpoint: shared_limits(job.coordinator, endpoint),
            settings.model.section_of("extraction"),
        )
        ledger = SharedBudget(job.coordinator, uuid4().hex, job.budget)
        prompts = PromptLibrary(Path(self._prompts.name))
        return factory.with_model(model, StoreResponseCache(self._store), prompts, settings, job.budget, ledger)

    def _add_usage(self, report: IndexReport, chosen: SelectedExtractor) -> None:
        """Report the usage since the last report: concurrent batches share the extractor and embedder."""
        usage, embedding_usage, slowed = self._reported
        self._reported = chosen.spent(), self._embedder.spent, chosen.throttle_count()
        report.usage = self._reported[0] - usage
        report.embedding_usage = self._reported[1] - embedding_usage
        report.throttle_count = self._reported[2] - slowed
