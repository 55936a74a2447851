"""Receive uploaded files and texts, and queue a job for them."""

import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.requests import Request

from polyadic.concurrency.run_in_thread import run_in_thread
from polyadic.model.identity import digest
from polyadic.server.jobs.job import Job, JobRequest
from polyadic.server.jobs.upload import Upload, UploadedText, sanitize_file_name
from polyadic.server.problem_details import ProblemError
from polyadic.server.server_state import ServerState

TEXT_SCHEME = "text:"
_FIELDS = 20
# Disk space needed: the upload, its copy, and the data derived from it, plus a reserve.
_SPACE_FACTOR, _RESERVE_BYTES = 4, 64_000_000


async def upload_files(
    service: ServerState,
    workspace: str,
    request: Request,
    job_request: JobRequest,
    field: str = "files",
    source: str = "",
) -> Job:
    """Stream the files of a form to disk, and queue a job that indexes them.

    Parameters
    ----------
    service, workspace, job_request
        The server state, the workspace, and how to index the files.
    request
        The request; its body has not been read yet.
    field
        Form field that holds the files.
    source
        Source of the document if there is a single file; the file name by default.

    Raises
    ------
    ProblemError
        The form has no such files (422), the request is no form or a file type is not supported (415), or there is no
        room (503, 507).
    """
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise ProblemError(415, "no-form", "files are uploaded as multipart/form-data")
    if service.uploads.locked():
        raise ProblemError(503, "too-many-uploads", "too many uploads are under way", {"Retry-After": "10"})
    async with service.uploads, _receiving(service, workspace, request) as upload:
        async with request.form(max_files=service.limits.upload_files, max_fields=_FIELDS) as form:
            files = [item for name, item in form.multi_items() if name == field and isinstance(item, UploadFile)]
            if not files:
                raise ProblemError(422, "no-files", f"the form has no files in its field {field}")
            for name, file in [(_checked_name(file), file) for file in files]:
                await run_in_thread(upload.add_file, name, file.file, source if len(files) == 1 else "")
        documents = await run_in_thread(upload.finish)
        return await service.jobs.add(workspace, job_request, upload, documents)


async def upload_texts(
    service: ServerState, workspace: str, texts: Sequence[UploadedText], job_request: JobRequest
) -> Job:
    """Store texts, and queue a job that indexes them; a text without a source gets one derived from its content."""
    named = [replace(text, source=text.source or f"{TEXT_SCHEME}{digest(text.text)}") for text in texts]
    async with _receiving(service, workspace) as upload:
        for text in named:
            await run_in_thread(upload.add_text, text)
        documents = await run_in_thread(upload.finish)
        return await service.jobs.add(workspace, job_request, upload, documents)


@asynccontextmanager
async def _receiving(service: ServerState, workspace: str, request: Request | None = None) -> AsyncIterator[Upload]:
    """Yield a folder for an upload, which is removed if the upload fails."""
    await service.jobs.check_room(workspace)
    size = int(request.headers.get("content-length", service.limits.upload_bytes)) if request else 0
    _check_disk(service.tenants.scratch_folder, size)
    upload = service.tenants.upload_store.new_upload(workspace)
    try:
        yield upload
    except BaseException:
        upload.remove()
        raise


def _check_disk(folder: Path, size: int) -> None:
    if shutil.disk_usage(folder).free < _SPACE_FACTOR * size + _RESERVE_BYTES:
        raise ProblemError(507, "no-room", "the server's disk has no space for this upload")


def _checked_name(file: UploadFile) -> str:
    name = sanitize_file_name(file.filename or "")
    if name is None:
        raise ProblemError(415, "unknown-format", "unsupported file type: polyadic index --help lists the formats")
    return name
