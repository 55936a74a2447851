"""Index a batch of documents: stage its chunks, extract evidence, and publish the documents that are complete."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from polyadic.chunking.chunker import ExtractionWindow, extraction_windows
from polyadic.concurrency.micro_batcher import MicroBatcher
from polyadic.concurrency.run_in_thread import run_in_thread
from polyadic.extraction.runner import ExtractionOutcomes, ExtractionRunner, PendingWindow
from polyadic.indexing.fingerprint import NOTHING_TO_DO, PipelineConfig, ReindexAction
from polyadic.indexing.originals import record_originals
from polyadic.indexing.publisher import Publisher
from polyadic.indexing.report import IndexReport
from polyadic.loaders.error_isolation import DocumentDefect, on_one_document, skipped_because
from polyadic.model.types import Chunk, Document, Evidence
from polyadic.storage.protocol import FailedChunk, Fingerprint, StagingWriter, Store
from polyadic.storage.retry import with_retries
from polyadic.tracing.spans import step_done


@dataclass(frozen=True, slots=True)
class _StagedBatch:
    """A staged batch: the documents that need work (``todo``), and actions, windows and chunks by document id."""

    actions: Mapping[str, ReindexAction]
    todo: Sequence[Document]
    windows: Mapping[str, Sequence[ExtractionWindow]]
    chunks: Mapping[str, Sequence[Chunk]]
    finished_chunks: Mapping[str, frozenset[str]]
    """By document id, the chunks whose evidence an interrupted run already stored."""

    @property
    def to_read(self) -> list[tuple[Document, ExtractionWindow]]:
        return [
            (document, window)
            for document in self.todo
            for window in self.windows[document.id]
            if any(chunk.id not in self.finished_chunks[document.id] for chunk in window.chunks)
        ]

    @property
    def tried_before(self) -> set[str]:
        return {document.id for document in self.todo if self.actions[document.id] is ReindexAction.RESUME}


@dataclass(frozen=True, slots=True)
class _CompletedDocuments:
    """Documents ready to publish, with their chunks.

    ``evidence_in_memory`` has the evidence of documents whose evidence is entirely in memory; that of the others is
    read from the store.
    """

    documents: Sequence[Document]
    chunks: Mapping[str, Sequence[Chunk]]
    evidence_in_memory: Mapping[str, Mapping[str, Sequence[Evidence]]]


class BatchPipeline:
    """The indexing steps of a batch.

    Parameters
    ----------
    store, config, runner, publisher, report
        The store, pipeline configuration, extraction runner, publisher and report of the run.
    reextracts
        Returns whether to reindex a document whose pipeline configuration has changed, even if that costs money.
    on_staged
        Called when the chunks of a batch are in the extraction queue.
    on_pending
        Called with the chunks that wait for replies from a batch file, after they are committed.
    """

    def __init__(
        self,
        store: Store,
        config: PipelineConfig,
        runner: ExtractionRunner,
        publisher: Publisher,
        report: IndexReport,
        reextracts: Callable[[str], bool],
        on_staged: Callable[[], None],
        on_pending: Callable[[Sequence[PendingWindow]], None],
    ) -> None:
        self._store = store
        self._config = config
        self._runner = runner
        self._publisher = publisher
        self._report = report
        self._reextracts = reextracts
        self._on_staged = on_staged
        self._on_pending = on_pending
        self._publishing = MicroBatcher(self._publish_all)
        self._defective: set[str] = set()

    async def index(self, batch: Sequence[Document]) -> None:
        """Index documents that this process has leased; those that are unchanged are only counted."""
        actions = await run_in_thread(with_retries, self._actions, batch)
        step_done("read documents")
        _count(self._report, (kind for kind in actions.values() if kind in NOTHING_TO_DO))
        todo = [document for document in batch if actions[document.id] not in NOTHING_TO_DO]
        if not todo:
            self._on_staged()
            return
        windows = await run_in_thread(self._chunk, todo)
        todo = [document for document in todo if document.id in windows]
        staged = await run_in_thread(with_retries, self._stage, actions, todo, windows)
        self._report.chunks += sum(map(len, staged.chunks.values()))
        self._report.chunks_read += sum(map(len, staged.finished_chunks.values()))
        step_done("chunk")
        outcomes = await self._extract(staged)
        step_done("extract")
        await self._publish(staged, outcomes)

    async def close(self) -> None:
        """Cancel publishing that is in progress."""
        await self._publishing.given_up()

    def _actions(self, batch: Sequence[Document]) -> dict[str, ReindexAction]:
        with self._store.prepare() as preparer:
            stamps = preparer.stamps([document.id for document in batch])
            actions = {document.id: self._action_for(document, stamps.get(document.id), preparer) for document in batch}
            unchanged = [document for document in batch if actions[document.id] in NOTHING_TO_DO]
            record_originals(preparer, unchanged, is_staged=False)
        return actions

    def _action_for(self, document: Document, stamp: Fingerprint | None, preparer: StagingWriter) -> ReindexAction:
        """Return the action for a document; if there is nothing to do, drop its pending requests."""
        action = self._config.work_for(document.content, stamp, self._reextracts(document.id))
        if action is ReindexAction.NONE:
            preparer.waiting.release(document.id)
        elif action is ReindexAction.OUTDATED:
            preparer.waiting.settle(document.id, document.content)
        return action

    def _chunk(self, todo: Sequence[Document]) -> dict[str, Sequence[ExtractionWindow]]:
        """Split documents; one that cannot be split is skipped."""
        windows: dict[str, Sequence[ExtractionWindow]] = {}
        for document in todo:
            try:
                with on_one_document():
                    windows[document.id] = extraction_windows(document, self._config.chunking)
            except DocumentDefect as defect:
                self._report.skip(skipped_because(document.source, defect))
        return windows

    def _stage(
        self,
        actions: Mapping[str, ReindexAction],
        todo: Sequence[Document],
        windows: Mapping[str, Sequence[ExtractionWindow]],
    ) -> _StagedBatch:
        """Stage documents with their chunks."""
        chunks = {
            document_id: [chunk for window in document_windows for chunk in window.chunks]
            for document_id, document_windows in windows.items()
        }
        with self._store.prepare() as preparer:
            finished = preparer.stage([(d, self._config.stamp(d.content), chunks[d.id]) for d in todo])
            record_originals(preparer, todo, is_staged=True)
        return _StagedBatch(actions, todo, windows, chunks, finished)

    async def _extract(self, staged: _StagedBatch) -> ExtractionOutcomes:
        """Extract evidence from the chunks and commit the outcomes."""
        self._on_staged()
        outcomes = await self._runner.read(staged.to_read, staged.tried_before)
        await run_in_thread(with_retries, self._store_outcomes, outcomes)
        self._on_pending(outcomes.waiting)
        report = self._report
        report.stopped, report.budget_used_up = self._runner.stopped, self._runner.is_budget_used_up
        report.problems.update(outcomes.problems)
        report.skip(*outcomes.defects.values())
        report.failed += [FailedChunk(f.document.source, f.chunk.id, f.chunk.span, f.reason) for f in outcomes.failures]
        return outcomes

    def _store_outcomes(self, outcomes: ExtractionOutcomes) -> None:
        with self._store.prepare() as preparer:
            preparer.put_evidence(outcomes.evidence)
            for failure in outcomes.failures:
                preparer.put_failure(failure.document.id, failure.chunk.id, failure.reason)
            _store_pending(preparer, outcomes.waiting)

    async def _publish(self, staged: _StagedBatch, outcomes: ExtractionOutcomes) -> None:
        """Publish each document whose chunks have all been processed.

        If a document was reindexed and every chunk failed, its previous facts stay.
        """
        actions, report = staged.actions, self._report
        fully_failed = {
            d.id
            for d in staged.todo
            if actions[d.id] is ReindexAction.REREAD and _all_failed(staged.chunks[d.id], outcomes)
        }
        waiting = {waiting.document.id for waiting in outcomes.waiting}
        unfinished = outcomes.untried | fully_failed | waiting | outcomes.defects.keys()
        completed = [document for document in staged.todo if document.id not in unfinished]
        if completed:
            evidence = {d.id: outcomes.evidence.get(d.id, {}) for d in completed if not staged.finished_chunks[d.id]}
            await self._publishing.done(_CompletedDocuments(completed, staged.chunks, evidence))
        published = [document.id for document in completed if document.id not in self._defective]
        self._defective.difference_update(staged.chunks)
        _count(
            report,
            [*(actions[document_id] for document_id in published), *(ReindexAction.OUTDATED for _ in fully_failed)],
        )

    async def _publish_all(self, batches: Sequence[_CompletedDocuments]) -> None:
        """Publish the documents that were completed during the previous transaction, in one transaction."""
        documents = [document for batch in batches for document in batch.documents]
        chunks = {document_id: part for batch in batches for document_id, part in batch.chunks.items()}
        evidence = {document: read for batch in batches for document, read in batch.evidence_in_memory.items()}
        self._defective.update(await self._publisher.publish(documents, chunks, self._report, evidence))


def _store_pending(preparer: StagingWriter, waiting: Iterable[PendingWindow]) -> None:
    """Store the requests whose replies each document waits for."""
    purposes: dict[str, dict[str, str]] = {}
    for one in waiting:
        purposes.setdefault(one.document.id, {}).update((request.key, request.purpose) for request in one.requests)
    for document_id, pending in purposes.items():
        preparer.waiting.put(document_id, pending)


def _count(report: IndexReport, actions: Iterable[ReindexAction]) -> None:
    """Count actions in the report; an outdated document also counts as unchanged."""
    counts = Counter(actions)
    report.added += counts[ReindexAction.ADD]
    report.changed += counts[ReindexAction.CHANGE] + counts[ReindexAction.REREAD]
    report.resumed += counts[ReindexAction.RESUME]
    report.unchanged += counts[ReindexAction.NONE] + counts[ReindexAction.OUTDATED]
    report.outdated += counts[ReindexAction.OUTDATED]


def _all_failed(chunks: Sequence[Chunk], outcomes: ExtractionOutcomes) -> bool:
    """Whether every chunk of a document failed; its previous facts are then better than none."""
    failed = {failure.chunk.id for failure in outcomes.failures}
    return bool(chunks) and all(chunk.id in failed for chunk in chunks)
