"""Count missing replies per request file (shard), as a provider processes and returns each file separately."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from polyadic.errors import NotFound, PolyadicError


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
        for key in _keys(file):
            requests += 1
            pending += is_pending(key)
        yield RequestShard(file, requests, pending)


def _keys(file: Path) -> Iterator[str]:
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
