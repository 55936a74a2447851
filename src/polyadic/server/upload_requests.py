"""Receive uploaded files and texts, name the files safely and distinctly, and queue a job for them."""

import hashlib
import json
import re
import shutil
import unicodedata
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from starlette.datastructures import UploadFile
from starlette.requests import Request

from polyadic.concurrency.run_in_thread import run_in_thread
from polyadic.loaders.compression import whole_suffix
from polyadic.loaders.loader import is_readable
from polyadic.model.identity import digest, document_id
from polyadic.query.shown_source_names import RelativeNames
from polyadic.server.jobs.job import Job, JobRequest
from polyadic.server.jobs.uploads import SCHEME, Upload, UploadedText
from polyadic.server.problem_details import ProblemError
from polyadic.server.server_state import ServerState
from polyadic.workspace import Workspace

TEXT_SCHEME = "text:"
_FIELDS = 20
_BLOCK_BYTES = 1 << 20
_LONGEST_NAME = 500
# Disk space needed: the upload, its copy, and the data derived from it, plus a reserve.
_SPACE_FACTOR, _RESERVE_BYTES = 4, 64_000_000

_MAX_NAME_BYTES = 120
_MAX_SUFFIX_BYTES = 40
_MAX_FOLDER_BYTES = 600
_RESERVED = ':*?"<>|#'
# Replaced by full-width forms, which look alike but have no meaning in paths and sources; so names stay distinct.
_FULL_WIDTH = str.maketrans({character: chr(ord(character) + 0xFEE0) for character in _RESERVED})
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


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
    async with _upload_slot(service, request), _receiving(service, workspace, identifier, request) as upload:
        async with _form_files(service, request, field) as files:
            with_ocr = kb.settings.ocr.engine != "off"
            names = distinct([_checked_name(file, folders, with_ocr) for file in files])
            for name, file in zip(names, files, strict=True):
                await run_in_thread(upload.add_file, name, file.file)
            described = await run_in_thread(_file_request, job_request, files, folders)
        documents = await run_in_thread(upload.finish)
        sent = {name: _as_sent(file, folders) for name, file in zip(names, files, strict=True)}
        described = replace(
            described,
            name=names[0] if len(names) == 1 else "",
            renamed={name: was for name, was in sent.items() if name != was},
            replaces=await run_in_thread(_existing, kb, [f"{SCHEME}{name}" for name in names]),
        )
        return await service.jobs.add(workspace, described, upload, documents)


async def read_upload_request(
    service: ServerState, request: Request, job_request: JobRequest, field: str = "files", folders: bool = False
) -> JobRequest:
    """Receive the files of a repeated upload, and return its job request with the digest of their content.

    Raises
    ------
    ProblemError
        As for :func:`upload_files`.
    """
    async with _upload_slot(service, request):
        _check_disk(service, request)
        async with _form_files(service, request, field) as files:
            return await run_in_thread(_file_request, job_request, files, folders)


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
        replaced = await run_in_thread(_existing, kb, [text.source for text in named])
        name = texts[0].title if len(texts) == 1 else ""
        described = replace(text_request(job_request, texts), name=name, replaces=replaced)
        return await service.jobs.add(workspace, described, upload, documents)


def text_request(job_request: JobRequest, texts: Sequence[UploadedText]) -> JobRequest:
    """Return a job request with the digest of the texts that were sent."""
    return job_request.with_content(*(json.dumps(asdict(text), sort_keys=True) for text in texts))


def _file_request(job_request: JobRequest, files: Sequence[UploadFile], folders: bool) -> JobRequest:
    """Return a job request with the digest of the names and the content of files."""
    parts: list[str] = []
    for file in files:
        file.file.seek(0)
        parts += (_as_sent(file, folders), _digest_of(file.file))
    return job_request.with_content(*parts)


def _digest_of(content: BinaryIO) -> str:
    hashed = hashlib.blake2b()
    while block := content.read(_BLOCK_BYTES):
        hashed.update(block)
    return hashed.hexdigest()


