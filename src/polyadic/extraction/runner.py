"""Run an extractor over many chunks concurrently and isolate the failures of single chunks."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Self

from polyadic.errors import ModelUnavailable, NoReply
from polyadic.extraction.extractor import Extraction, Extractor, concurrency_of
from polyadic.llm.batch_model import PendingRequest, ReplyPending
from polyadic.loaders.error_isolation import DocumentDefect, skipped_because
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Chunk, Document, Evidence

# Stop after this many consecutive calls without a reply. Stop also after as many consecutive unusable replies, provided
# that they concern several documents: a model may refuse to process one particular document.
_FAILURE_LIMIT, _MIN_DOCUMENTS = 12, 3


@dataclass(frozen=True, slots=True)
class ChunkFailure:
    """A chunk that could not be read, and the reason."""

    document: Document
    chunk: Chunk
    reason: str


@dataclass(frozen=True, slots=True)
class PendingChunk:
    """A chunk with requests whose replies are pending in a batch job."""

    document: Document
    chunk: Chunk
    requests: tuple[PendingRequest, ...]


@dataclass(slots=True)
class ExtractionOutcomes:
    """The results of an extraction run.

    Attributes
    ----------
    evidence
        Evidence by document id and chunk id.
    failures
        Chunks that could not be read.
    waiting
        Chunks whose requests are pending in a batch job.
    problems
        Counts of items that were dropped or repaired, by reason.
    untried
        Ids of documents of which at least one chunk was not attempted.
    defects
        Reports by document id, for documents on which the extractor crashed; they have no evidence.
    """

    evidence: dict[str, dict[str, tuple[Evidence, ...]]] = field(default_factory=dict)
    failures: list[ChunkFailure] = field(default_factory=list)
    waiting: list[PendingChunk] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)
    untried: set[str] = field(default_factory=set)
    defects: dict[str, SkippedInput] = field(default_factory=dict)

    def drop_defective(self) -> None:
        """Discard the results of documents that are skipped because of a defect."""
        if not self.defects:
            return
        self.evidence = {id_: by_chunk for id_, by_chunk in self.evidence.items() if id_ not in self.defects}
        self.failures = [item for item in self.failures if item.document.id not in self.defects]
        self.waiting = [item for item in self.waiting if item.document.id not in self.defects]


class _ChunkBatch:
    """The chunks of one ``read`` call; ``read`` resolves when all are read, or fails when reading one crashes."""

    def __init__(self, left: int, tried_before: Collection[str]) -> None:
        self.outcomes = ExtractionOutcomes()
        self.left = left
        self.tried_before = tried_before
        self.context = copy_context()
        self.read: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def finish_one(self) -> None:
        """Count one chunk as finished; resolve ``read`` after the last."""
        self.left -= 1
        if not self.left and not self.read.done():
            self.read.set_result(None)

    def fail(self, error: Exception) -> None:
        """Fail ``read`` with an unexpected error."""
        if not self.read.done():
            self.read.set_exception(error)


class ExtractionRunner:
    """Worker pool that reads chunks in submission order, with the concurrency of the extractor.

    Use it as an asynchronous context manager. ``stopped`` holds the reason why no further chunks are attempted, or is
    empty. Chunks in progress at that moment are still completed, because their calls are already paid for.

    Parameters
    ----------
    extractor
        Reads the chunks.
    report_read
        Called after each chunk that was read or failed.
    """

    def __init__(self, extractor: Extractor, report_read: Callable[[], None]) -> None:
        self.stopped = ""
        self._extractor = extractor
        self._report_read = report_read
        self._queue: asyncio.Queue[tuple[_ChunkBatch, Document, Chunk]] = asyncio.Queue()
        self._workers: list[asyncio.Task[None]] = []
        self._has_crashed = False
        self._missing_replies = 0
        self._unusable_replies: list[str] = []

    async def __aenter__(self) -> Self:
        self._workers = [asyncio.create_task(self._work()) for _ in range(concurrency_of(self._extractor))]
        return self

    async def __aexit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)

    @property
    def left(self) -> int:
        """The number of chunks still in the queue."""
        return self._queue.qsize()

    async def read(
        self, chunks: Sequence[tuple[Document, Chunk]], tried_before: Collection[str] = ()
    ) -> ExtractionOutcomes:
        """Read chunks and wait until all of them are done.

        Parameters
        ----------
        chunks
            The chunks, each with its document.
        tried_before
            Ids of documents with chunks that failed in an earlier run. Their unusable replies do not count towards
            stopping the run; otherwise the chunks after them would never be reached.

        Returns
        -------
        ExtractionOutcomes
            Evidence, failures and pending chunks.
        """
        batch = _ChunkBatch(len(chunks), tried_before)
        for document, chunk in chunks:
            self._queue.put_nowait((batch, document, chunk))
        if chunks:
            await batch.read
        batch.outcomes.drop_defective()
        return batch.outcomes

    async def _work(self) -> None:
        """Read chunks from the queue until one crashes, which ends the run."""
        while not self._has_crashed:
            batch, document, chunk = await self._queue.get()
            reading = self._read(batch, document, chunk)
            try:
                # Run in the context of the submitter (tracing); awaiting the task is also a cancellation point.
                await asyncio.create_task(reading, context=batch.context.copy())
            except Exception as error:
                self._has_crashed = True
                batch.fail(error)
            batch.finish_one()

    async def _read(self, batch: _ChunkBatch, document: Document, chunk: Chunk) -> None:
        if document.id in batch.outcomes.defects:
            return
        if self.stopped:
            batch.outcomes.untried.add(document.id)
            return
        try:
            extraction = await self._extractor.extract(document, chunk)
        except NoReply as problem:
            self._failed(batch, document, chunk, problem)
        except ReplyPending as pending:
            self._missing_replies = 0
            batch.outcomes.waiting.append(PendingChunk(document, chunk, pending.requests))
            return
        except ModelUnavailable as problem:
            batch.outcomes.untried.add(document.id)
            self._stop(str(problem))
            return
        except DocumentDefect as defect:
            batch.outcomes.defects[document.id] = skipped_because(document.source, defect)
            return
        else:
            self._keep(batch.outcomes, document, chunk, extraction)
        self._report_read()

    def _keep(self, outcomes: ExtractionOutcomes, document: Document, chunk: Chunk, extraction: Extraction) -> None:
        self._missing_replies = 0
        self._unusable_replies.clear()
        outcomes.evidence.setdefault(document.id, {})[chunk.id] = extraction.evidence
        outcomes.problems.update(extraction.problems)

    def _failed(self, batch: _ChunkBatch, document: Document, chunk: Chunk, problem: NoReply) -> None:
        batch.outcomes.failures.append(ChunkFailure(document, chunk, str(problem)))
        if problem.usage is None:
            self._missing_replies += 1
        elif document.id not in batch.tried_before:
            self._missing_replies = 0
            self._unusable_replies.append(document.id)
        too_many_unusable = (
            len(self._unusable_replies) >= _FAILURE_LIMIT and len(set(self._unusable_replies)) >= _MIN_DOCUMENTS
        )
        if too_many_unusable or self._missing_replies >= _FAILURE_LIMIT:
            self._stop(f"{_FAILURE_LIMIT} chunks in a row could not be read, the last because {problem}")

    def _stop(self, why: str) -> None:
        # Keep the first reason: later ones are usually consequences of it.
        self.stopped = self.stopped or why
