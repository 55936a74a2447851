"""LightRAG-compatible routes for documents: add, list and delete them, and follow their indexing.

A LightRAG server tracks each document on its way to the index. Here a job indexes the documents of a request together,
so ``track_status`` has one entry for a job, and the lists contain the documents that have been published.
"""

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

from polyadic.errors import StoreBusy
from polyadic.indexing.publisher import withdraw
from polyadic.query.shown_source_names import RelativeNames
from polyadic.server.dependencies import Caller, Served
from polyadic.server.jobs.job import UNFINISHED, Job, JobRequest, JobState
from polyadic.server.jobs.uploads import UploadedText
from polyadic.server.lightrag_document_schemas import (
    DocumentStatus,
    LightRAGCancelResponse,
    LightRAGDeleteRequest,
    LightRAGDeleteResponse,
    LightRAGDocument,
    LightRAGDocumentPage,
    LightRAGDocumentsRequest,
    LightRAGInsertResponse,
    LightRAGPagination,
    LightRAGPipelineStatus,
    LightRAGStatusCounts,
    LightRAGStatuses,
    LightRAGTextRequest,
    LightRAGTextsRequest,
    LightRAGTrackStatus,
)
from polyadic.server.lightrag_workspace import file_path, one_line
from polyadic.server.openapi import errors
from polyadic.server.problem_details import not_found
from polyadic.server.schemas import Identifier
from polyadic.server.upload_requests import TEXT_SCHEME, upload_files, upload_texts
from polyadic.storage.protocol import DocumentRecord
from polyadic.workspace import Workspace

_MOST_LISTED = 1000
_JOBS_SHOWN = 20
_STATUSES: dict[JobState, DocumentStatus] = {
    JobState.QUEUED: "pending",
    JobState.RUNNING: "processing",
    JobState.SUCCEEDED: "processed",
    JobState.PARTLY: "failed",
    JobState.FAILED: "failed",
    JobState.CANCELLED: "failed",
}


def add_document_routes(router: APIRouter, name: Any, where_named: str) -> None:
    """Add the routes; the dependency ``name`` gives the workspace name, ``where_named`` ends each summary."""
    _add_insertion(router, name, where_named)
    _add_listing(router, name, where_named)
    _add_deletion(router, name, where_named)
    _add_jobs(router, name, where_named)


def _add_insertion(router: APIRouter, name: Any, where_named: str) -> None:
    where = Annotated[str, Depends(name)]

    async def text(
        asked: LightRAGTextRequest, workspace: where, service: Served, key: Caller
    ) -> LightRAGInsertResponse:
        """Add a text; a job reads it. ``file_source`` identifies the document."""
        new = _uploaded(asked.text, asked.file_source, asked.description)
        async with service.workspaces.opened(workspace, key, "write") as kb:
            job = await upload_texts(service, workspace, kb, [new], JobRequest())
        return LightRAGInsertResponse(track_id=job.id)

    async def texts(
        asked: LightRAGTextsRequest, workspace: where, service: Served, key: Caller
    ) -> LightRAGInsertResponse:
        """Add texts; a job reads them. ``file_sources`` identify the documents, in the order of the texts."""
        sources = [*(asked.file_sources or []), *[None] * len(asked.texts)]
        new = [_uploaded(text, source, None) for text, source in zip(asked.texts, sources, strict=False)]
        async with service.workspaces.opened(workspace, key, "write") as kb:
            job = await upload_texts(service, workspace, kb, new, JobRequest())
        return LightRAGInsertResponse(track_id=job.id)

    async def upload(workspace: where, service: Served, key: Caller, request: Request) -> LightRAGInsertResponse:
        """Add a file; a job reads it. The file name identifies the document."""
        async with service.workspaces.opened(workspace, key, "write") as kb:
            job = await upload_files(service, workspace, kb, request, JobRequest(), "file")
        return LightRAGInsertResponse(track_id=job.id)

    full = errors(507)
    router.post("/documents/text", summary=f"LightRAG: add a text{where_named}", responses=full)(text)
    router.post("/documents/texts", summary=f"LightRAG: add texts{where_named}", responses=full)(texts)
    router.post("/documents/upload", summary=f"LightRAG: upload a file{where_named}", openapi_extra=_FILE)(upload)


