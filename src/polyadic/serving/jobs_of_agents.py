"""Jobs as agents see them (MCP): one document each, and waited for a little. Needs the extra ``mcp``."""

import asyncio
from contextlib import aclosing, suppress

from polyadic.knowledge import Document
from polyadic.mcp.jobs import Job, Outcome
from polyadic.serving.handing_in import hand_in_texts
from polyadic.serving.jobs import job as jobs
from polyadic.serving.jobs.incoming import Text
from polyadic.serving.service import Service

_PATIENCE = 10.0
"""Seconds for which a document's job is waited for: a short one is read by then, and no client has given up."""


class JobsOfAgents:
    """The jobs of one workspace; what :class:`polyadic.mcp.jobs.Jobs` is to be.

    Parameters
    ----------
    service, workspace
        Whose jobs; the caller has seen to it that the key opens the workspace.
    """

    def __init__(self, service: Service, workspace: str) -> None:
        self._service = service
        self._workspace = workspace

    async def hand_in(self, document: Document) -> Job:
        text = Text(document.source, document.title, document.text, dict(document.metadata))
        job = await hand_in_texts(self._service, self._workspace, [text], jobs.Wish())
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self._ended(job.id)
        return await self.job(job.id)

    async def job(self, identifier: str) -> Job:
        return _told(await self._service.jobs.job(identifier, self._workspace))

    async def _ended(self, identifier: str) -> None:
        async with aclosing(self._service.jobs.watch(identifier, self._workspace)) as changes:
            async for _ in changes:
                pass


def _told(job: jobs.Job) -> Job:
    reached = job.reached
    return Job(job.id, job.state.value, reached.chunks, reached.chunks_read, _outcome(job), _problem(job))


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
