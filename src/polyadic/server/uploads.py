"""Taking files and texts from a request to a job."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.requests import Request

from polyadic.model.identity import digest
from polyadic.server.jobs.job import Job, JobRequest
from polyadic.server.jobs.upload import Upload, UploadedText, safe_name
from polyadic.server.problem_details import ProblemError
from polyadic.server.service import ServerState

TEXT_SCHEME = "text:"
_FIELDS = 20
# The upload itself, its copy, and what is made of it.
_TIMES_THE_SIZE, _ROOM = 4, 64_000_000


async def hand_in_files(
    service: ServerState, workspace: str, request: Request, wish: JobRequest, field: str = "files", source: str = ""
) -> Job:
    """Keep the files of a form, streamed to disk, and queue a job that reads them.

    Parameters
    ----------
    service, workspace, wish
        Where, into what, and how they are to be read.
    request
        Its body has not been read yet.
    field
        Of the form, in which the files are.
    source
        Of a single file's document, if it is not to be its name.

    Raises
    ------
    Refused
        It is no form with such files (422), one of them is of no known kind (415), or there is no room (503, 507).
    """
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise ProblemError(415, "no-form", "files are uploaded as multipart/form-data")
    if service.uploads.locked():
        raise ProblemError(503, "too-many-uploads", "too many uploads are under way", {"Retry-After": "10"})
    async with service.uploads, _handed_in(service, workspace, request) as incoming:
        async with request.form(max_files=service.limits.upload_files, max_fields=_FIELDS) as form:
            files = [one for name, one in form.multi_items() if name == field and isinstance(one, UploadFile)]
            if not files:
                raise ProblemError(422, "no-files", f"the form has no files in its field {field}")
            for name, file in [(_name(file), file) for file in files]:
                await asyncio.to_thread(incoming.add_file, name, file.file, source if len(files) == 1 else "")
        documents = await asyncio.to_thread(incoming.finish)
        return await service.jobs.add(workspace, wish, incoming, documents)


async def hand_in_texts(service: ServerState, workspace: str, texts: Sequence[UploadedText], wish: JobRequest) -> Job:
    """Keep texts, and queue a job that reads them; one without a source has its content for one."""
    named = [replace(text, source=text.source or f"{TEXT_SCHEME}{digest(text.text)}") for text in texts]
    async with _handed_in(service, workspace) as incoming:
        for text in named:
            await asyncio.to_thread(incoming.add_text, text)
        documents = await asyncio.to_thread(incoming.finish)
        return await service.jobs.add(workspace, wish, incoming, documents)


@asynccontextmanager
async def _handed_in(service: ServerState, workspace: str, request: Request | None = None) -> AsyncIterator[Upload]:
    """A folder for what is handed in, of which nothing stays if that goes wrong."""
    await service.jobs.check_room(workspace)
    size = int(request.headers.get("content-length", service.limits.upload_bytes)) if request else 0
    _check_disk(service.site.aside, size)
    incoming = service.site.intake.incoming(workspace)
    try:
        yield incoming
    except BaseException:
        incoming.remove()
        raise


def _check_disk(folder: Path, size: int) -> None:
    if shutil.disk_usage(folder).free < _TIMES_THE_SIZE * size + _ROOM:
        raise ProblemError(507, "no-room", "the server's disk has no room for this")


def _name(file: UploadFile) -> str:
    name = safe_name(file.filename or "")
    if name is None:
        raise ProblemError(415, "unknown-format", "unsupported file type: polyadic index --help lists the formats")
    return name
