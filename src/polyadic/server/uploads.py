"""Receive uploaded files and texts, and queue a job for them."""

import re
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.requests import Request

from polyadic.concurrency.run_in_thread import run_in_thread
from polyadic.model.identity import digest, document_id
from polyadic.query.source_names import RelativeNames
from polyadic.server.file_names import distinct, sanitize_file_name, sanitize_file_path
from polyadic.server.jobs.job import Job, JobRequest
from polyadic.server.jobs.upload import SCHEME, Upload, UploadedText
from polyadic.server.problem_details import ProblemError
from polyadic.server.server_state import ServerState
from polyadic.workspace import Workspace

TEXT_SCHEME = "text:"
_FIELDS = 20
_LONGEST_NAME = 500
# Disk space needed: the upload, its copy, and the data derived from it, plus a reserve.
_SPACE_FACTOR, _RESERVE_BYTES = 4, 64_000_000


async def upload_files(
    service: ServerState,
    workspace: str,
    kb: Workspace,
    request: Request,
    job_request: JobRequest,
    field: str = "files",
    identifier: str = "",
    folders: bool = False,
) -> Job:
    """Stream the files of a form to disk, and queue a job that indexes them.

    Files of the same name are numbered. The request of the job lists files that were renamed, and documents that will
    be replaced.

    Parameters
    ----------
    service, workspace, kb, job_request
        The server state, the workspace by name and open, and how to index the files.
    request
        The request; its body has not been read yet.
    field
        Form field that holds the files.
    identifier
        Id of the job; random by default.
    folders
        Whether the folders of a file are part of its name.

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
    async with service.uploads, _receiving(service, workspace, identifier, request) as upload:
        async with request.form(max_files=service.limits.upload_files, max_fields=_FIELDS) as form:
            files = [item for name, item in form.multi_items() if name == field and isinstance(item, UploadFile)]
            if not files:
                raise ProblemError(422, "no-files", f"the form has no files in its field {field}")
            names = distinct([_checked_name(file, folders) for file in files])
            for name, file in zip(names, files, strict=True):
                await run_in_thread(upload.add_file, name, file.file)
        documents = await run_in_thread(upload.finish)
        sent = {name: _as_sent(file, folders) for name, file in zip(names, files, strict=True)}
        described = replace(
            job_request,
            renamed={name: was for name, was in sent.items() if name != was},
            replaces=await run_in_thread(_existing, kb, [f"{SCHEME}{name}" for name in names]),
        )
        return await service.jobs.add(workspace, described, upload, documents)


async def upload_texts(
    service: ServerState,
    workspace: str,
    kb: Workspace,
    texts: Sequence[UploadedText],
    job_request: JobRequest,
    identifier: str = "",
) -> Job:
    """Store texts, and queue a job that indexes them; a text without a source gets one derived from its content.

    The request of the job lists documents that will be replaced. ``identifier`` is the id of the job.
    """
    named = [replace(text, source=text.source or f"{TEXT_SCHEME}{digest(text.text)}") for text in texts]
    async with _receiving(service, workspace, identifier) as upload:
        for text in named:
            await run_in_thread(upload.add_text, text)
        documents = await run_in_thread(upload.finish)
        described = replace(job_request, replaces=await run_in_thread(_existing, kb, [text.source for text in named]))
        return await service.jobs.add(workspace, described, upload, documents)


@asynccontextmanager
async def _receiving(
    service: ServerState, workspace: str, identifier: str, request: Request | None = None
) -> AsyncIterator[Upload]:
    """Yield a folder for an upload, which is removed if the upload fails."""
    await service.jobs.check_room(workspace)
    size = int(request.headers.get("content-length", service.limits.upload_bytes)) if request else 0
    _check_disk(service.tenants.scratch_folder, size)
    upload = service.tenants.upload_store.new_upload(workspace, identifier)
    try:
        yield upload
    except BaseException:
        upload.remove()
        raise


def _check_disk(folder: Path, size: int) -> None:
    if shutil.disk_usage(folder).free < _SPACE_FACTOR * size + _RESERVE_BYTES:
        raise ProblemError(507, "no-room", "the server's disk has no space for this upload")


def _existing(kb: Workspace, sources: Sequence[str]) -> list[str]:
    """Return the names of the sources among these that have a document, or documents for rows (``SOURCE#ROW``)."""
    with kb.store().read() as reader:
        names, found = RelativeNames.of(reader), []
        for source in dict.fromkeys(sources):
            rows = f"{source}#"
            following = reader.records.listed(rows, 1).documents
            if reader.records.record(document_id(source)) or any(one.source.startswith(rows) for one in following):
                found.append(names.shown(source))
        return found


def _as_sent(file: UploadFile, folders: bool) -> str:
    """Return the file name that a client sent, without characters that cannot be shown, and without its folders."""
    parts = re.split(r"[\\/]", file.filename or "")
    name = "/".join(parts) if folders else parts[-1]
    return "".join(character if character.isprintable() else "_" for character in name)[:_LONGEST_NAME]


def _checked_name(file: UploadFile, folders: bool) -> str:
    sanitize = sanitize_file_path if folders else sanitize_file_name
    name = sanitize(file.filename or "")
    if name is None:
        raise ProblemError(415, "unknown-format", "unsupported file type: polyadic index --help lists the formats")
    return name
