"""What was left out of a reading, and what can be done about it."""

import re
from dataclasses import dataclass

from polyadic.errors import UnreadableDocument

_NOT_PRINTED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class SkippedInput:
    """A file, a folder or a row that gave no document; the others go on.

    ``source`` is a path; ``line`` is that at which a row of the file begins, from 1, or 0 for all of it.
    ``reason`` and ``next_step`` are sentences without a full stop; the latter may be empty. As a string it
    is always one printable line. ``file_type`` is the suffix of a file that was met in a folder and that no reader
    reads ("none" where it has no suffix): there may be hundreds of these, and reports count them by type.

    >>> print(SkippedInput("/data/notes.jsonl", "not JSON", "mend it", line=7))
    /data/notes.jsonl, line 7: not JSON; mend it
    """

    source: str
    reason: str
    next_step: str
    line: int = 0
    file_type: str = ""

    def __str__(self) -> str:
        where = f"{self.source}, line {self.line}" if self.line else self.source
        what = f"{self.reason}; {self.next_step}" if self.next_step else self.reason
        return printable(f"{where}: {what}")


def skipped(source: str, problem: UnreadableDocument, line: int = 0) -> SkippedInput:
    """The report of a problem that a reader ran into."""
    return SkippedInput(source, problem.what, problem.next_step, line)


def printable(text: str) -> str:
    """The text with control characters, line ends and undecodable bytes of file names escaped.

    >>> printable("a" + chr(10) + "b")
    'a\\\\nb'
    """
    return _NOT_PRINTED.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)
