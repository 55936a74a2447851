"""Watch folders for changed files. Needs the extra ``watch``."""

import os
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from polyadic.loaders.skipped import SkippedInput
from polyadic.optional_dependencies import need

_TICK_MILLISECONDS = 500
_LONGEST_BATCH_MILLISECONDS = 5_000
Identity = tuple[int, int]


class FolderWatcher:
    """Watches folders and reports changes in batches.

    Hidden files are ignored, as :func:`polyadic.loaders.file_discovery.discover` does. A folder that is missing, such
    as a disk that is not mounted, is watched again once it is back.

    Parameters
    ----------
    folders
        Folders to watch, with everything in them.
    ignored
        Files and folders whose changes are ignored, such as the workspace.

    Raises
    ------
    PackageMissing
        The extra ``watch`` is not installed.
    """

    def __init__(self, folders: Sequence[Path], ignored: Sequence[Path] = ()) -> None:
        need("watching folders", "watch", watchfiles="watchfiles")
        self._folders = [Path(os.path.realpath(folder)) for folder in folders]
        self._ignored = [Path(os.path.realpath(path)) for path in ignored]

    @property
    def missing(self) -> list[Path]:
        """The folders that do not exist now."""
        present = self._present()
        return [folder for folder in self._folders if folder not in present]

    def batches(self) -> Iterator[frozenset[Path]]:
        """Yield, without end, the paths that were added, changed or deleted since the last batch.

        The first batch, and the first one after any folder vanished or came back, contain the folders themselves:
        everything in them may have changed. Changes are gathered until there are none for half a second, for at most
        five seconds. A batch is empty if nothing has changed for half a second.
        """
        while True:
            present = self._present()
            # When watching begins again, changes in between are not known.
            unread = frozenset(present)
            for changes in self._changes(present):
                yield changes | unread
                unread = frozenset()
                if self._present() != present:
                    break

    def _changes(self, folders: Collection[Path]) -> Iterator[frozenset[Path]]:
        if not folders:
            time.sleep(_TICK_MILLISECONDS / 1000)
            yield frozenset()
            return
        import watchfiles

        # The first batch is empty; after it, no change is missed.
        for changes in watchfiles.watch(
            *folders,
            watch_filter=lambda _, path: self._counts(Path(path)),
            step=_TICK_MILLISECONDS,
            debounce=_LONGEST_BATCH_MILLISECONDS,
            rust_timeout=_TICK_MILLISECONDS,
            yield_on_timeout=True,
        ):
            yield frozenset(Path(path) for _, path in changes)

    def _counts(self, path: Path) -> bool:
        if any(path.is_relative_to(other) for other in self._ignored):
            return False
        inside = (path.relative_to(folder).parts for folder in self._folders if path.is_relative_to(folder))
        return any(not any(part.startswith(".") for part in parts) for parts in inside)

    def _present(self) -> dict[Path, Identity]:
        """Return the folders that exist; one that was deleted and made again has another identity."""
        present = {}
        for folder in self._folders:
            try:
                status = folder.stat()
            except OSError:
                continue
            present[folder] = (status.st_dev, status.st_ino)
        return present


def among(found: Iterable[Path | SkippedInput], changed: Collection[Path]) -> Iterator[Path | SkippedInput]:
    """Yield the inputs that are among these paths or below one of them.

    >>> files = [Path("/docs/a.md"), Path("/docs/old/b.md")]
    >>> list(among(files, {Path("/docs/old")})) == files[1:]
    True
    """
    paths = frozenset(changed)
    for one in found:
        path = one if isinstance(one, Path) else Path(one.source)
        if path in paths or not paths.isdisjoint(path.parents):
            yield one