def _add_listing(router: APIRouter, name: Any, where_named: str) -> None:
    where = Annotated[str, Depends(name)]

    async def statuses(workspace: where, service: Served, key: Caller) -> LightRAGStatuses:
        """List the documents by status. Documents that are still being indexed are not listed."""
        async with service.workspaces.opened(workspace, key, "read") as kb:
            records, _ = await service.run_admitted(_first, kb, _MOST_LISTED)
        return LightRAGStatuses(statuses={"processed": [_document(record) for record in records]})

    async def paginated(
        asked: LightRAGDocumentsRequest, workspace: where, service: Served, key: Caller
    ) -> LightRAGDocumentPage:
        """List the documents in pages, by file path. Documents that are still being indexed are not listed."""
        start = (asked.page - 1) * asked.page_size
        async with service.workspaces.opened(workspace, key, "read") as kb:
            records, total = await service.run_admitted(_first, kb, start + asked.page_size)
        shown = [_document(record) for record in records[start:]] if asked.includes_processed else []
        count = total if asked.includes_processed else 0
        pages = -(-count // asked.page_size)
        return LightRAGDocumentPage(
            documents=shown,
            pagination=LightRAGPagination(
                page=asked.page,
                page_size=asked.page_size,
                total_count=count,
                total_pages=pages,
                has_next=asked.page < pages,
                has_prev=asked.page > 1,
            ),
            status_counts={"all": total, "processed": total},
        )

    async def counts(workspace: where, service: Served, key: Caller) -> LightRAGStatusCounts:
        """Count the documents by status."""
        async with service.workspaces.opened(workspace, key, "read") as kb:
            _, total = await service.run_admitted(_first, kb, 1)
        return LightRAGStatusCounts(status_counts={"all": total, "processed": total})

    slow = errors(504)
    router.get("/documents", summary=f"LightRAG: list documents{where_named}", responses=slow)(statuses)
    router.post("/documents/paginated", summary=f"LightRAG: list documents in pages{where_named}", responses=slow)(
        paginated
    )
    router.get("/documents/status_counts", summary=f"LightRAG: count documents{where_named}", responses=slow)(counts)


def _add_deletion(router: APIRouter, name: Any, where_named: str) -> None:
    where = Annotated[str, Depends(name)]

    async def delete(
        asked: LightRAGDeleteRequest, workspace: where, service: Served, key: Caller
    ) -> LightRAGDeleteResponse:
        """Delete documents by id, before the response is sent. `busy` while documents are being indexed."""
        identifiers = list(dict.fromkeys(asked.doc_ids))
        shown = ", ".join(identifiers)
        async with service.workspaces.opened(workspace, key, "write") as kb:
            await service.run_admitted(_check_documents, kb, identifiers)
            try:
                await service.work.run(withdraw(kb.store(), identifiers, lambda: kb.embedder))
            except StoreBusy:
                detail = "Documents are being indexed: try again when the jobs have ended."
                return LightRAGDeleteResponse(status="busy", message=detail, doc_id=shown)
        detail = "1 document was deleted." if len(identifiers) == 1 else f"{len(identifiers)} documents were deleted."
        return LightRAGDeleteResponse(status="deletion_started", message=detail, doc_id=shown)

    router.delete(
        "/documents/delete_document", summary=f"LightRAG: delete documents{where_named}", responses=errors(502, 504)
    )(delete)


def _add_jobs(router: APIRouter, name: Any, where_named: str) -> None:
    where = Annotated[str, Depends(name)]

    async def track(track_id: Identifier, workspace: where, service: Served, key: Caller) -> LightRAGTrackStatus:
        """Return the state of the job that indexes the documents of a request."""
        async with service.workspaces.opened(workspace, key, "read-all"):
            job = await service.jobs.job(track_id, workspace)
        status = _STATUSES[job.state]
        return LightRAGTrackStatus(
            track_id=job.id,
            documents=[_of_job(job)],
            total_count=job.documents,
            status_summary={status: job.documents},
        )

    async def pipeline(workspace: where, service: Served, key: Caller) -> LightRAGPipelineStatus:
        """Return the progress of the queued and running jobs."""
        async with service.workspaces.opened(workspace, key, "read-all"):
            return _pipeline(await service.jobs.jobs(workspace, _MOST_LISTED))

    async def cancel(workspace: where, service: Served, key: Caller) -> LightRAGCancelResponse:
        """Cancel all queued and running jobs."""
        async with service.workspaces.opened(workspace, key, "write"):
            unfinished = [job for job in await service.jobs.jobs(workspace, _MOST_LISTED) if job.state in UNFINISHED]
            for job in unfinished:
                await service.jobs.cancel(job.id, workspace)
        if not unfinished:
            return LightRAGCancelResponse(status="not_busy", message="No job is queued or running.")
        return LightRAGCancelResponse(
            status="cancellation_requested", message=f"{len(unfinished)} jobs were asked to stop."
        )

    async def reprocess(workspace: where, service: Served, key: Caller) -> LightRAGInsertResponse:
        """Start a job that extracts again from all chunks whose extraction failed."""
        async with service.workspaces.opened(workspace, key, "write"):
            upload = service.tenants.upload_store.new_upload(workspace)
            job = await service.jobs.add(workspace, JobRequest("retry"), upload, 0)
        return LightRAGInsertResponse(
            status="reprocessing_started", message="Failed chunks are extracted again.", track_id=job.id
        )

    router.get("/documents/track_status/{track_id}", summary=f"LightRAG: track documents{where_named}")(track)
    router.get("/documents/pipeline_status", summary=f"LightRAG: get the pipeline status{where_named}")(pipeline)
    router.post("/documents/cancel_pipeline", summary=f"LightRAG: cancel the pipeline{where_named}")(cancel)
    router.post("/documents/reprocess_failed", summary=f"LightRAG: reprocess failed documents{where_named}")(reprocess)


_FILE = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}


