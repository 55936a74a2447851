"""Reports of writing and reading batch files."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polyadic.batch.question_files import BatchAnswer
from polyadic.batch.response_parser import UnreadableLine
from polyadic.hierarchy.build_report import BuildReport
from polyadic.indexing.report import IndexReport
from polyadic.model.types import Usage
from polyadic.storage.pending_requests import PendingCounts
from polyadic.storage.protocol import FailedChunk


@dataclass(frozen=True, slots=True)
class FailedQuestion:
    """A question that could not be answered, and why; it stays stored."""

    id: str
    question: str
    reason: str


@dataclass(frozen=True, slots=True)
class EntityVerdicts:
    """Candidate pairs of entities that the model has judged, those without a readable verdict, and pending requests."""

    judged: int
    unreadable: int
    pending: int


@dataclass(frozen=True, slots=True)
class BatchWriteReport:
    """Outcome of writing batch files.

    Attributes
    ----------
    index
        Outcome for documents; those whose replies were all known are published.
    ready
        Number of questions that can be answered already.
    changed_questions
        Number of questions whose requests differ from earlier ones because their context has changed.
    hierarchy
        State of the hierarchy; None if it was not requested, or documents that belong in it are pending.
    entities
        Verdicts about candidate pairs of entities; None if they were not requested, or documents are pending.
    """

    files: Sequence[Path]
    requests: int
    bytes: int
    index: IndexReport
    ready: int
    changed_questions: int
    failed_questions: Sequence[FailedQuestion]
    missing: PendingCounts
    hierarchy: BuildReport | None = None
    entities: EntityVerdicts | None = None


@dataclass(slots=True)
class BatchReadReport:
    """Outcome of reading batch files; fields not listed are those of :class:`BatchWriteReport`.

    Attributes
    ----------
    accepted
        Response lines that brought a usable reply.
    duplicates
        Response lines whose reply was already known.
    unknown_requests
        Response lines that no request waits for.
    refused
        Response lines without a usable reply.
    unreadable
        Lines that are not responses.
    adapted
        Whether the endpoint refused a parameter; the next batch omits it.
    usage
        Usage that was added to the ledger.
    failed
        Chunks whose replies were unusable and are still missing, with the reason.
    failed_hierarchy, failed_entities
        Reasons for missing summaries and reports, and for missing verdicts about entities, counted.
    """

    accepted: int = 0
    duplicates: int = 0
    unknown_requests: int = 0
    refused: int = 0
    unreadable: list[UnreadableLine] = field(default_factory=list)
    adapted: bool = False
    usage: Usage = field(default_factory=Usage)
    failed: list[FailedChunk] = field(default_factory=list)
    index: IndexReport = field(default_factory=IndexReport)
    answers: list[BatchAnswer] = field(default_factory=list)
    changed_questions: int = 0
    failed_questions: list[FailedQuestion] = field(default_factory=list)
    missing: PendingCounts = field(default_factory=lambda: PendingCounts(0, 0, 0))
    hierarchy: BuildReport | None = None
    failed_hierarchy: Counter[str] = field(default_factory=Counter)
    entities: EntityVerdicts | None = None
    failed_entities: Counter[str] = field(default_factory=Counter)
