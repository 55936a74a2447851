"""Indexing jobs for MCP tools, one document each, with a short wait. Needs the extra ``mcp``."""

import asyncio
from contextlib import aclosing, suppress

from polyadic.mcp.request_context import Outcome, ToolJob
from polyadic.model.types import Document
from polyadic.server.api_keys import ApiKey
from polyadic.server.jobs import job as jobs
from polyadic.server.jobs.uploads import UploadedText
from polyadic.server.problem_details import not_found
from polyadic.server.server_state import ServerState
from polyadic.server.upload_requests import upload_texts

_PATIENCE = 10.0
"""How long to wait for a document's job: a short document is indexed by then, and no client has timed out."""


class McpJobs:
    """The jobs of one workspace; implements :class:`polyadic.mcp.request_context.ToolJobs`.

    Parameters
    ----------
    service, key, workspace
        Server state, API key and workspace; the caller has checked that the key opens the workspace.
    """

    def __init__(self, service: ServerState, key: ApiKey, workspace: str) -> None:
        self._service = service
        self._key = key
        self._workspace = workspace

    async def upload(self, document: Document) -> ToolJob:
        text = UploadedText(document.source, document.title, document.text, dict(document.metadata))
        async with self._service.workspaces.opened(self._workspace, self._key, "write") as kb:
            job = await upload_texts(self._service, self._workspace, kb, [text], jobs.JobRequest())
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self._ended(job.id)
        return await self.job(job.id)

    async def job(self, identifier: str) -> ToolJob:
        job = await self._service.jobs.job(identifier, self._workspace)
        if job.request.kind == "hierarchy":
            # It indexes no document.
            raise not_found("job")
        return _tool_job(job)

    async def _ended(self, identifier: str) -> None:
        async with aclosing(self._service.jobs.watch(identifier, self._workspace)) as changes:
            async for _ in changes:
                pass


def _tool_job(job: jobs.Job) -> ToolJob:
    progress = job.progress
    return ToolJob(job.id, job.state.value, progress.chunks, progress.chunks_read, _outcome(job), _problem(job))


def _outcome(job: jobs.Job) -> Outcome | None:
    report = job.report
    if report is None or report["stopped"] or report["skipped"]:
        return None
    return "added" if report["added"] else "replaced" if report["changed"] else "unchanged"


def _problem(job: jobs.Job) -> str:
    """Return why the document was not indexed, or why some of its chunks were not."""
    report = job.report or {"skipped": (), "failed": ()}
    reasons = [*(entry["reason"] for entry in report["skipped"]), *(entry["reason"] for entry in report["failed"])]
    return job.problem or "; ".join(dict.fromkeys(reasons))
