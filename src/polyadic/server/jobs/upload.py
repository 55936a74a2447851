"""What clients hand in, until a job has read it: files and texts in a folder of the job's own.

A name that a client gives is never used as it is: what remains of it stands alone in a folder that is named by us, and
is what the document is called. A document's source is ``upload:NAME``, so the same name again is the same document.
"""

import json
import re
import shutil
import unicodedata
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from polyadic.config import ReadingSettings
from polyadic.loaders.loader import SkippedInput, is_readable, read_documents
from polyadic.model.types import Document

SCHEME = "upload:"
LIST = "handed-in.jsonl"
_LONGEST_NAME = 120
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\\/:*?"<>|#]+')
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class UploadedText:
    """A text that was handed in as such; ``source`` is its identity."""

    source: str
    title: str
    text: str
    metadata: dict[str, str] = field(default_factory=dict)

    def document(self) -> Document:
        return Document(self.source, self.title, self.text, self.metadata)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of the list: a file of this name in a folder of this number, or a text in a file of that number."""

    number: int
    name: str = ""
    source: str = ""


class Upload:
    """The folder of one job.

    Parameters
    ----------
    folder
        Made when something is put into it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._entries: list[_Entry] = []

    def add_file(self, name: str, content: BinaryIO, source: str = "") -> None:
        """Keep a file, whose name is one that :func:`safe_name` gave; its document is ``source``, if one is said."""
        entry = _Entry(len(self._entries), name, source)
        place = self.folder / str(entry.number)
        place.mkdir(parents=True)
        with (place / name).open("xb") as file:
            shutil.copyfileobj(content, file, _PIECE)
        self._entries.append(entry)

    def add_text(self, text: UploadedText) -> None:
        """Keep a text."""
        entry = _Entry(len(self._entries))
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{entry.number}.json").write_text(json.dumps(asdict(text)), encoding="utf-8")
        self._entries.append(entry)

    def finish(self) -> int:
        """Write the list, which says that all is there; returns how many files and texts it holds."""
        aside = self.folder / f"{LIST}.partial"
        aside.write_text("".join(f"{json.dumps(asdict(entry))}\n" for entry in self._entries), encoding="utf-8")
        aside.replace(self.folder / LIST)
        return len(self._entries)

    def is_whole(self) -> bool:
        """Whether all was handed in, and is still there."""
        return (self.folder / LIST).is_file()

    def documents(self, settings: ReadingSettings) -> Iterator[Document | SkippedInput]:
        """What was handed in, read."""
        for line in (self.folder / LIST).read_text(encoding="utf-8").splitlines():
            entry = _Entry(**json.loads(line))
            if entry.name:
                yield from self._read(entry, settings)
            else:
                held = json.loads((self.folder / f"{entry.number}.json").read_text(encoding="utf-8"))
                yield UploadedText(**held).document()

    def remove(self) -> None:
        """Remove all of it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self, entry: _Entry, settings: ReadingSettings) -> Iterator[Document | SkippedInput]:
        file = (self.folder / str(entry.number) / entry.name).resolve()
        ours, theirs = str(file), entry.source or f"{SCHEME}{entry.name}"
        for one in read_documents([file], settings):
            # Where it lay on this machine is nobody's business, and no document's identity.
            source = theirs + one.source.removeprefix(ours)
            if isinstance(one, Document):
                yield replace(one, source=source)
            else:
                reason, next_step = (said.replace(ours, theirs) for said in (one.reason, one.next_step))
                yield replace(one, source=source, reason=reason, next_step=next_step)


def safe_name(told: str) -> str | None:
    """What remains of a file's name; None where nothing does, or where no reader reads such files.

    >>> safe_name("../../etc/passwd.txt"), safe_name("C:\\\\Report 1.PDF"), safe_name("a.exe"), safe_name("...")
    ('passwd.txt', 'Report 1.PDF', None, None)
    """
    last = re.split(r"[\\/]", unicodedata.normalize("NFC", told))[-1]
    name = " ".join(_NOT_IN_NAMES.sub("_", last).split()).lstrip(". ")
    stem, suffix = Path(name).stem, Path(name).suffix
    if not stem or not is_readable(name):
        return None
    while len(f"{stem}{suffix}".encode()) > _LONGEST_NAME:
        stem = stem[:-1]
    return f"{stem.rstrip()}{suffix}" if stem.strip() else None
