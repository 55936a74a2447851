"""Documents that are read behind a request: what a server that has jobs does for its clients."""

from dataclasses import dataclass
from typing import Literal, Protocol

from polyadic.model.types import Document

State = Literal["queued", "running", "succeeded", "partly", "failed", "cancelled"]
Outcome = Literal["added", "replaced", "unchanged"]
GOING = ("queued", "running")


@dataclass(frozen=True, slots=True)
class ToolJob:
    """A job as it stands.

    ``chunks_read`` of ``chunks`` have been read so far. ``outcome`` is None as long as that is not known, and where the
    document was not published. ``problem`` says why it was not, or not the whole of it.
    """

    id: str
    state: State
    chunks: int
    chunks_read: int
    outcome: Outcome | None = None
    problem: str = ""


class ToolJobs(Protocol):
    """The jobs of one workspace."""

    async def hand_in(self, document: Document) -> ToolJob:
        """Have a document read; waits a little, so that a short one has been read when this returns."""

    async def job(self, identifier: str) -> ToolJob:
        """How a job stands; raises what the server around us explains where there is none."""
