"""What an indexing job is."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal

Kind = Literal["index", "retry"]


class JobState(StrEnum):
    """Where a job stands; the first two go on by themselves, also after the server was stopped or killed."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    PARTLY = "partly"  # something could not be read, or the run stopped early
    FAILED = "failed"
    CANCELLED = "cancelled"


GOING = (JobState.QUEUED, JobState.RUNNING)
RESUMABLE = (JobState.PARTLY, JobState.FAILED, JobState.CANCELLED)


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job has come: documents looked at, chunks to read and read, texts embedded, tokens and money paid."""

    documents: int = 0
    chunks: int = 0
    chunks_read: int = 0
    texts_embedded: int = 0
    tokens: int = 0
    money: float = 0.0


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What a job is to do.

    ``index`` reads what was handed in, ``retry`` the chunks that could not be read. ``extractor`` and the two bounds of
    what may be spent are those of ``Workspace.aindex``.
    """

    kind: Kind = "index"
    extractor: Literal["model", "sentences"] | None = None
    budget: float | None = None
    spend_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it stands.

    ``created``, ``started`` and ``ended`` are times (ISO 8601, UTC), empty where it is not so far. ``documents`` is how
    many files and texts were handed in. ``report`` is that of the run (docs/json.md), ``problem`` says in a sentence
    why there is none, or why it is not the whole. ``attempts`` counts how often it was begun.
    """

    id: str
    workspace: str
    wish: JobRequest
    state: JobState
    documents: int
    created: str
    started: str = ""
    ended: str = ""
    attempts: int = 0
    reached: JobProgress = JobProgress()
    report: dict[str, Any] | None = None
    problem: str = ""


def now() -> str:
    """The time, as jobs have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
