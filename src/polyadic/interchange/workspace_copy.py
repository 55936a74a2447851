"""Copying a workspace to another place, in another engine or the same, and seeing that the two say the same."""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from polyadic.errors import NotFound, StoreError
from polyadic.interchange.hif_writer import hif_pieces
from polyadic.storage.protocol import Reader, Store
from polyadic.storage.transfer import CopySource, CopyTarget
from polyadic.storage.url import StoreLocation


@dataclass(frozen=True, slots=True)
class CopyProgress:
    """How many of all rows are there; ``comparing`` when the two are being compared."""

    rows: int
    total: int
    comparing: bool = False


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What was copied.

    Attributes
    ----------
    rows
        Rows of each table that the copy has.
    taken_up
        How many of them an earlier run had copied.
    sha256
        Of the HIF export, which is the same of both.
    seconds
        What all of it took.
    """

    rows: Mapping[str, int]
    taken_up: int
    sha256: str
    seconds: float


def copy(source: StoreLocation, destination: StoreLocation, on_progress: Callable[[CopyProgress], None]) -> CopyReport:
    """Copy one committed state of a workspace with all that it holds; no model is asked and nothing embedded.

    Stopped or killed, the same copy goes on from there, unless the source has changed, when it begins anew. Nobody can
    read the copy or write to it before its export has been seen to have the same hash.

    Raises
    ------
    NotFound
        There is no workspace to copy.
    StoreError
        The destination holds something already, one of the two cannot be used, or they came to differ.
    """
    started = time.perf_counter()
    if not source.exists():
        raise NotFound(f"there is no workspace in {source} yet", "name the workspace to copy first, then where to")
    with _opened(source) as given, given.original() as original:
        state, counts = original.state, original.counts()
        with _opened(destination) as taking, taking.duplicate() as duplicate:
            duplicate.begin(state)
            with taking.original() as found:
                there = found.counts()
            _copy_rows(original, duplicate, there, on_progress)
            duplicate.settle()
            rows = sum(counts.values())
            on_progress(CopyProgress(rows, rows, comparing=True))
            with taking.original() as copied:
                sha256 = _compare(original, copied, duplicate)
            duplicate.finish()
    return CopyReport(counts, sum(there.values()), sha256, time.perf_counter() - started)


@contextmanager
def _opened(home: StoreLocation) -> Iterator[Store]:
    # Vectors are copied and not compared: it is all the same which model they are of.
    store = home.open(None)
    try:
        yield store
    finally:
        store.close()


def _copy_rows(
    original: CopySource, duplicate: CopyTarget, there: Mapping[str, int], on_progress: Callable[[CopyProgress], None]
) -> None:
    counts = original.counts()
    done, total = sum(there.values()), sum(counts.values())
    for table in counts:
        last = duplicate.last(table)
        while rows := original.following(table, last):
            duplicate.put(table, rows)
            last = rows[-1]
            done = min(total, done + len(rows))
            on_progress(CopyProgress(done, total))


def _compare(original: CopySource, copied: CopySource, duplicate: CopyTarget) -> str:
    """The hash of both exports.

    Raises
    ------
    StoreError
        The two do not hold the same.
    """
    counts, found = original.counts(), copied.counts()
    differing = [table for table in counts if counts[table] != found[table]]
    hashes = (_hash(original.reader), _hash(copied.reader))
    if differing or len(set(hashes)) > 1:
        duplicate.drop()
        where = f"in {', '.join(differing)}" if differing else "in what they export"
        raise StoreError(f"the copy came to differ {where}", "run it again: it begins anew")
    return hashes[0]


def _hash(reader: Reader) -> str:
    digest = hashlib.sha256()
    for piece in hif_pieces(reader):
        digest.update(piece.encode())
    return digest.hexdigest()
