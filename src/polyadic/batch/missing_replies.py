"""Of which request files replies are missing still: each file (a shard) is answered, sent back and lost by itself."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from polyadic.errors import NotFound, PolyadicError


@dataclass(frozen=True, slots=True)
class RequestShard:
    """A file of requests: how many it holds, and of how many the reply is awaited."""

    file: Path
    requests: int
    awaited: int


def shards(files: Iterable[Path], is_awaited: Callable[[str], bool]) -> Iterator[RequestShard]:
    """Each of the files, in their order.

    Parameters
    ----------
    files
        Request files, as they were written.
    is_awaited
        Whether the reply to a request, by its key, is still to come.

    Raises
    ------
    NotFound
        There is no such file.
    PolyadicError
        One is no file of requests, or not whole.
    """
    for file in files:
        requests = awaited = 0
        for key in _keys(file):
            requests += 1
            awaited += is_awaited(key)
        yield RequestShard(file, requests, awaited)


def _keys(file: Path) -> Iterator[str]:
    if not file.is_file():
        raise NotFound(f"there is no file {file}", "name the files that batch write wrote")
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                request = json.loads(line)
                key, _ = request["custom_id"], request["body"]
            except (ValueError, LookupError, TypeError, RecursionError):
                what = f"{file}, line {number} is no request"
                raise PolyadicError(what, "name the files that batch write wrote, not responses") from None
            yield str(key)
