"""Write arrays to a folder that gets its name only after everything is written and synced."""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.sql.half_precision import HALF, Halves

_TEMPORARY_PREFIX = "writing-"
_STALE_SECONDS = 60


@contextlib.contextmanager
def written_aside(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder that is renamed to ``folder`` at the end; older sibling folders are then deleted."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    begun = time.time()
    temporary = Path(tempfile.mkdtemp(prefix=_TEMPORARY_PREFIX, dir=folder.parent))
    try:
        yield temporary
        # Another process may have saved the same state in the meantime; its files are equivalent.
        with contextlib.suppress(OSError):
            temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    if folder.exists():
        _remove_others(folder, begun)


@contextlib.contextmanager
def synced(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing, and sync it at the end."""
    with path.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def write(folder: Path, name: str, array: NDArray[Any]) -> None:
    with synced(folder / f"{name}.npy") as file:
        np.save(file, array, allow_pickle=False)


def write_blocks(folder: Path, name: str, blocks: Iterable[Halves], width: int) -> None:
    """Write a half-precision array of this width block by block, without holding it all in memory."""
    with synced(folder / f"{name}.npy") as file:
        # numpy pads the header, so it keeps its size when the number of rows is filled in.
        _write_header(file, 0, width)
        rows = 0
        for block in blocks:
            file.write(np.ascontiguousarray(block, dtype=HALF).data)
            rows += len(block)
        file.seek(0)
        _write_header(file, rows, width)


def mapped(folder: Path, name: str) -> "np.memmap[Any, Any]":
    """Memory-map an array. Raises OSError or ValueError if the file is missing or incomplete."""
    return np.lib.format.open_memmap(folder / f"{name}.npy", mode="r")


def _write_header(file: BinaryIO, rows: int, width: int) -> None:
    np.lib.format.write_array_header_1_0(file, {"descr": HALF.str, "fortran_order": False, "shape": (rows, width)})


def _remove_others(folder: Path, begun: float) -> None:
    """Delete the folders of earlier states, and temporary folders that killed processes left behind.

    Readers keep deleted files open. Temporary folders that another process may be writing to are kept.
    """
    stale_before = time.time() - _STALE_SECONDS
    for sibling in folder.parent.iterdir():
        with contextlib.suppress(OSError):
            deleted_before = stale_before if sibling.name.startswith(_TEMPORARY_PREFIX) else max(stale_before, begun)
            if sibling != folder and sibling.stat().st_mtime < deleted_before:
                shutil.rmtree(sibling, ignore_errors=True)
