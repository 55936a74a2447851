"""Writes requests as OpenAI-batch lines, into as many files as a provider's limits ask for."""

import json
import os
import re
from collections.abc import Collection, Iterator
from itertools import count, takewhile
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from polyadic.errors import PolyadicError
from polyadic.llm.batch_model import PendingRequest

MOST_REQUESTS, MOST_BYTES = 50_000, 200_000_000
"""What OpenAI takes in one file."""

# As lines begin that were written here; what begins otherwise is somebody else's.
_OURS = re.compile(rb'\{"custom_id":"[0-9a-f]{32}","method":"POST","url":"')
_ENOUGH_TO_TELL = 100


class RequestFileWriter:
    """Request lines in FILE, FILE-2, ..., each request once; they appear when all are whole, or not at all.

    Parameters
    ----------
    file
        The first one.
    url
        Which endpoint of the provider the requests are for.
    overwrite
        Take the place of what an earlier writing left under these names: FILE, FILE-2, ... as far as they hold
        requests. What holds anything else is never replaced.
    inputs
        Files that are read for this writing, and so cannot be written.
    most_requests, most_bytes
        How much goes into one file; a request that is larger by itself gets a file of its own.

    Raises
    ------
    PolyadicError
        Such a file is there already, and is not to be overwritten or not ours; or there is no such folder. Also while
        requests are added, of a further file.

    Attributes
    ----------
    files
        The names, once written; without a request there is none.
    before
        The files that an earlier writing left under these names.
    """

    def __init__(
        self,
        file: Path,
        url: str,
        overwrite: bool = False,
        most_requests: int = MOST_REQUESTS,
        most_bytes: int = MOST_BYTES,
        inputs: Collection[Path] = (),
    ) -> None:
        self.files: list[Path] = []
        self.requests = self.bytes = 0
        self._first, self._url = file, url
        self._most = most_requests, most_bytes
        self._overwrite, self._inputs = overwrite, inputs
        self.before = list(takewhile(_holds_requests, _names(file)))
        check_folder(file)
        self._open: BinaryIO | None = None
        self._in_this = self._bytes_in_this = 0
        self._seen: set[bytes] = set()
        for name in (file, *self.before):
            self._check(name)

    def add(self, request: PendingRequest) -> None:
        """Write a request, unless it has been written before."""
        key = bytes.fromhex(request.key)
        if key in self._seen:
            return
        self._seen.add(key)
        line = {"custom_id": request.key, "method": "POST", "url": self._url, "body": request.body}
        data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        most_requests, most_bytes = self._most
        if self._open is None or self._in_this == most_requests or self._bytes_in_this + len(data) > most_bytes:
            self._next_file()
        if self._open is not None:
            self._open.write(data)
        self._in_this += 1
        self._bytes_in_this += len(data)
        self.requests += 1
        self.bytes += len(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._open is not None:
            self._open.close()
        if kind is None:
            for file in self.files:
                _aside(file).replace(file)
            for left in self.before:
                if left not in self.files:
                    left.unlink(missing_ok=True)
        else:
            for file in self.files:
                _aside(file).unlink(missing_ok=True)

    def _check(self, file: Path) -> None:
        """Refuse to take the place of what is somebody else's, or ours and not to be overwritten."""
        if not os.path.lexists(file):
            return
        if not self._overwrite:
            raise PolyadicError(f"{file} is there already", "name another file, or say --overwrite")
        if any(_same(path, file) for path in self._inputs):
            raise PolyadicError(f"{file} is to be read and cannot be overwritten", "name another file for the requests")
        if not _holds_requests(file):
            raise PolyadicError(f"{file} holds no requests, so it is not overwritten", "name another file")

    def _next_file(self) -> None:
        if self._open is not None:
            self._open.close()
        file = numbered(self._first, len(self.files) + 1)
        self._check(file)
        self._open = _aside(file).open("wb")
        self.files.append(file)
        self._in_this = self._bytes_in_this = 0


def numbered(file: Path, number: int) -> Path:
    """The name of one of several files.

    >>> [numbered(Path("ask.jsonl"), number).name for number in (1, 2)]
    ['ask.jsonl', 'ask-2.jsonl']
    """
    return file if number == 1 else file.with_name(f"{file.stem}-{number}{file.suffix}")


def check_folder(file: Path) -> None:
    """Raises PolyadicError where there is no folder for a file that is to be written."""
    if not file.absolute().parent.is_dir():
        raise PolyadicError(f"there is no folder {file.parent}", "make it, or name another file")


def _names(first: Path) -> Iterator[Path]:
    return (numbered(first, number) for number in count(1))


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def _holds_requests(file: Path) -> bool:
    """Whether a file is there that begins as one that was written here."""
    try:
        with file.open("rb") as lines:
            return bool(_OURS.match(lines.read(_ENOUGH_TO_TELL)))
    except OSError:
        return False


def _aside(file: Path) -> Path:
    return file.with_name(f".{file.name}.partial")
