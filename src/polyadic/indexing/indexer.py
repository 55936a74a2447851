"""Indexing pipeline: chunk documents, extract evidence and publish it (docs/architecture.md, "Indexing").

Documents are processed in batches. Evidence is committed to staged revisions that readers do not see; one transaction
then makes a batch current. A run that is killed loses at most the batches in progress. Extractors that wait for replies
get several batches at a time. Chunking, aggregation and writing run in threads, so that they do not delay model calls.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from opentelemetry.trace import Span

from polyadic.concurrency.run_in_thread import run_in_thread, run_until_cancelled
from polyadic.config import ChunkingSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import ModelUnavailable
from polyadic.extraction.extractor import ConcurrentExtractor, Extractor
from polyadic.extraction.runner import ExtractionRunner, PendingWindow
from polyadic.indexing.batch_pipeline import BatchPipeline
from polyadic.indexing.document_batches import BATCH_CHARACTERS, BatchSize, batches, readable
from polyadic.indexing.fingerprint import PipelineConfig
from polyadic.indexing.publisher import Publisher
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.llm.budget import BudgetUsedUp
from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document, Usage
from polyadic.storage.protocol import DocumentLeases, LedgerCall, Store
from polyadic.storage.retry import with_retries
from polyadic.tracing.spans import span, stage

_LEASE_RETRY_SECONDS = 0.2
"""Interval at which documents leased by other processes are retried."""


@dataclass(frozen=True, slots=True)
class Indexer:
    """Index documents into a store.

    Parameters
    ----------
    store, extractor, embedder, chunking
        The store, extractor, embedder and chunking settings that the run uses.
    report_progress
        Called after every step that takes time.
    reextract
        Reindex documents whose pipeline configuration has changed, even if that costs money.
    spent
        Returns what the extractor has paid so far.
    reindex_ids
        Identifiers of documents to reindex even if ``reextract`` is False.
    on_pending
        Called with the chunks that wait for replies from a batch file, after they are committed. Their documents are
        published by the run that reads the last reply.
    drop_abandoned
        Drop the staged revisions of abandoned runs at the end.
    cancel_reading
        Called when the run is cancelled while a document is read, to end that early.
    """

    store: Store
    extractor: Extractor
    embedder: Embedder
    chunking: ChunkingSettings
    report_progress: Callable[[IndexProgress], None] = lambda progress: None
    reextract: bool = False
    spent: Callable[[], Usage] = Usage
    reindex_ids: Collection[str] = ()
    on_pending: Callable[[Sequence[PendingWindow]], None] = lambda waiting: None
    drop_abandoned: bool = True
    cancel_reading: Callable[[], object] = lambda: None

    async def index(self, sources: Iterable[Document | SkippedInput]) -> IndexReport:
        """Index documents; unchanged documents are skipped.

        If extraction of a chunk fails, its document is published with the other chunks and marked as incomplete. If
        processing a document raises an unexpected exception, the document is skipped and its current revision stays.
        If extraction cannot continue (for example because the model is unavailable), completed documents are published
        and ``stopped`` of the report gives the reason.

        Parameters
        ----------
        sources
            Documents, and inputs that were skipped while reading; the latter go into the report. If a source occurs
            twice, the last occurrence wins.

        Returns
        -------
        IndexReport
            What the run did.

        Raises
        ------
        StoreBusy
            Another process is writing to the store.
        """
        report = IndexReport(extractor=self.extractor.name, by_model=self.extractor.paid)
        started = time.perf_counter()
        embedded_before = self.embedder.spent
        with self.store.indexing_session() as leases, span("index") as trace_span:
            try:
                await _Run(self, report, leases).index_all(sources)
            finally:
                _record_counts(trace_span, report)
                # Also if the run ends with an error or Ctrl-C: embedding has been paid for.
                report.embedding_usage = self.embedder.spent - embedded_before
                self._enter_embedding()
        report.seconds = time.perf_counter() - started
        return report

    def _enter_embedding(self) -> None:
        """Record the cost of embedding in the ledger, as one call per run."""
        usage, seconds = self.embedder.take_usage()
        if usage.calls:
            self.store.record_calls([(LedgerCall("embed", self.embedder.name, usage, seconds), None)])

    @property
    def config(self) -> PipelineConfig:
        """Pipeline configuration: the extractor and the chunking settings."""
        return PipelineConfig.of(self.extractor, self.chunking)


class _Run:
    """One run: the batches in progress, from staging to publishing."""

    def __init__(self, indexer: Indexer, report: IndexReport, leases: DocumentLeases) -> None:
        self._indexer = indexer
        self._report = report
        self._leases = leases
        self._leased_elsewhere: list[Document] = []
        self._runner = ExtractionRunner(indexer.extractor, self._report_read)
        self._pipeline = BatchPipeline(
            indexer.store,
            indexer.config,
            self._runner,
            Publisher(indexer.store, indexer.embedder, indexer.chunking, self._report_progress),
            report,
            self._reextracts,
            self._staged,
            indexer.on_pending,
        )
        self._in_progress: dict[asyncio.Task[None], Sequence[Document]] = {}
        self._is_staging = False
        self._unread: ModelUnavailable | None = None
        self._changed = asyncio.Event()

    async def index_all(self, sources: Iterable[Document | SkippedInput]) -> None:
        report, texts_seen = self._report, set[str]()

        def counted(documents: Iterable[Document]) -> Iterator[Document]:
            for document in documents:
                report.same_text += document.content in texts_seen
                texts_seen.add(document.content)
                yield document

        try:
            await self._index_batches(counted(readable(self._until_unavailable(sources), report)))
            # Documents leased by other processes have been published or abandoned by now.
            while self._leased_elsewhere and not report.stopped:
                await asyncio.sleep(_LEASE_RETRY_SECONDS)
                retried, self._leased_elsewhere = self._leased_elsewhere, []
                await self._index_batches(retried)
        finally:
            await self._cancel()
        if self._unread is not None:
            report.stopped = report.stopped or str(self._unread)
            report.budget_used_up = report.budget_used_up or isinstance(self._unread, BudgetUsedUp)
        report.failed.sort(key=lambda chunk: (chunk.source, chunk.span))
        if self._indexer.drop_abandoned and not report.stopped:
            await run_in_thread(with_retries, self._drop_staged)

    def _until_unavailable(self, sources: Iterable[Document | SkippedInput]) -> Iterator[Document | SkippedInput]:
        """Yield sources until the OCR engine is unavailable; the documents before are still indexed."""
        try:
            yield from sources
        except ModelUnavailable as problem:
            self._unread = problem

    async def _index_batches(self, documents: Iterable[Document]) -> None:
        remaining = batches(documents, BatchSize.of(self._indexer.extractor))
        while not self._report.stopped:
            await self._wait_until(self._can_start_batch)
            batch = await run_until_cancelled(self._indexer.cancel_reading, next, remaining, None)
            if batch is None:
                break
            # If a source occurs twice, the later document must win, so it waits until the earlier one is published.
            await self._wait_until(partial(self._has_distinct_sources, batch))
            if not self._report.stopped:
                self._start(batch)
        await self._wait_until(lambda: not self._in_progress)

    def _can_start_batch(self) -> bool:
        """Return whether to start another batch.

        It is started if none is in progress, or if a concurrent extractor is about to run out of chunks.
        Batches are staged one after the other, so that their chunks are read in order.
        """
        if not self._in_progress:
            return True
        extractor = self._indexer.extractor
        if self._is_staging or not isinstance(extractor, ConcurrentExtractor):
            return False
        characters = sum(len(document.text) for batch in self._in_progress.values() for document in batch)
        return self._runner.left < extractor.at_once and characters < BATCH_CHARACTERS

    def _has_distinct_sources(self, batch: Sequence[Document]) -> bool:
        in_progress = {document.source for other in self._in_progress.values() for document in other}
        return in_progress.isdisjoint(document.source for document in batch)

    def _start(self, batch: Sequence[Document]) -> None:
        task = asyncio.create_task(self._index(batch))
        task.add_done_callback(lambda _: self._changed.set())
        self._in_progress[task] = batch
        self._is_staging = True

    def _staged(self) -> None:
        """Note that the chunks of the last batch are in the extraction queue."""
        self._is_staging = False
        self._changed.set()

    async def _wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition holds; re-raise the error of any batch that failed."""
        while True:
            for task in [task for task in self._in_progress if task.done()]:
                del self._in_progress[task]
                task.result()
            if holds():
                return
            self._changed.clear()
            await self._changed.wait()

    async def _cancel(self) -> None:
        for task in self._in_progress:
            task.cancel()
        await asyncio.gather(*self._in_progress, return_exceptions=True)
        await self._pipeline.close()

    async def _index(self, batch: Sequence[Document]) -> None:
        with stage("batch"):
            leased = await run_in_thread(self._leases.acquire, [document.id for document in batch])
            self._leased_elsewhere += [document for document in batch if document.id not in leased]
            try:
                await self._pipeline.index([document for document in batch if document.id in leased])
            finally:
                await run_in_thread(self._leases.release, leased)
        self._report_progress(self._report)

    def _reextracts(self, document_id: str) -> bool:
        return self._indexer.reextract or document_id in self._indexer.reindex_ids

    def _drop_staged(self) -> None:
        with self._indexer.store.write() as writer:
            writer.drop_staged(self._leases)

    def _report_read(self, chunks: int) -> None:
        self._report.chunks_read += chunks
        self._report_progress(self._report)
        self._changed.set()

    def _report_progress(self, report: IndexReport) -> None:
        report.usage = self._indexer.spent()
        self._indexer.report_progress(report.progress())


def _record_counts(trace_span: Span, report: IndexReport) -> None:
    changes = {"added": report.added, "changed": report.changed, "unchanged": report.unchanged}
    chunks = {"chunks": report.chunks, "chunks_failed": len(report.failed)}
    trace_span.set_attributes({f"polyadic.{name}": count for name, count in (changes | chunks).items()})
