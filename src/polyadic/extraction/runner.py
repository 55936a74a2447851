"""Run an extractor over many chunks concurrently and isolate the failures of single chunks."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from polyadic.concurrency.bounded_runner import BoundedRunner
from polyadic.errors import NoReply
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


class ExtractionRunner:
    """Reads chunks in submission order, with the concurrency of the extractor.

    Parameters
    ----------
    extractor
        Reads the chunks.
    report_read
        Called after each chunk that was read or failed.
    """

    def __init__(self, extractor: Extractor, report_read: Callable[[], None]) -> None:
        self._runner = BoundedRunner(concurrency_of(extractor))
        self._extractor = extractor
        self._report_read = report_read
        self._missing_replies = 0
        self._unusable_replies: list[str] = []

    @property
    def stopped(self) -> str:
        """Why no further chunks are attempted; empty while they are."""
        return self._runner.stopped

    @property
    def left(self) -> int:
        """The number of submitted chunks that have not been attempted yet."""
        return self._runner.left

    async def read(
        self, chunks: Sequence[tuple[Document, Chunk]], tried_before: Collection[str] = ()
    ) -> ExtractionOutcomes:
        """Read chunks and wait until all of them are done.

        After a stop, chunks in progress are still completed, because their calls are already paid for.

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
        outcomes = ExtractionOutcomes()

        async def read_one(pair: tuple[Document, Chunk]) -> Literal[True]:
            document, chunk = pair
            if document.id not in outcomes.defects:
                await self._read(outcomes, document, chunk, tried_before)
            return True

        tried = await self._runner.map(read_one, chunks)
        outcomes.untried = {document.id for (document, _), done in zip(chunks, tried, strict=True) if not done}
        outcomes.drop_defective()
        return outcomes

    async def _read(
        self, outcomes: ExtractionOutcomes, document: Document, chunk: Chunk, tried_before: Collection[str]
    ) -> None:
        try:
            extraction = await self._extractor.extract(document, chunk)
        except NoReply as problem:
            outcomes.failures.append(ChunkFailure(document, chunk, str(problem)))
            self._count_failure(document, problem, tried_before)
        except ReplyPending as pending:
            self._missing_replies = 0
            outcomes.waiting.append(PendingChunk(document, chunk, pending.requests))
            return
        except DocumentDefect as defect:
            outcomes.defects[document.id] = skipped_because(document.source, defect)
            return
        else:
            self._keep(outcomes, document, chunk, extraction)
        self._report_read()

    def _keep(self, outcomes: ExtractionOutcomes, document: Document, chunk: Chunk, extraction: Extraction) -> None:
        self._missing_replies = 0
        self._unusable_replies.clear()
        outcomes.evidence.setdefault(document.id, {})[chunk.id] = extraction.evidence
        outcomes.problems.update(extraction.problems)

    def _count_failure(self, document: Document, problem: NoReply, tried_before: Collection[str]) -> None:
        """Count failures in a row, and stop the run after too many."""
        if problem.usage is None:
            self._missing_replies += 1
        elif document.id not in tried_before:
            self._missing_replies = 0
            self._unusable_replies.append(document.id)
        too_many_unusable = (
            len(self._unusable_replies) >= _FAILURE_LIMIT and len(set(self._unusable_replies)) >= _MIN_DOCUMENTS
        )
        if too_many_unusable or self._missing_replies >= _FAILURE_LIMIT:
            self._runner.stop(f"{_FAILURE_LIMIT} chunks in a row could not be read, the last because {problem}")
