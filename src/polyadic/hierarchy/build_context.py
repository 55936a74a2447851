"""What the steps of building a hierarchy share: what they work on and with, and where they report."""

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
    """Where summaries lie among each other."""

    async def of(self, summaries: Sequence[Summary]) -> Vectors:
        """One vector a summary, in their order: shape (n, d)."""
        ...


class BuildInterrupted(Exception):
    """The build cannot go on: the report says why."""


@dataclass(frozen=True, slots=True)
class BuildContext:
    """What is built from, with and under.

    Parameters
    ----------
    ground
        What everything rests on.
    former
        The hierarchy as it was.
    writing, vectors
        What words and vectors come from.
    at_once
        How many pieces may be written at once.
    anew
        Make everything again, also what is as it was.
    report
        Where what was done is entered.
    report_progress
        Called after every piece.
    spent
        What the model was paid so far.
    note
        Told of the requests that are asked by file.
    """

    ground: HierarchyInputs
    former: Hierarchy
    writing: Summarizer
    vectors: SummaryVectors
    settings: HierarchyBuildSettings
    at_once: int
    anew: bool
    report: BuildReport
    report_progress: Callable[[BuildProgress], None] = lambda progress: None
    spent: Callable[[], Usage] = Usage
    note: Callable[[Sequence[PendingRequest]], None] = lambda requests: None

    def begin(self, what: str) -> None:
        """Say that something is done that takes time and has no pieces."""
        self.report_progress(BuildProgress(what, 0, 0, self.spent()))

    def is_wanting(self, by: str) -> bool:
        """Whether words that were written by this are to be written again by a model."""
        return by == EXTRACTIVE and self.writing.by != EXTRACTIVE

    async def written(
        self, what: str, pieces: Sequence[Piece], write: Callable[[Piece], Awaitable[Words]]
    ) -> list[Words]:
        """Have all pieces written.

        Raises
        ------
        Interrupted
            Some were not.
        """
        done = 0

        def tell() -> None:
            nonlocal done
            done += 1
            self.report_progress(BuildProgress(what, done, len(pieces), self.spent()))

        outcomes = await gather_bounded(write, pieces, self.at_once, tell, lambda words: bool(words.failed))
        for requests in outcomes.awaited:
            self.note(requests)
        written = [words for words in outcomes.results if words is not None]
        for words in written:
            self.report.enter(words.lost, words.failed)
        self.report.awaited += len(outcomes.awaited)
        self.report.stopped = outcomes.stopped
        if len(written) < len(pieces):
            raise BuildInterrupted
        return written
