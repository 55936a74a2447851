"""Keeps docs/looks.md, the log of every look at the odd-numbered questions: ``python -m benchmarks.holdout_log WHAT``.

Programs that show figures of the odd half write their line themselves, before they measure anything. By hand it is for
looks that no program knows of, such as a page of ``polyadic eval`` that somebody reads.
"""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

LOG = Path(__file__).parent.parent / "docs" / "looks.md"


def note_look(what: str) -> None:
    """Add a line to the log: the time, the commit that is looked at, and what was run or read."""
    LOG.write_text(f"{LOG.read_text(encoding='utf-8')}{line(datetime.now(UTC), commit(), what)}\n", encoding="utf-8")


def line(when: datetime, at: str, what: str) -> str:
    """A line of the log; what was changed on its account is for people to write.

    >>> line(datetime(2026, 11, 22, 9, 5, tzinfo=UTC), "28af48c", "`python -m benchmarks.ablation`")
    '| 2026-11-22 09:05 | 28af48c | `python -m benchmarks.ablation` | |'
    """
    return f"| {when:%Y-%m-%d %H:%M} | {at} | {what} | |"


def commit() -> str:
    """The commit that is checked out, and whether anything differs from it."""
    return f"{_git('rev-parse', '--short', 'HEAD')}{' and changes' if _git('status', '--porcelain') else ''}"


def _git(*words: str) -> str:
    told = subprocess.run(["git", *words], cwd=LOG.parent, capture_output=True, text=True, check=True)  # noqa: S607
    return told.stdout.strip()


if __name__ == "__main__":
    note_look(sys.argv[1])
