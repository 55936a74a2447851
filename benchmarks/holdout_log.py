"""Log looks at the held-out (odd-numbered) questions in benchmarks/looks.md: ``python -m benchmarks.holdout_log WHAT``.

Programs that report figures on the odd half add their line before they measure anything. Use the command for other
looks, such as reading a report of ``polyadic eval``.
"""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

LOG = Path(__file__).parent / "looks.md"


def note_look(what: str) -> None:
    """Add a line to the log: the time, the commit, and what was run or read."""
    LOG.write_text(f"{LOG.read_text(encoding='utf-8')}{line(datetime.now(UTC), commit(), what)}\n", encoding="utf-8")


def line(when: datetime, at: str, what: str) -> str:
    """Format a line of the log; its last column, for consequences, is filled in by hand.

    >>> line(datetime(2026, 11, 22, 9, 5, tzinfo=UTC), "28af48c", "`python -m benchmarks.ablation`")
    '| 2026-11-22 09:05 | 28af48c | `python -m benchmarks.ablation` | |'
    """
    return f"| {when:%Y-%m-%d %H:%M} | {at} | {what} | |"


def commit() -> str:
    """Return the checked-out commit, and whether there are uncommitted changes."""
    return f"{_git('rev-parse', '--short', 'HEAD')}{' and changes' if _git('status', '--porcelain') else ''}"


def _git(*words: str) -> str:
    process = subprocess.run(["git", *words], cwd=LOG.parent, capture_output=True, text=True, check=True)  # noqa: S607
    return process.stdout.strip()


if __name__ == "__main__":
    note_look(sys.argv[1])