@asynccontextmanager
async def _upload_slot(service: ServerState, request: Request) -> AsyncIterator[None]:
    """Take one of the places for uploads, for a request with a form."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise ProblemError(415, "no-form", "files are uploaded as multipart/form-data")
    if service.uploads.locked():
        raise ProblemError(503, "too-many-uploads", "too many uploads are under way", {"Retry-After": "10"})
    async with service.uploads:
        yield


@asynccontextmanager
async def _form_files(service: ServerState, request: Request, field: str) -> AsyncIterator[list[UploadFile]]:
    """Stream the files of a form to disk and yield them; at least one."""
    async with request.form(max_files=service.limits.upload_files, max_fields=_FIELDS) as form:
        files = [item for name, item in form.multi_items() if name == field and isinstance(item, UploadFile)]
        if not files:
            raise ProblemError(422, "no-files", f"the form has no files in its field {field}")
        yield files


@asynccontextmanager
async def _receiving(
    service: ServerState, workspace: str, identifier: str, request: Request | None = None
) -> AsyncIterator[Upload]:
    """Yield a folder for an upload, which is removed if the upload fails."""
    await service.jobs.check_room(workspace)
    _check_disk(service, request)
    upload = service.tenants.upload_store.new_upload(workspace, identifier)
    try:
        yield upload
    except BaseException:
        upload.remove()
        raise


def _check_disk(service: ServerState, request: Request | None) -> None:
    size = int(request.headers.get("content-length", service.limits.upload_bytes)) if request else 0
    if shutil.disk_usage(service.tenants.scratch_folder).free < _SPACE_FACTOR * size + _RESERVE_BYTES:
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


def _checked_name(file: UploadFile, folders: bool, with_ocr: bool) -> str:
    sanitize = _sanitize_file_path if folders else _sanitize_file_name
    name = sanitize(file.filename or "", with_ocr)
    if name is None:
        what = f"{_as_sent(file, folders)}: unsupported file type; no file of this upload was stored"
        raise ProblemError(415, "unknown-format", what)
    return name


def _sanitize_file_name(file_name: str, with_ocr: bool = False) -> str | None:
    """Sanitize a file name; return None if nothing is left or the file type is not supported, as pictures without OCR.

    >>> names = "../../etc/passwd.txt", "C:\\\\Report 1.PDF", "a.exe", "...", "Why?.md"
    >>> [_sanitize_file_name(name) for name in names]
    ['passwd.txt', 'Report 1.PDF', None, None, 'Why？.md']
    """
    name = _sanitize_part(_parts(file_name)[-1])
    if not Path(name).stem or not is_readable(name, with_ocr):
        return None
    return _shortened(name)


def _sanitize_file_path(file_path: str, with_ocr: bool = False) -> str | None:
    """Sanitize a file name with its folders; as for :func:`_sanitize_file_name`, no part leads upwards.

    >>> names = "letters/1843/ada.md", "../../etc/passwd.txt", "C:\\\\Docs\\\\Why?.md", "docs/a.exe"
    >>> [_sanitize_file_path(name) for name in names]
    ['letters/1843/ada.md', 'etc/passwd.txt', 'C：/Docs/Why？.md', None]
    """
    name = _sanitize_file_name(file_path, with_ocr)
    if name is None:
        return None
    folders = "/".join(_shortened(part) for part in map(_sanitize_part, _parts(file_path)[:-1]) if part)
    if len(folders.encode()) > _MAX_FOLDER_BYTES:
        folders = f"~{digest(folders)[:8]}"
    return f"{folders}/{name}" if folders else name


def distinct(names: Sequence[str]) -> list[str]:
    """Number all but the first of equal names.

    >>> distinct(["a.md", "a.md", "a (2).md", "b.md", "a.md"])
    ['a.md', 'a (3).md', 'a (2).md', 'b.md', 'a (4).md']
    >>> distinct(["data.csv.gz", "data.csv.gz"])
    ['data.csv.gz', 'data (2).csv.gz']
    >>> distinct(["x/a.md", "y/a.md", "x/a.md"])
    ['x/a.md', 'y/a.md', 'x/a (2).md']
    """
    taken, used = set(names), set[str]()
    numbered = []
    for name in names:
        unique, number = name, 1
        while unique in used or (number > 1 and unique in taken):
            number += 1
            path = PurePosixPath(name)
            suffix = whole_suffix(path.name)
            unique = str(path.with_name(_shortened(f"{path.name.removesuffix(suffix)} ({number}){suffix}")))
        used.add(unique)
        numbered.append(unique)
    return numbered


def _parts(file_path: str) -> list[str]:
    return re.split(r"[\\/]", unicodedata.normalize("NFC", file_path))


def _sanitize_part(part: str) -> str:
    return " ".join(_FORBIDDEN.sub("_", part).translate(_FULL_WIDTH).split()).lstrip(". ")


def _shortened(name: str) -> str:
    """Shorten a long name; a digest of the whole name keeps it different from others with the same beginning.

    >>> len(_shortened("a." + "1" * 200)), _shortened("a" * 200 + ".csv.gz")[-7:]
    (120, '.csv.gz')
    """
    if len(name.encode()) <= _MAX_NAME_BYTES:
        return name
    suffixes = (whole_suffix(name), Path(name).suffix, "")
    suffix = next(one for one in suffixes if len(one.encode()) <= _MAX_SUFFIX_BYTES)
    stem, tail = name.removesuffix(suffix), f"~{digest(name)[:8]}{suffix}"
    while len(f"{stem}{tail}".encode()) > _MAX_NAME_BYTES:
        stem = stem[:-1]
    return f"{stem}{tail}"
