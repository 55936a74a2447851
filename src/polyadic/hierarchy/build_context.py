"""Context shared by the steps of a hierarchy build: inputs, summarizer, settings and report."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from polyadic.config import HierarchyBuildSettings
from polyadic.hierarchy.bounded_gather import gather_bounded
from polyadic.hierarchy.build_report import BuildProgress, BuildReport
from polyadic.hierarchy.inputs import HierarchyInputs
from polyadic.hierarchy.summarizer import ClusterSummaries, CommunityDescription, Summarizer
from polyadic.llm.batch_model import PendingRequest
from polyadic.model.hierarchy import EXTRACTIVE, Hierarchy, Summary
from polyadic.model.types import Usage
from polyadic.storage.protocol import Vectors

Piece = TypeVar("Piece")
Words = TypeVar("Words", ClusterSummaries, CommunityDescription)


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
            Not all pieces could be written.
        """
        done = 0

        def report_one() -> None:
            nonlocal done
            done += 1
            self.report_progress(BuildProgress(what, done, len(pieces), self.spent()))

        outcomes = await gather_bounded(write, pieces, self.at_once, report_one, lambda words: bool(words.failed))
        for requests in outcomes.pending:
            self.note(requests)
        written = [words for words in outcomes.results if words is not None]
        for words in written:
            self.report.enter(words.dropped, words.failed)
        self.report.pending += len(outcomes.pending)
        self.report.stopped = outcomes.stopped
        if len(written) < len(pieces):
            raise BuildInterrupted
        return written
