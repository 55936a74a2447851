"""Sections of a report that several programs write."""

import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

REPORT = Path(__file__).parent.parent / "docs" / "quality.md"


@contextmanager
def given_folder() -> Iterator[Path]:
    """The folder that the command names for its filled workspaces, else one that is gone in the end."""
    with tempfile.TemporaryDirectory() as temporary:
        yield Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary)


def rewrite(heading: str, lines: Iterable[str]) -> None:
    """Write one section of docs/quality.md, and leave the others as they are."""
    body = "\n".join(lines)
    REPORT.write_text(replaced(REPORT.read_text(encoding="utf-8"), heading, f"{body}\n"), encoding="utf-8")
    print(f"wrote {heading} into {REPORT}")


def section(text: str, heading: str) -> str:
    """A section with its heading, up to the next of its kind; empty where there is none.

    >>> section("# A\\n\\n## B\\nb\\n\\n## C\\nc\\n", "## B")
    '## B\\nb\\n\\n'
    """
    found = re.search(rf"^{re.escape(heading)}\n(?:(?!## ).*\n?)*", text, re.MULTILINE)
    return found[0] if found else ""


def replaced(text: str, heading: str, body: str) -> str:
    """The text with the section as it is now, at its end where it was not there before.

    >>> replaced("# A\\n\\n## B\\nb\\n\\n## C\\nc\\n", "## B", "new\\n")
    '# A\\n\\n## B\\nnew\\n\\n## C\\nc\\n'
    """
    before = section(text, heading)
    if not before:
        return f"{text}\n{heading}\n{body}"
    return text.replace(before, f"{heading}\n{body}" + ("\n" if before.endswith("\n\n") else ""))
