"""Data types of jobs."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal, Self

from polyadic.model.identity import digest

Kind = Literal["index", "folder", "retry", "hierarchy"]


class JobState(StrEnum):
    """State of a job; queued and running jobs continue by themselves, also after the server was stopped or killed."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    PARTLY = "partly"  # something could not be read, or the run stopped early
    FAILED = "failed"
    CANCELLED = "cancelled"


UNFINISHED = (JobState.QUEUED, JobState.RUNNING)
RESUMABLE = (JobState.PARTLY, JobState.FAILED, JobState.CANCELLED)


@dataclass(frozen=True, slots=True)
class JobProgress:
    """Progress of a job: documents seen, chunks found and read, texts embedded, tokens and money spent.

    A job that builds the hierarchy has a ``step``, such as ``reports``, with the number of its ``pieces`` and of those
    that are written; 0 if the step has none.
    """

    documents: int = 0
    chunks: int = 0
    chunks_read: int = 0
    texts_embedded: int = 0
    tokens: int = 0
    money: float = 0.0
    step: str = ""
    pieces: int = 0
    pieces_written: int = 0


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What a job does.

    ``index`` reads an upload, ``folder`` the changes of a watched folder, ``retry`` the chunks that could not be read
    before, ``hierarchy`` builds the hierarchy.
    ``extractor``, ``budget`` and ``spend_tokens`` are those of ``Workspace.aindex``, ``by`` and ``rebuild`` those of
    ``Workspace.hierarchy.abuild``. ``upload`` is chosen by the client: jobs with the same one are parts of one upload.
    ``renamed`` gives the name that was sent of each file that is stored under another one, ``replaces`` the sources of
    documents that existed when the upload arrived. ``content_digest`` identifies what was sent: a repeated request has
    the same one. ``folder`` is the identifier of a watched folder, ``name`` the name of the file or the title of the
    text if there is only one.
    """

    kind: Kind = "index"
    extractor: Literal["model", "sentences"] | None = None
    budget: float | None = None
    spend_tokens: int | None = None
    upload: str = ""
    renamed: dict[str, str] = field(default_factory=dict)
    replaces: list[str] = field(default_factory=list)
    by: Literal["model", "extractive"] | None = None
    rebuild: bool = False
    content_digest: str = ""
    folder: str = ""
    name: str = ""

    @property
    def has_input(self) -> bool:
        """Whether the job reads something that the upload store keeps for it."""
        return self.kind in ("index", "folder")

    def with_content(self, *parts: str) -> Self:
        """Return a copy with the digest of these parts of the content and of the options."""
        options = (self.kind, self.extractor or "", self.budget, self.spend_tokens, self.upload, self.by, self.rebuild)
        return replace(self, content_digest=digest(*map(str, options), *parts))


@dataclass(frozen=True, slots=True)
class Job:
    """A job and its state.

    ``created``, ``started`` and ``ended`` are times (ISO 8601, UTC), empty if not reached yet. ``documents`` is the
    number of uploaded files and texts. ``report`` is the index report (docs/json.md), or the build report of the
    hierarchy (docs/json-manage.md); ``problem`` says in a sentence why there is none, or why it is incomplete.
    ``attempts`` counts the starts.
    """

    id: str
    workspace: str
    request: JobRequest
    state: JobState
    documents: int
    created: str
    started: str = ""
    ended: str = ""
    attempts: int = 0
    progress: JobProgress = JobProgress()
    report: dict[str, Any] | None = None
    problem: str = ""


def now() -> str:
    """Return the current time in the format of jobs."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
