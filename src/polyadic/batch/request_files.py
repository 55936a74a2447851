"""Write request files for batch APIs, split to stay within a provider's limits, and count their missing replies.

A provider processes and returns each file (shard) separately.
"""

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from polyadic.errors import NotFound, PolyadicError
from polyadic.llm.batch_model import PendingRequest

MOST_REQUESTS, MOST_BYTES = 50_000, 200_000_000
"""Limits of OpenAI for one file."""

# Start of the request lines that this module writes; only files that start like this may be replaced.
_REQUEST_START = re.compile(rb'\{"custom_id":"[0-9a-f]{32}","method":"POST","url":"')
_START_BYTES = 100


class RequestFileWriter:
    """Atomic writer of request lines to FILE, FILE-2, ...; each request is written once.

    Parameters
    ----------
    file
        The first file.
    overwrite
        Replace request files of an earlier run: FILE, FILE-2, ... Files that hold anything else are never replaced.
    inputs
        Input files of this run, which cannot be overwritten.
    most_requests, most_bytes
        Limits per file; a request that exceeds the bytes gets a file of its own.

    Raises
    ------
    PolyadicError
        A file exists and may not be overwritten, or the folder is missing. :meth:`add` raises it as well when it
        starts a further file.

    Attributes
    ----------
    files
        The files written; none without a request.
    before
        Request files of an earlier run with these names.
    """

    def __init__(
        self,
        file: Path,
        overwrite: bool = False,
        most_requests: int = MOST_REQUESTS,
        most_bytes: int = MOST_BYTES,
        inputs: Collection[Path] = (),
    ) -> None:
        self.files: list[Path] = []
        self.requests = self.bytes = 0
        self._first = file
        self._most = most_requests, most_bytes
        self._overwrite, self._inputs = overwrite, inputs
        self.before = list(takewhile(_holds_requests, _names(file)))
        check_folder(file)
        self._open: BinaryIO | None = None
        self._requests_in_file = self._bytes_in_file = 0
        self._endpoint: tuple[str, object] | None = None
        self._seen: set[bytes] = set()
        for name in (file, *self.before):
            self._check(name)

    def add(self, request: PendingRequest) -> None:
        """Write a request, unless it has been written before."""
        key = bytes.fromhex(request.key)
        if key in self._seen:
            return
        self._seen.add(key)
        line = {"custom_id": request.key, "method": "POST", "url": request.url, "body": request.body}
        data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        most_requests, most_bytes = self._most
        endpoint = (request.url, request.body["model"])
        if (
            self._open is None
            # Providers accept one URL and one model per file.
            or self._endpoint != endpoint
            or self._requests_in_file == most_requests
            or self._bytes_in_file + len(data) > most_bytes
        ):
            self._next_file()
            self._endpoint = endpoint
        if self._open is not None:
            self._open.write(data)
        self._requests_in_file += 1
        self._bytes_in_file += len(data)
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
                _partial(file).replace(file)
            for old in self.before:
                if old not in self.files:
                    old.unlink(missing_ok=True)
        else:
            for file in self.files:
                _partial(file).unlink(missing_ok=True)

    def _check(self, file: Path) -> None:
        """Raise PolyadicError if the file exists and may not be overwritten."""
        if not os.path.lexists(file):
            return
        if not self._overwrite:
            raise PolyadicError(f"{file} already exists", "choose another file, or use --overwrite")
        if any(_same(path, file) for path in self._inputs):
            raise PolyadicError(f"{file} is an input file and cannot be overwritten", "choose another request file")
        if not _holds_requests(file):
            raise PolyadicError(f"{file} is not a request file, so it is not overwritten", "choose another file")

    def _next_file(self) -> None:
        if self._open is not None:
            self._open.close()
        file = numbered(self._first, len(self.files) + 1)
        self._check(file)
        self._open = _partial(file).open("wb")
        self.files.append(file)
        self._requests_in_file = self._bytes_in_file = 0


def numbered(file: Path, number: int) -> Path:
    """Return the name of the file with a number.

    >>> [numbered(Path("ask.jsonl"), number).name for number in (1, 2)]
    ['ask.jsonl', 'ask-2.jsonl']
    """
    return file if number == 1 else file.with_name(f"{file.stem}-{number}{file.suffix}")


def check_folder(file: Path) -> None:
    """Raise PolyadicError if the folder of an output file is missing."""
    if not file.absolute().parent.is_dir():
        raise PolyadicError(f"there is no folder {file.parent}", "create it, or choose another file")


def _names(first: Path) -> Iterator[Path]:
    return (numbered(first, number) for number in count(1))


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def _holds_requests(file: Path) -> bool:
    """Whether the file exists and starts with a request line of this module."""
    try:
        with file.open("rb") as lines:
            return bool(_REQUEST_START.match(lines.read(_START_BYTES)))
    except OSError:
        return False


def _partial(file: Path) -> Path:
    return file.with_name(f".{file.name}.partial")


@dataclass(frozen=True, slots=True)
class RequestShard:
    """A request file, its number of requests and how many replies are missing."""

    file: Path
    requests: int
    pending: int


def shards(files: Iterable[Path], is_pending: Callable[[str], bool]) -> Iterator[RequestShard]:
    """Count requests and missing replies of each file, in the order of ``files``.

    Parameters
    ----------
    files
        Request files, as written.
    is_pending
        Whether the reply to the request with a key is missing.

    Raises
    ------
    NotFound
        There is no such file.
    PolyadicError
        A file is not a request file, or is truncated.
    """
    for file in files:
        requests = pending = 0
        for key in _request_keys(file):
            requests += 1
            pending += is_pending(key)
        yield RequestShard(file, requests, pending)


def _request_keys(file: Path) -> Iterator[str]:
    if not file.is_file():
        raise NotFound(f"there is no file {file}", "name the files that batch write wrote")
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                request = json.loads(line)
                key, _ = request["custom_id"], request["body"]
            except (ValueError, LookupError, TypeError, RecursionError):
                what = f"{file}, line {number} is not a request"
                raise PolyadicError(what, "name the files that batch write wrote, not responses") from None
            yield str(key)
