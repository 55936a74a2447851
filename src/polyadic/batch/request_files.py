"""Writes requests as OpenAI-batch lines, into as many files as a provider's limits ask for."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from polyadic.errors import PolyadicError
from polyadic.models.by_file import Noted

MOST_REQUESTS, MOST_BYTES = 50_000, 200_000_000
"""What OpenAI takes in one file."""


class RequestFiles:
    """Request lines in FILE, FILE-2, ..., each request once; they appear when all are whole, or not at all.

    Parameters
    ----------
    file
        The first one.
    url
        Which endpoint of the provider the requests are for.
    overwrite
        Take the place of files that an earlier writing left under these names, all of them.
    most_requests, most_bytes
        How much goes into one file; a request that is larger by itself gets a file of its own.

    Raises
    ------
    PolyadicError
        Such a file is there already, and is not to be overwritten; or there is no such folder.

    Attributes
    ----------
    files
        The names, once written; without a request there is none.
    before
        The files that were there under these names.
    """

    def __init__(
        self,
        file: Path,
        url: str,
        overwrite: bool = False,
        most_requests: int = MOST_REQUESTS,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.files: list[Path] = []
        self.requests = self.bytes = 0
        self._first, self._url = file, url
        self._most = most_requests, most_bytes
        self.before = list(_existing(file))
        if not file.absolute().parent.is_dir():
            raise PolyadicError(f"there is no folder {file.parent}", "make it, or name another file")
        self._open: BinaryIO | None = None
        self._in_this = self._bytes_in_this = 0
        self._seen: set[bytes] = set()
        if self.before and not overwrite:
            raise PolyadicError(f"{self.before[0]} is there already", "name another file, or say --overwrite")

    def add(self, request: Noted) -> None:
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

    def _next_file(self) -> None:
        if self._open is not None:
            self._open.close()
        file = numbered(self._first, len(self.files) + 1)
        self._open = _aside(file).open("wb")
        self.files.append(file)
        self._in_this = self._bytes_in_this = 0


def numbered(file: Path, number: int) -> Path:
    """The name of one of several files.

    >>> [numbered(Path("ask.jsonl"), number).name for number in (1, 2)]
    ['ask.jsonl', 'ask-2.jsonl']
    """
    return file if number == 1 else file.with_name(f"{file.stem}-{number}{file.suffix}")


def _existing(file: Path) -> Iterator[Path]:
    """The files that are there under these names."""
    if file.exists():
        yield file
    further = re.compile(rf"{re.escape(file.stem)}-[1-9]\d*{re.escape(file.suffix)}")
    if file.parent.is_dir():
        yield from sorted(other for other in file.parent.iterdir() if further.fullmatch(other.name))


def _aside(file: Path) -> Path:
    return file.with_name(f".{file.name}.partial")
