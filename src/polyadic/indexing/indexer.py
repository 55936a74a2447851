"""From documents to evidence: chunk, extract, and have it published (DESIGN: the flow).

Work goes on in batches of documents. Evidence is committed to revisions that nobody sees; one transaction then
makes a whole batch current. Killed at any moment, a run loses at most the batches in hand. Where an extractor waits for
replies, several are: what is cut, derived and written is done in threads, so that nobody waits for it who could ask.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from polyadic.chunking.chunker import chunk_document
from polyadic.concurrency.sync import MicroBatcher, run_in_thread
from polyadic.config import ChunkingSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.extraction.extractor import ConcurrentExtractor, Extractor, concurrency_of
from polyadic.extraction.runner import ExtractionOutcomes, ExtractionRunner, PendingChunk
from polyadic.indexing.batching import BATCH_CHARACTERS, BatchSize, batches, readable
from polyadic.indexing.fingerprint import NOTHING_TO_DO, PipelineConfig, ReindexAction
from polyadic.indexing.publisher import Publisher
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.loaders.error_isolation import DocumentDefect, on_one_document, skipped_because
from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Chunk, Document, Evidence, Usage
from polyadic.storage.protocol import DocumentLeases, FailedChunk, Fingerprint, LedgerCall, StagingWriter, Store
from polyadic.storage.retry import with_retries
from polyadic.tracing.spans import TraceSpan, span, stage, step_done

_SECONDS_BETWEEN = 0.2
"""From one look at the documents that others work on to the next."""


@dataclass(frozen=True, slots=True)
class Indexer:
    """What an indexing run works with; ``report_progress`` is called after every step that takes time.

    ``anew`` says that documents are to be read again that were read in another way, also where that costs money, and
    ``wanted`` of which documents (by id) that is meant in any case; ``spent`` tells what the extractor has paid so far.
    ``note`` is told of the chunks that are asked about by file, once that is committed; their documents are published
    by the run that finds the last reply. ``sweeps``: in the end, what runs that were given up have left is dropped.
    """

    store: Store
    extractor: Extractor
    embedder: Embedder
    chunking: ChunkingSettings
    report_progress: Callable[[IndexProgress], None] = lambda progress: None
    anew: bool = False
    spent: Callable[[], Usage] = Usage
    wanted: Collection[str] = ()
    note: Callable[[Sequence[PendingChunk]], None] = lambda waiting: None
    sweeps: bool = True

    async def index(self, sources: Iterable[Document | SkippedInput]) -> IndexReport:
        """Read documents into the store; those that are as they were when last indexed cost nothing.

        A chunk that cannot be read does not stop the run: its document is published with what it has, and marked.
        Neither does a defect that a document brings to light: the document is skipped, and stays as it was.
        Where no chunk can be read any more, what is whole is published, and the report says why the run stopped.

        Raises
        ------
        StoreBusy
            Another process is writing to the store.
        """
        report = IndexReport(extractor=self.extractor.name, by_model=self.extractor.paid)
        started = time.perf_counter()
        embedded_before = self.embedder.spent
        with self.store.joined() as claims, span("index") as told:
            try:
                await _Run(self, report, claims).index_all(sources)
            finally:
                _tell_of(told, report)
                # Also where the run ends with an error or Ctrl-C: it has been paid for.
                report.embedding_usage = self.embedder.spent - embedded_before
                self._enter_embedding()
        report.seconds = time.perf_counter() - started
        return report

    def _enter_embedding(self) -> None:
        """Enter what embedding cost in the ledger, as one call a run: single ones have nothing to tell."""
        usage, seconds = self.embedder.take_paid()
        if usage.calls:
            self.store.note_calls([(LedgerCall("embed", self.embedder.name, usage, seconds), None)])

    @property
    def recipe(self) -> PipelineConfig:
        """How documents are cut and read."""
        return PipelineConfig.of(self.extractor, self.chunking)


@dataclass(frozen=True, slots=True)
class _TakenIn:
    """What has to be done for each document of a batch, by id; the chunks of those with anything to do."""

    work: Mapping[str, ReindexAction]
    todo: Sequence[Document]
    cut: Mapping[str, Sequence[Chunk]]
    done: Mapping[str, frozenset[str]]
    """The chunks of each whose evidence an interrupted run has left."""

    @property
    def to_read(self) -> list[tuple[Document, Chunk]]:
        return [(d, chunk) for d in self.todo for chunk in self.cut[d.id] if chunk.id not in self.done[d.id]]

    @property
    def tried_before(self) -> set[str]:
        return {document.id for document in self.todo if self.work[document.id] is ReindexAction.RESUME}


@dataclass(frozen=True, slots=True)
class _Whole:
    """Documents to be published, the chunks of each, and the evidence of those of which all is at hand."""

    documents: Sequence[Document]
    cut: Mapping[str, Sequence[Chunk]]
    at_hand: Mapping[str, Mapping[str, Sequence[Evidence]]]


class _Run:
    """Batches on their way, each from when it is taken in until it is published."""

    def __init__(self, with_: Indexer, report: IndexReport, claims: DocumentLeases) -> None:
        self._with = with_
        self._report = report
        self._claims = claims
        self._with_others: list[Document] = []
        self._readers = ExtractionRunner(with_.extractor, self._tell_read)
        self._publisher = Publisher(with_.store, with_.embedder, with_.chunking, self._tell)
        self._publishing = MicroBatcher(self._publish_all)
        self._in_hand: dict[asyncio.Task[None], Sequence[Document]] = {}
        self._left_out: set[str] = set()
        self._is_coming_in = False
        self._moved = asyncio.Event()
        self._recipe = with_.recipe

    async def index_all(self, sources: Iterable[Document | SkippedInput]) -> None:
        report, texts_seen = self._report, set[str]()

        def counted(documents: Iterable[Document]) -> Iterator[Document]:
            for document in documents:
                report.same_text += document.content in texts_seen
                texts_seen.add(document.content)
                yield document

        async with self._readers:
            try:
                await self._index_each(counted(readable(sources, report)))
                # What others worked on they have published by now, or given up.
                while self._with_others and not report.stopped:
                    await asyncio.sleep(_SECONDS_BETWEEN)
                    again, self._with_others = self._with_others, []
                    await self._index_each(again)
            finally:
                await self._give_up()
        report.failed.sort(key=lambda chunk: (chunk.source, chunk.span))
        if self._with.sweeps and not report.stopped:
            await run_in_thread(with_retries, self._drop_staged)

    async def _index_each(self, documents: Iterable[Document]) -> None:
        coming = batches(documents, BatchSize.of(self._with.extractor))
        while not self._report.stopped:
            await self._until(self._has_room)
            batch = await run_in_thread(next, coming, None)
            if batch is None:
                break
            # Said twice, a document is what was said last: it waits for the first to be published.
            await self._until(partial(self._is_apart, batch))
            if not self._report.stopped:
                self._begin(batch)
        await self._until(lambda: not self._in_hand)

    def _has_room(self) -> bool:
        """Whether another batch may be taken in: not before readers who wait for replies are about to have no more.

        One after the other, so that the chunks of the first are the first to be read.
        """
        characters = sum(len(document.text) for batch in self._in_hand.values() for document in batch)
        extractor = self._with.extractor
        about_to_wait = isinstance(extractor, ConcurrentExtractor) and self._readers.left < concurrency_of(extractor)
        another = about_to_wait and not self._is_coming_in and characters < BATCH_CHARACTERS
        return not self._in_hand or another

    def _is_apart(self, batch: Sequence[Document]) -> bool:
        in_hand = {document.source for one in self._in_hand.values() for document in one}
        return in_hand.isdisjoint(document.source for document in batch)

    def _begin(self, batch: Sequence[Document]) -> None:
        task = asyncio.create_task(self._index(batch))
        task.add_done_callback(lambda _: self._moved.set())
        self._in_hand[task] = batch
        self._is_coming_in = True

    def _come_in(self) -> None:
        """What there is to read of a batch is with the readers now."""
        self._is_coming_in = False
        self._moved.set()

    async def _until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; raises what ended any batch before its time."""
        while True:
            for task in [task for task in self._in_hand if task.done()]:
                del self._in_hand[task]
                task.result()
            if holds():
                return
            self._moved.clear()
            await self._moved.wait()

    async def _give_up(self) -> None:
        for task in self._in_hand:
            task.cancel()
        await asyncio.gather(*self._in_hand, return_exceptions=True)
        await self._publishing.given_up()

    async def _index(self, batch: Sequence[Document]) -> None:
        with stage("batch"):
            taken = await run_in_thread(self._claims.take, [document.id for document in batch])
            self._with_others += [document for document in batch if document.id not in taken]
            try:
                await self._index_mine([document for document in batch if document.id in taken])
            finally:
                await run_in_thread(self._claims.let_go, taken)
        self._tell(self._report)

    async def _index_mine(self, batch: Sequence[Document]) -> None:
        work = await run_in_thread(with_retries, self._work, batch)
        step_done("read documents")
        _count(self._report, (kind for kind in work.values() if kind in NOTHING_TO_DO))
        todo = [document for document in batch if work[document.id] not in NOTHING_TO_DO]
        if not todo:
            self._come_in()
            return
        cut = await run_in_thread(self._cut, todo)
        todo = [document for document in todo if document.id in cut]
        taken = await run_in_thread(with_retries, self._taken_in, work, todo, cut)
        self._report.chunks += sum(map(len, taken.cut.values()))
        self._report.chunks_read += sum(map(len, taken.done.values()))
        step_done("chunk")
        outcomes = await self._read(taken)
        step_done("extract")
        await self._publish(taken, outcomes)

    def _work(self, batch: Sequence[Document]) -> dict[str, ReindexAction]:
        with self._with.store.prepare() as preparer:
            stamps = preparer.stamps([document.id for document in batch])
            return {document.id: self._work_for(document, stamps.get(document.id), preparer) for document in batch}

    def _work_for(self, document: Document, stamp: Fingerprint | None, preparer: StagingWriter) -> ReindexAction:
        """What has to be done for a document; where that is nothing, what it still waited for is no longer wanted."""
        anew = self._with.anew or document.id in self._with.wanted
        work = self._recipe.work_for(document.content, stamp, anew)
        if work is ReindexAction.NONE:
            preparer.waiting.release(document.id)
        elif work is ReindexAction.OUTDATED:
            preparer.waiting.settle(document.id, document.content)
        return work

    def _cut(self, todo: Sequence[Document]) -> dict[str, Sequence[Chunk]]:
        """The chunks of documents by their ids; one that cannot be cut is skipped."""
        cut: dict[str, Sequence[Chunk]] = {}
        for document in todo:
            try:
                with on_one_document():
                    cut[document.id] = chunk_document(document, self._with.chunking)
            except DocumentDefect as defect:
                self._report.skip(skipped_because(document.source, defect))
        return cut

    def _taken_in(
        self, work: Mapping[str, ReindexAction], todo: Sequence[Document], cut: Mapping[str, Sequence[Chunk]]
    ) -> _TakenIn:
        """Stage documents with their chunks."""
        with self._with.store.prepare() as preparer:
            done = preparer.stage([(d, self._recipe.stamp(d.content), cut[d.id]) for d in todo])
        return _TakenIn(work, todo, cut, done)

    async def _read(self, taken: _TakenIn) -> ExtractionOutcomes:
        """Have the chunks read, and commit what came of it."""
        self._come_in()
        outcomes = await self._readers.read(taken.to_read, taken.tried_before)
        await run_in_thread(with_retries, self._keep, outcomes)
        self._with.note(outcomes.waiting)
        report = self._report
        report.stopped = self._readers.stopped
        report.problems.update(outcomes.problems)
        report.skip(*outcomes.defects.values())
        report.failed += [FailedChunk(f.document.source, f.chunk.id, f.chunk.span, f.reason) for f in outcomes.failures]
        return outcomes

    def _keep(self, outcomes: ExtractionOutcomes) -> None:
        with self._with.store.prepare() as preparer:
            preparer.put_evidence(outcomes.evidence)
            for failure in outcomes.failures:
                preparer.put_failure(failure.document.id, failure.chunk.id, failure.reason)
            _put_waiting(preparer, outcomes.waiting)

    async def _publish(self, taken: _TakenIn, outcomes: ExtractionOutcomes) -> None:
        """Publish the documents of which every chunk was tried, unless nothing came of reading one again."""
        work, report = taken.work, self._report
        kept = {
            d.id for d in taken.todo if work[d.id] is ReindexAction.REREAD and _all_failed(taken.cut[d.id], outcomes)
        }
        waiting = {waiting.document.id for waiting in outcomes.waiting}
        unfinished = outcomes.untried | kept | waiting | outcomes.defects.keys()
        whole = [document for document in taken.todo if document.id not in unfinished]
        if whole:
            at_hand = {d.id: outcomes.evidence.get(d.id, {}) for d in whole if not taken.done[d.id]}
            await self._publishing.done(_Whole(whole, taken.cut, at_hand))
        published = [document.id for document in whole if document.id not in self._left_out]
        self._left_out.difference_update(taken.cut)
        _count(report, [*(work[document_id] for document_id in published), *(ReindexAction.OUTDATED for _ in kept)])

    async def _publish_all(self, batches: Sequence[_Whole]) -> None:
        """Publish what has become whole while the last was being published, in one transaction."""
        documents = [document for batch in batches for document in batch.documents]
        cut = {document: chunks for batch in batches for document, chunks in batch.cut.items()}
        at_hand = {document: read for batch in batches for document, read in batch.at_hand.items()}
        self._left_out.update(await self._publisher.publish(documents, cut, self._report, at_hand))

    def _drop_staged(self) -> None:
        with self._with.store.write() as writer:
            writer.drop_staged(self._claims)

    def _tell_read(self) -> None:
        self._report.chunks_read += 1
        self._tell(self._report)
        self._moved.set()

    def _tell(self, report: IndexReport) -> None:
        report.usage = self._with.spent()
        self._with.report_progress(report.progress())


