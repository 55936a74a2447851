"""Roots of a workspace: the folders given to ``polyadic index``, and the folders of the files given to it."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from polyadic.storage.protocol import Store


def roots_of(paths: Iterable[Path | str]) -> frozenset[str]:
    """Return the roots of these files and folders, as absolute paths with all links resolved."""
    resolved = [Path(os.path.realpath(path)) for path in paths if Path(path).exists()]
    return frozenset(str(path if path.is_dir() else path.parent) for path in resolved)


def record_roots(store: Store, folders: Collection[str]) -> None:
    """Record those of the folders that are not yet roots of the workspace.

    Raises
    ------
    StoreBusy
        Another process is writing to the store.
    """
    with store.read() as reader:
        new = frozenset(folders).difference(reader.records.roots())
    if new:
        with store.indexing_session(), store.prepare() as preparer:
            preparer.add_roots(new)
