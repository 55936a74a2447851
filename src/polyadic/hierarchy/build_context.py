"""Context shared by the steps of a hierarchy build: inputs, summarizer, settings and report."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from polyadic.concurrency.bounded_runner import BoundedRunner
from polyadic.config import HierarchyBuildSettings
from polyadic.hierarchy.build_inputs import HierarchyInputs
from polyadic.hierarchy.build_report import BuildProgress, BuildReport
from polyadic.hierarchy.summarizer import ClusterSummaries, CommunityDescription, Summarizer
from polyadic.llm.batch_model import PendingRequest, ReplyPending
from polyadic.model.hierarchy import EXTRACTIVE, Hierarchy, Summary
from polyadic.model.types import Usage
from polyadic.storage.protocol import Vectors

Piece = TypeVar("Piece")
Words = TypeVar("Words", ClusterSummaries, CommunityDescription)

# Consecutive replies without usable text that stop a build, because every call costs.
_MAX_USELESS = 12


class SummaryVectors(Protocol):
    """Provides the vectors of summaries."""

    async def of(self, summaries: Sequence[Summary]) -> Vectors:
        """Return one vector per summary, in order: shape (n, d)."""
        ...


class BuildInterrupted(Exception):
    """The build stopped early; the report gives the reason."""


@dataclass(frozen=True, slots=True)
class BuildContext:
    """Context of a hierarchy build.

    Parameters
    ----------
    ground
        Entities and facts of the store.
    former
        The previous hierarchy.
    writing, vectors
        Sources of summaries and reports, and of summary vectors.
    at_once
        Maximum number of concurrent summaries or reports.
    rebuild
        Rebuild everything, also unchanged parts.
    report
        Report to record results in.
    report_progress
        Called after every summary or report.
    spent
        Returns the usage of the model so far.
    note
        Called with requests that wait for a batch file.
    """

    ground: HierarchyInputs
    former: Hierarchy
    writing: Summarizer
    vectors: SummaryVectors
    settings: HierarchyBuildSettings
    at_once: int
    rebuild: bool
    report: BuildReport
    report_progress: Callable[[BuildProgress], None] = lambda progress: None
    spent: Callable[[], Usage] = Usage
    note: Callable[[Sequence[PendingRequest]], None] = lambda requests: None

    def begin(self, what: str) -> None:
        """Report the start of a long step without pieces."""
        self.report_progress(BuildProgress(what, 0, 0, self.spent()))

    def is_wanting(self, by: str) -> bool:
        """Whether texts by this author are extractive and are to be replaced by those of a model."""
        return by == EXTRACTIVE and self.writing.by != EXTRACTIVE

    async def written(
        self, what: str, pieces: Sequence[Piece], write: Callable[[Piece], Awaitable[Words]]
    ) -> list[Words]:
        """Write all pieces and record problems in the report.

        Raises
        ------
        BuildInterrupted
            Not all pieces could be written: the model is unavailable, replies wait for a batch file, or too many
            replies in a row could not be used.
        """
        runner = BoundedRunner(self.at_once)
        done = useless = 0

        async def write_one(piece: Piece) -> Words | None:
            nonlocal done, useless
            try:
                words = await write(piece)
            except ReplyPending as pending:
                self.note(pending.requests)
                self.report.pending += 1
                return None
            useless = useless + 1 if words.failed else 0
            if useless >= _MAX_USELESS:
                runner.stop(f"{useless} replies in a row could not be used")
            done += 1
            self.report_progress(BuildProgress(what, done, len(pieces), self.spent()))
            return words

        written = [words for words in await runner.map(write_one, pieces) if words is not None]
        for words in written:
            self.report.enter(words.dropped, words.failed)
        self.report.stopped = runner.stopped
        if len(written) < len(pieces):
            raise BuildInterrupted
        return written
