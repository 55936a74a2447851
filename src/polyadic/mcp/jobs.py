"""Indexing jobs as seen by MCP tools; a server that runs jobs implements :class:`ToolJobs`."""

from dataclasses import dataclass
from typing import Literal, Protocol

from polyadic.model.types import Document

State = Literal["queued", "running", "succeeded", "partly", "failed", "cancelled"]
Outcome = Literal["added", "replaced", "unchanged"]
GOING = ("queued", "running")


@dataclass(frozen=True, slots=True)
class ToolJob:
    """State of a job.

    ``chunks_read`` of ``chunks`` have been read so far. ``outcome`` is None while it is unknown, and if the document
    was not published. ``problem`` says why the document, or a part of it, was not indexed.
    """

    id: str
    state: State
    chunks: int
    chunks_read: int
    outcome: Outcome | None = None
    problem: str = ""


class ToolJobs(Protocol):
    """The jobs of one workspace."""

    async def upload(self, document: Document) -> ToolJob:
        """Queue a document for indexing; waits a little, so that a short document is indexed when this returns."""

    async def job(self, identifier: str) -> ToolJob:
        """Return the state of a job; raises an error of the surrounding server if there is none."""
