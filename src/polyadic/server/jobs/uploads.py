"""Uploaded files and texts, kept until a job has read them: their folder, and the store of the folders.

File names given by clients are sanitized, and the files are stored in numbered folders; folders in a name are part of
the document's source only. The source is ``upload:NAME``, so uploading the same name again replaces the document.
"""

import asyncio
import json
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

from polyadic.config import ReadingSettings
from polyadic.loaders.loader import SkippedInput, read_documents
from polyadic.loaders.ocr.captions import Captioner, Captions, Picture
from polyadic.loaders.ocr.page_recognizer import PageRecognizer, RecognizedPages
from polyadic.model.identity import document_id
from polyadic.model.types import Document
from polyadic.server.jobs.job import Job

SCHEME = "upload:"
LIST = "uploads.jsonl"
_BLOCK_BYTES = 1 << 20

UPLOADS = ".uploads"
"""Subfolder of a workspace for uploads that have not been read yet."""


@dataclass(frozen=True, slots=True)
class UploadedText:
    """An uploaded text; ``source`` identifies it."""

    source: str
    title: str
    text: str
    metadata: dict[str, str] = field(default_factory=dict)

    def document(self) -> Document:
        return Document(self.source, self.title, self.text, self.metadata)


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the list: a file of this name in the folder of this number, or a text in the file of this number.

    The name may have folders; the file is stored under its last part.
    """

    number: int
    name: str = ""


class Upload:
    """The upload folder of one job.

    Parameters
    ----------
    folder
        Created when the first file or text is added.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._entries: list[_Entry] = []

    def add_file(self, name: str, content: BinaryIO) -> None:
        """Store a file under a name of :mod:`polyadic.server.upload_requests`."""
        entry = _Entry(len(self._entries), name)
        place = self.folder / str(entry.number)
        place.mkdir(parents=True)
        with (place / PurePosixPath(name).name).open("xb") as file:
            shutil.copyfileobj(content, file, _BLOCK_BYTES)
        self._entries.append(entry)

    def add_text(self, text: UploadedText) -> None:
        """Store a text."""
        entry = _Entry(len(self._entries))
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{entry.number}.json").write_text(json.dumps(asdict(text)), encoding="utf-8")
        self._entries.append(entry)

    def finish(self) -> int:
        """Write the list, which marks the upload as complete, and return the number of files and texts."""
        temporary = self.folder / f"{LIST}.partial"
        temporary.write_text("".join(f"{json.dumps(asdict(entry))}\n" for entry in self._entries), encoding="utf-8")
        temporary.replace(self.folder / LIST)
        return len(self._entries)

    def is_whole(self) -> bool:
        """Return whether the upload is complete and still there."""
        return (self.folder / LIST).is_file()

    def documents(
        self,
        settings: ReadingSettings,
        recognizer: PageRecognizer | None = None,
        captioner: Captioner | None = None,
    ) -> Iterator[Document | SkippedInput]:
        """Read the uploaded files and texts."""
        for line in (self.folder / LIST).read_text(encoding="utf-8").splitlines():
            entry = _Entry(**json.loads(line))
            if entry.name:
                yield from self._read(entry, settings, recognizer, captioner)
            else:
                content = json.loads((self.folder / f"{entry.number}.json").read_text(encoding="utf-8"))
                yield UploadedText(**content).document()

    def remove(self) -> None:
        """Delete the upload."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(
        self,
        entry: _Entry,
        settings: ReadingSettings,
        recognizer: PageRecognizer | None,
        captioner: Captioner | None,
    ) -> Iterator[Document | SkippedInput]:
        file = (self.folder / str(entry.number) / PurePosixPath(entry.name).name).resolve()
        local_path, public_name = str(file), f"{SCHEME}{entry.name}"
        uploaded_id = document_id(public_name)
        named = _RecognizerOfUpload(recognizer, uploaded_id) if recognizer else None
        describes = _CaptionerOfUpload(captioner, uploaded_id) if captioner else None
        for item in read_documents([file], settings, recognizer=named, captioner=describes):
            # The local path must not become visible, nor part of the document's identity.
            source = public_name + item.source.removeprefix(local_path)
            if isinstance(item, Document):
                yield replace(item, source=source)
            else:
                reason, next_step = (text.replace(local_path, public_name) for text in (item.reason, item.next_step))
                yield replace(item, source=source, reason=reason, next_step=next_step)


@dataclass(frozen=True, slots=True)
class _RecognizerOfUpload:
    """A PageRecognizer that attributes calls to the document of an upload, not to the file in which it waits."""

    recognizer: PageRecognizer
    document_id: str

    def recognize(self, content: bytes, file_digest: str, pages: Sequence[int], document_id: str) -> RecognizedPages:
        return self.recognizer.recognize(content, file_digest, pages, self.document_id)


@dataclass(frozen=True, slots=True)
class _CaptionerOfUpload:
    """A Captioner that does the same."""

    captioner: Captioner
    document_id: str

    def describe(self, pictures: Sequence[Picture], document_id: str) -> Captions:
        return self.captioner.describe(pictures, self.document_id)


class UploadStore(Protocol):
    """Uploaded files and texts by job. Methods raise StoreError if the storage is unavailable."""

    def new_upload(self, workspace: str, identifier: str = "") -> Upload:
        """Return a new upload for a workspace.

        Its folder does not exist yet; its name, ``identifier`` or a random one, becomes the id of the job.
        """

    async def keep(self, upload: Upload, workspace: str) -> None:
        """Store a finished upload permanently."""

    async def is_whole(self, job: Job) -> bool:
        """Return whether the complete upload of a job is available."""

    def fetched(self, job: Job) -> AbstractAsyncContextManager[Upload]:
        """Provide the upload of a job as local files for the duration of the context."""

    async def remove(self, identifier: str, workspace: str) -> None:
        """Delete the upload of a job."""

    async def orphans(self) -> list[tuple[str, str]]:
        """Return job ids and workspaces of uploads that may have no job, because a server stopped during the upload."""


class FolderUploadStore:
    """Implements :class:`polyadic.server.jobs.uploads.UploadStore` in the folders of the workspaces."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def new_upload(self, workspace: str, identifier: str = "") -> Upload:
        return self._upload(identifier or secrets.token_hex(16), workspace)

    async def keep(self, upload: Upload, workspace: str) -> None:
        """Do nothing: the upload is already in its final place."""

    async def is_whole(self, job: Job) -> bool:
        return self._upload(job.id, job.workspace).is_whole()

    @asynccontextmanager
    async def fetched(self, job: Job) -> AsyncIterator[Upload]:
        yield self._upload(job.id, job.workspace)

    async def remove(self, identifier: str, workspace: str) -> None:
        await asyncio.to_thread(self._upload(identifier, workspace).remove)

    async def orphans(self) -> list[tuple[str, str]]:
        leftovers = []
        for folder in self._folder.glob(f"[!.]*/{UPLOADS}/*"):
            if not any(part.is_symlink() for part in (folder, *folder.parents[:2])):
                leftovers.append((folder.name, folder.parents[1].name))
        return leftovers

    def _upload(self, identifier: str, workspace: str) -> Upload:
        return Upload(self._folder / workspace / UPLOADS / identifier)
