"""Exclude files and folders that match glob patterns."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePath

from polyadic.text.glob_patterns import matches


@dataclass(frozen=True, slots=True)
class Exclusions:
    """Exclusion patterns as in ``.gitignore``: one without a slash matches a name at any depth, any other a path.

    A path pattern is relative to the folder being searched, or to the current folder.
    """

    patterns: Sequence[str] = ()

    def cover(self, path: PurePath, root: PurePath) -> bool:
        """Return whether a file or folder below a root is excluded.

        Parameters
        ----------
        path
            The absolute path; excluding a folder excludes everything in it.
        root
            The folder being searched.

        >>> root = PurePath("/docs")
        >>> excluded = Exclusions(["*.log", "old/drafts/"])
        >>> excluded.cover(root / "a" / "x.log", root), excluded.cover(root / "old" / "drafts", root)
        (True, True)
        >>> excluded.cover(root / "a.md", root), excluded.cover(root / "a" / "old" / "drafts", root)
        (False, False)
        """
        return any(_covers(pattern.rstrip("/"), path, root) for pattern in self.patterns)


def _covers(pattern: str, path: PurePath, root: PurePath) -> bool:
    if "/" not in pattern:
        return fnmatchcase(path.name, pattern)
    from_root = path.relative_to(root).as_posix() if path.is_relative_to(root) else ""
    return matches(pattern.lstrip("/"), from_root) or matches(os.path.realpath(pattern), path.as_posix())
