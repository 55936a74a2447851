"""Jobs as agents see them (MCP): one document each, and waited for a little. Needs the extra ``mcp``."""

import asyncio
from contextlib import aclosing, suppress

from polyadic.mcp.jobs import Outcome, ToolJob
from polyadic.model.types import Document
from polyadic.server.jobs import job as jobs
from polyadic.server.jobs.upload import UploadedText
from polyadic.server.service import ServerState
from polyadic.server.uploads import hand_in_texts

_PATIENCE = 10.0
"""Seconds for which a document's job is waited for: a short one is read by then, and no client has given up."""


class McpJobs:
    """The jobs of one workspace; what :class:`polyadic.mcp.jobs.ToolJobs` is to be.

    Parameters
    ----------
    service, workspace
        Whose jobs; the caller has seen to it that the key opens the workspace.
    """

    def __init__(self, service: ServerState, workspace: str) -> None:
        self._service = service
        self._workspace = workspace

    async def hand_in(self, document: Document) -> ToolJob:
        text = UploadedText(document.source, document.title, document.text, dict(document.metadata))
        job = await hand_in_texts(self._service, self._workspace, [text], jobs.JobRequest())
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self._ended(job.id)
        return await self.job(job.id)

    async def job(self, identifier: str) -> ToolJob:
        return _told(await self._service.jobs.job(identifier, self._workspace))

    async def _ended(self, identifier: str) -> None:
        async with aclosing(self._service.jobs.watch(identifier, self._workspace)) as changes:
            async for _ in changes:
                pass


def _told(job: jobs.Job) -> ToolJob:
    reached = job.reached
    return ToolJob(job.id, job.state.value, reached.chunks, reached.chunks_read, _outcome(job), _problem(job))


def _outcome(job: jobs.Job) -> Outcome | None:
    report = job.report
    if report is None or report["stopped"] or report["skipped"]:
        return None
    return "added" if report["added"] else "replaced" if report["changed"] else "unchanged"


def _problem(job: jobs.Job) -> str:
    """Why a document was not read; of one that was, why some of its chunks were not."""
    report = job.report or {"skipped": (), "failed": ()}
    reasons = [*(one["reason"] for one in report["skipped"]), *(one["reason"] for one in report["failed"])]
    return job.problem or "; ".join(dict.fromkeys(reasons))
