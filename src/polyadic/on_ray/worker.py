"""A worker: an actor of Ray Data that indexes batches of documents, by the code that indexes on one machine."""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from polyadic.construction import choice
from polyadic.construction.choice import Chosen, ExtractorName
from polyadic.construction.index_report import IndexReport
from polyadic.construction.indexing import Indexer
from polyadic.construction.read import Skipped
from polyadic.construction.store_memory import StoreMemory
from polyadic.errors import PolyadicError
from polyadic.knowledge import Document, Usage
from polyadic.models.budget import Budget
from polyadic.models.loading import load_embedder
from polyadic.on_ray.council import SharedPurse, shared_limits
from polyadic.on_ray.embedding import PooledEmbedder
from polyadic.on_ray.passing import COLUMN, DONE, FOUND, Done, Packed
from polyadic.on_ray.surroundings import Surroundings
from polyadic.prompts.library import Prompts
from polyadic.settings import Settings
from polyadic.store.homes import database

BATCHES_AT_ONCE = 4
"""While the last chunks of one batch are read and it is published, others are being read: of two that are read beside
each other both would end at about the same time, and nobody would ask the model meanwhile. Each keeps a connection to
the store for its claims, so there are no more than that takes."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to know; ``address`` of the workspace, which may hold a password.

    ``council`` and ``pool`` are handles of actors. ``anew`` says that documents are read again that were read in
    another way.
    """

    address: str = field(repr=False)
    settings: Settings
    surroundings: Surroundings
    extractor: ExtractorName
    anew: bool
    budget: Budget | None
    council: Any
    pool: Sequence[Any]


class Worker:
    """Several batches at once, each by a run of :class:`Indexer`; they share a store, a model, its pace and a purse."""

    def __init__(self, job: Job) -> None:
        job.surroundings.enter()
        self._job = job
        self._embedder = PooledEmbedder(load_embedder(job.settings.embedding), job.pool)
        if job.extractor == "model":
            from polyadic.models.endpoint_model import load_client

            load_client()
        self._store = database(job.address).open(self._embedder.name)
        self._prompts = tempfile.TemporaryDirectory(prefix="polyadic-prompts-")
        job.surroundings.put_prompts(Path(self._prompts.name))
        self._at_once = asyncio.Semaphore(BATCHES_AT_ONCE)
        self._chosen: Chosen | None = None
        self._told = Usage(), Usage(), 0

    async def __call__(self, batch: Packed) -> Packed:
        """Index the documents of a batch; the one row that it gives is what became of them."""
        sources = [FOUND.unpacked(packed).one for packed in batch[COLUMN]]
        async with self._at_once:
            done = await self._done(sources)
        return {COLUMN: [DONE.packed(done)]}

    async def _done(self, sources: Sequence[Document | Skipped]) -> Done:
        stopped = await self._job.council.stopped.remote()
        if stopped:
            return Done(IndexReport(stopped=stopped))
        try:
            report = await self._indexed(sources)
        except PolyadicError as error:
            await self._job.council.stop.remote(str(error))
            return Done(IndexReport(), (error.what, error.next_step))
        if report.stopped:
            await self._job.council.stop.remote(report.stopped)
        return Done(report)

    async def _indexed(self, sources: Sequence[Document | Skipped]) -> IndexReport:
        job, chosen = self._job, self._extractor()
        chunking = job.settings.chunking.sized(chosen.extractor.paid)
        indexer = Indexer(self._store, chosen.extractor, self._embedder, chunking, anew=job.anew, sweeps=False)
        report = await indexer.index(sources)
        self._enter_paid(report, chosen)
        return report

    def _extractor(self) -> Chosen:
        """What reads chunks, made within the loop in which it is used."""
        if self._chosen is None:
            self._chosen = self._made_extractor()
        return self._chosen

    def _made_extractor(self) -> Chosen:
        job, settings = self._job, self._job.settings
        if job.extractor == "sentences":
            return choice.without_model(settings)
        from polyadic.models.endpoint_model import EndpointModel

        model = EndpointModel(settings.model, lambda endpoint: shared_limits(job.council, endpoint))
        purse = SharedPurse(job.council, uuid4().hex, job.budget)
        prompts = Prompts(Path(self._prompts.name))
        return choice.with_model(model, StoreMemory(self._store), prompts, settings, job.budget, purse)

    def _enter_paid(self, report: IndexReport, chosen: Chosen) -> None:
        """Enter what was paid since the last batch was reported: runs beside each other share what pays."""
        usage, embedding_usage, slowed = self._told
        self._told = chosen.spent(), self._embedder.spent, chosen.slowed()
        report.usage = self._told[0] - usage
        report.embedding_usage = self._told[1] - embedding_usage
        report.slowed = self._told[2] - slowed
