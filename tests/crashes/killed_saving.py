"""Runs the command ``polyadic`` and kills it while it saves arrays: ``python -m tests.crashes.killed_saving MOMENT``.

Arguments after the moment are those of the command.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.crashes.killed_at import die

MOMENTS = ("at the first array", "among the arrays", "before the rename", "after the rename")


def synced(synced_before: Callable[[int], None], dying_at: int) -> Callable[[int], None]:
    """Stands for os.fsync, which is called once an array."""
    calls = 0

    def sync(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == dying_at:
            die()
        synced_before(descriptor)

    return sync


def renamed(rename: Callable[..., Any], moment: str) -> Callable[..., Any]:
    def into_place(path: Path, target: Path) -> None:
        if moment == "before the rename":
            die()
        rename(path, target)
        die()

    return into_place


def main(moment: str, *arguments: str) -> int:
    from polyadic.cli.main import run

    if moment in MOMENTS[:2]:
        os.fsync = synced(os.fsync, 1 if moment == MOMENTS[0] else 9)  # type: ignore[assignment]
    else:
        Path.rename = renamed(Path.rename, moment)  # type: ignore[method-assign]
    return run([*arguments])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
