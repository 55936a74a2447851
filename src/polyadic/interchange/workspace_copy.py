"""Copy a workspace to another location or database engine and verify the copy."""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from polyadic.errors import NotFound, StoreError
from polyadic.interchange.hif_writer import hif_pieces
from polyadic.storage.protocol import Reader, Store
from polyadic.storage.transfer import CopySource, CopyTarget, copy_rows
from polyadic.storage.url import StoreLocation


@dataclass(frozen=True, slots=True)
class CopyProgress:
    """Number of rows copied; ``comparing`` while the copy is being verified."""

    rows: int
    total: int
    comparing: bool = False


@dataclass(frozen=True, slots=True)
class CopyReport:
    """Outcome of a copy.

    Attributes
    ----------
    rows
        Rows of the copy by table.
    resumed
        How many of them an earlier run had copied.
    sha256
        Hash of the HIF export, identical for the original and the copy.
    seconds
        Duration.
    """

    rows: Mapping[str, int]
    resumed: int
    sha256: str
    seconds: float


def copy(source: StoreLocation, destination: StoreLocation, on_progress: Callable[[CopyProgress], None]) -> CopyReport:
    """Copy one committed state of a workspace completely, without model calls or embedding.

    An interrupted copy resumes, or restarts if the source has changed. The copy cannot be opened before its export has
    been verified to have the same hash.

    Raises
    ------
    NotFound
        There is no workspace at the source.
    StoreError
        The destination is not empty, a store cannot be used, or the copy differs from the original.
    """
    started = time.perf_counter()
    if not source.exists():
        raise NotFound(
            f"there is no workspace in {source} yet", "give the workspace to copy first, then the destination"
        )
    with _opened(source) as source_store, source_store.copy_source() as original:
        state, counts = original.state, original.counts()
        with _opened(destination) as target_store, target_store.copy_target() as duplicate:
            duplicate.begin(state)
            with target_store.copy_source() as target:
                copied_counts = target.counts()
            _copy_rows(original, duplicate, copied_counts, on_progress)
            duplicate.settle()
            rows = sum(counts.values())
            on_progress(CopyProgress(rows, rows, comparing=True))
            with target_store.copy_source() as copied:
                sha256 = _compare(original, copied, duplicate)
            duplicate.finish()
    return CopyReport(counts, sum(copied_counts.values()), sha256, time.perf_counter() - started)


@contextmanager
def _opened(location: StoreLocation) -> Iterator[Store]:
    # Vectors are copied without being interpreted, so the store needs no embedding model.
    store = location.open(None)
    try:
        yield store
    finally:
        store.close()


def _copy_rows(
    original: CopySource,
    duplicate: CopyTarget,
    copied_counts: Mapping[str, int],
    on_progress: Callable[[CopyProgress], None],
) -> None:
    done, total = sum(copied_counts.values()), sum(original.counts().values())
    for rows in copy_rows(original, duplicate):
        done = min(total, done + rows)
        on_progress(CopyProgress(done, total))


def _compare(original: CopySource, copied: CopySource, duplicate: CopyTarget) -> str:
    """Return the hash of both exports.

    Raises
    ------
    StoreError
        Original and copy differ.
    """
    counts, target = original.counts(), copied.counts()
    differing = [table for table in counts if counts[table] != target[table]]
    hashes = (_hash(original.reader), _hash(copied.reader))
    if differing or len(set(hashes)) > 1:
        duplicate.drop()
        where = f"in {', '.join(differing)}" if differing else "in their exports"
        raise StoreError(f"the copy differs from the original {where}", "run it again to copy from the start")
    return hashes[0]


def _hash(reader: Reader) -> str:
    digest = hashlib.sha256()
    for piece in hif_pieces(reader):
        digest.update(piece.encode())
    return digest.hexdigest()