def _uploaded(text: str, source: str | None, description: str | None) -> UploadedText:
    named = f"{TEXT_SCHEME}{one_line(source)}" if source else ""
    return UploadedText(named, one_line(description or source or ""), text)


def _first(kb: Workspace, count: int) -> tuple[list[DocumentRecord], int]:
    """Return the first documents by source, and the number of all documents."""
    with kb.store().read() as reader:
        page = reader.records.listed(None, count)
        return RelativeNames.of(reader).applied(list(page.documents)), page.total


def _check_documents(kb: Workspace, identifiers: list[str]) -> None:
    with kb.store().read() as reader:
        if not all(reader.records.record(identifier) for identifier in identifiers):
            raise not_found("document")


def _document(record: DocumentRecord) -> LightRAGDocument:
    return LightRAGDocument(
        id=record.id,
        content_summary=record.title,
        content_length=record.characters,
        status="processed",
        chunks_count=record.chunks,
        error_msg=f"{record.failed} chunks could not be read" if record.failed else None,
        metadata=dict(record.metadata),
        file_path=file_path(record.source),
    )


def _of_job(job: Job) -> LightRAGDocument:
    return LightRAGDocument(
        id=job.id,
        content_summary=_summary(job),
        content_length=0,
        status=_STATUSES[job.state],
        created_at=job.created,
        updated_at=job.ended or job.started or job.created,
        track_id=job.id,
        chunks_count=job.progress.chunks,
        error_msg=job.problem or None,
        file_path=_summary(job),
    )


def _pipeline(latest: list[Job]) -> LightRAGPipelineStatus:
    unfinished = [job for job in reversed(latest) if job.state in UNFINISHED]
    running = [job for job in unfinished if job.state is JobState.RUNNING]
    states = Counter(job.state for job in unfinished)
    messages = [f"{job.created} {_summary(job)}: {job.state}" for job in reversed(latest[:_JOBS_SHOWN])]
    return LightRAGPipelineStatus(
        busy=bool(unfinished),
        job_name=_summary(running[0]) if running else "",
        job_start=running[0].started if running else None,
        docs=sum(job.documents for job in unfinished),
        batchs=sum(job.progress.chunks for job in running),
        cur_batch=sum(job.progress.chunks_read for job in running),
        request_pending=states[JobState.QUEUED] > 0,
        latest_message=messages[-1] if messages else "",
        history_messages=messages,
    )


def _summary(job: Job) -> str:
    if job.request.kind == "retry":
        return "failed chunks"
    if job.request.kind == "hierarchy":
        return "hierarchy"
    if job.request.kind == "folder":
        return "watched folder"
    return "1 document" if job.documents == 1 else f"{job.documents} documents"
