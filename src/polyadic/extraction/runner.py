"""Run an extractor over many windows of documents concurrently and isolate the failures of single windows."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from polyadic.chunking.chunker import ExtractionWindow
from polyadic.concurrency.bounded_runner import BoundedRunner
from polyadic.errors import NoReply
from polyadic.extraction.chunk_attribution import evidence_by_chunk
from polyadic.extraction.extractor import Extraction, Extractor, concurrency_of
from polyadic.llm.batch_model import PendingRequest, ReplyPending
from polyadic.llm.budget import BudgetUsedUp
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
class PendingWindow:
    """A window with requests whose replies are pending in a batch job."""

    document: Document
    window: ExtractionWindow
    requests: tuple[PendingRequest, ...]


@dataclass(slots=True)
class ExtractionOutcomes:
    """The results of an extraction run.

    Attributes
    ----------
    evidence
        Evidence by document id and chunk id.
    failures
        Chunks that could not be read: all of a window whose call failed.
    waiting
        Windows whose requests are pending in a batch job.
    problems
        Counts of items that were dropped or repaired, by reason.
    untried
        Ids of documents of which at least one window was not attempted.
    defects
        Reports by document id, for documents on which the extractor crashed; they have no evidence.
    """

    evidence: dict[str, dict[str, tuple[Evidence, ...]]] = field(default_factory=dict)
    failures: list[ChunkFailure] = field(default_factory=list)
    waiting: list[PendingWindow] = field(default_factory=list)
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
    """Reads windows in submission order, with the concurrency of the extractor.

    Parameters
    ----------
    extractor
        Reads the windows.
    report_read
        Called after each window that was read or failed, with its number of chunks.
    """

    def __init__(self, extractor: Extractor, report_read: Callable[[int], None]) -> None:
        self._runner = BoundedRunner(concurrency_of(extractor))
        self._extractor = extractor
        self._report_read = report_read
        self._missing_replies = 0
        self._unusable_replies: list[str] = []

    @property
    def stopped(self) -> str:
        """Why no further windows are attempted; empty while they are."""
        return self._runner.stopped

    @property
    def is_budget_used_up(self) -> bool:
        """Whether the budget is the reason why no further windows are attempted."""
        return isinstance(self._runner.unavailable, BudgetUsedUp)

    @property
    def left(self) -> int:
        """The number of submitted windows that have not been attempted yet."""
        return self._runner.left

    async def read(
        self, windows: Sequence[tuple[Document, ExtractionWindow]], tried_before: Collection[str] = ()
    ) -> ExtractionOutcomes:
        """Read windows and wait until all of them are done.

        After a stop, windows in progress are still completed, because their calls are already paid for.

        Parameters
        ----------
        windows
            The windows, each with its document.
        tried_before
            Ids of documents with chunks that failed in an earlier run. Their unusable replies do not count towards
            stopping the run; otherwise the windows after them would never be reached.

        Returns
        -------
        ExtractionOutcomes
            Evidence, failures and pending windows.
        """
        outcomes = ExtractionOutcomes()

        async def read_one(pair: tuple[Document, ExtractionWindow]) -> Literal[True]:
            document, window = pair
            if document.id not in outcomes.defects:
                await self._read(outcomes, document, window, tried_before)
            return True

        tried = await self._runner.map(read_one, windows)
        outcomes.untried = {document.id for (document, _), done in zip(windows, tried, strict=True) if not done}
        outcomes.drop_defective()
        return outcomes

    async def _read(
        self, outcomes: ExtractionOutcomes, document: Document, window: ExtractionWindow, tried_before: Collection[str]
    ) -> None:
        try:
            extraction = await self._extractor.extract(document, window.text)
        except NoReply as problem:
            outcomes.failures += [ChunkFailure(document, chunk, str(problem)) for chunk in window.chunks]
            self._count_failure(document, problem, tried_before)
        except ReplyPending as pending:
            self._missing_replies = 0
            outcomes.waiting.append(PendingWindow(document, window, pending.requests))
            return
        except DocumentDefect as defect:
            outcomes.defects[document.id] = skipped_because(document.source, defect)
            return
        else:
            self._keep(outcomes, document, window, extraction)
        self._report_read(len(window.chunks))

    def _keep(
        self, outcomes: ExtractionOutcomes, document: Document, window: ExtractionWindow, extraction: Extraction
    ) -> None:
        self._missing_replies = 0
        self._unusable_replies.clear()
        by_chunk = evidence_by_chunk(extraction.evidence, window.chunks)
        outcomes.evidence.setdefault(document.id, {}).update(by_chunk)
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
            self._runner.stop(f"{_FAILURE_LIMIT} calls in a row gave no facts, the last because {problem}")