def _tell_of(told: TraceSpan, report: IndexReport) -> None:
    changes = {"added": report.added, "changed": report.changed, "unchanged": report.unchanged}
    chunks = {"chunks": report.chunks, "chunks_failed": len(report.failed)}
    told.tell({f"polyadic.{name}": count for name, count in (changes | chunks).items()})


def _put_waiting(preparer: StagingWriter, waiting: Iterable[PendingChunk]) -> None:
    """What each document waits for from now on."""
    purposes: dict[str, dict[str, str]] = {}
    for one in waiting:
        purposes.setdefault(one.document.id, {}).update((request.key, request.purpose) for request in one.requests)
    for document_id, awaited in purposes.items():
        preparer.waiting.put(document_id, awaited)


def _count(report: IndexReport, works: Iterable[ReindexAction]) -> None:
    """Enter into the report what was done for documents; an outdated one is unchanged as well."""
    counts = Counter(works)
    report.added += counts[ReindexAction.ADD]
    report.changed += counts[ReindexAction.CHANGE] + counts[ReindexAction.REREAD]
    report.resumed += counts[ReindexAction.RESUME]
    report.unchanged += counts[ReindexAction.NONE] + counts[ReindexAction.OUTDATED]
    report.outdated += counts[ReindexAction.OUTDATED]


def _all_failed(chunks: Sequence[Chunk], outcomes: ExtractionOutcomes) -> bool:
    """Whether nothing at all came of reading a document: facts that it has from before are better than none."""
    failed = {failure.chunk.id for failure in outcomes.failures}
    return bool(chunks) and all(chunk.id in failed for chunk in chunks)
