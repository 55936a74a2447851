"""What writing and reading batch files did, and what is still missing."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polyadic.batch.question_files import BatchAnswer
from polyadic.batch.response_reader import UnreadableLine
from polyadic.hierarchy.build_report import BuildReport
from polyadic.indexing.report import IndexReport
from polyadic.model.types import Usage
from polyadic.storage.pending_requests import PendingCounts
from polyadic.storage.protocol import FailedChunk


@dataclass(frozen=True, slots=True)
class FailedQuestion:
    """A question of a file that could not be answered, and why; it is kept."""

    id: str
    question: str
    reason: str


@dataclass(frozen=True, slots=True)
class BatchWriteReport:
    """What was written. ``index`` says what was done for documents: those whose replies were all known are published.

    ``ready`` questions can be answered already, ``asked_again`` ones are asked in other words than before, because
    what bears on them has changed. ``hierarchy`` says how far it has come; None where it is not asked for, or not yet,
    as documents wait that it is to be made from.
    """

    files: Sequence[Path]
    requests: int
    bytes: int
    index: IndexReport
    ready: int
    asked_again: int
    failed_questions: Sequence[FailedQuestion]
    missing: PendingCounts
    hierarchy: BuildReport | None = None


@dataclass(slots=True)
class BatchReadReport:
    """What was read. Of the response lines, ``taken`` brought a reply; to ``known`` ones the reply was there already;
    for ``strangers`` nothing waits; ``refused`` brought none that is of use; ``unreadable`` are no responses at all.

    ``adapted`` says that the endpoint refused a parameter, which the next writing leaves out.
    ``usage`` is what was entered in the ledger. ``failed`` are the chunks whose replies were refused and are missing
    still, each with the reason, and ``failed_themes`` counts these reasons for summaries and reports. ``index``,
    ``asked_again``, ``failed_questions`` and ``hierarchy`` as in :class:`Written`.
    """

    taken: int = 0
    known: int = 0
    strangers: int = 0
    refused: int = 0
    unreadable: list[UnreadableLine] = field(default_factory=list)
    adapted: bool = False
    usage: Usage = field(default_factory=Usage)
    failed: list[FailedChunk] = field(default_factory=list)
    index: IndexReport = field(default_factory=IndexReport)
    answers: list[BatchAnswer] = field(default_factory=list)
    asked_again: int = 0
    failed_questions: list[FailedQuestion] = field(default_factory=list)
    missing: PendingCounts = field(default_factory=lambda: PendingCounts(0, 0, 0))
    hierarchy: BuildReport | None = None
    failed_themes: Counter[str] = field(default_factory=Counter)
