"""Arrays as files of a folder that takes its place only when all of it is written and synced."""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.sql.half_precision import HALF, Halves

_ASIDE = "writing-"
_LEFT_OVER_SECONDS = 60


@contextlib.contextmanager
def written_aside(folder: Path) -> Iterator[Path]:
    """A folder to write to, which is given the name of ``folder`` at the end; older siblings of that go."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    begun = time.time()
    aside = Path(tempfile.mkdtemp(prefix=_ASIDE, dir=folder.parent))
    try:
        yield aside
        # Another process may have put the same state into place meanwhile, which is as good.
        with contextlib.suppress(OSError):
            aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    if folder.exists():
        _remove_others(folder, begun)


def write(folder: Path, name: str, array: NDArray[Any]) -> None:
    with (folder / f"{name}.npy").open("wb") as file:
        np.save(file, array, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())


def write_blocks(folder: Path, name: str, blocks: Iterable[Halves], width: int) -> None:
    """An array of this width in half precision, block by block, so that it is never held in memory as a whole."""
    with (folder / f"{name}.npy").open("wb") as file:
        # numpy leaves room in what comes first, so that it takes as much with the number of rows that is known later.
        _begin(file, 0, width)
        rows = 0
        for block in blocks:
            file.write(np.ascontiguousarray(block, dtype=HALF).data)
            rows += len(block)
        file.seek(0)
        _begin(file, rows, width)
        file.flush()
        os.fsync(file.fileno())


def mapped(folder: Path, name: str) -> "np.memmap[Any, Any]":
    """Raises OSError or ValueError where the array is not there, or not whole."""
    return np.lib.format.open_memmap(folder / f"{name}.npy", mode="r")


def _begin(file: Any, rows: int, width: int) -> None:
    np.lib.format.write_array_header_1_0(file, {"descr": HALF.str, "fortran_order": False, "shape": (rows, width)})


def _remove_others(folder: Path, begun: float) -> None:
    """States that were there before this one was begun, which are still read where they are open, and what killed
    processes left; what another process writes at this moment stays."""
    left = time.time() - _LEFT_OVER_SECONDS
    for sibling in folder.parent.iterdir():
        with contextlib.suppress(OSError):
            older = left if sibling.name.startswith(_ASIDE) else max(left, begun)
            if sibling != folder and sibling.stat().st_mtime < older:
                shutil.rmtree(sibling, ignore_errors=True)
