"""Read and replace sections of Markdown reports."""

import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
QUALITY = DOCS / "quality.md"
PERFORMANCE = DOCS / "performance.md"
PERFORMANCE_AT_SCALE = DOCS / "performance-scale.md"
_TABLE = re.compile(r"^\|.*\n(?:\|.*\n)*", re.MULTILINE)


@contextmanager
def given_folder() -> Iterator[Path]:
    """Provide the workspace folder given on the command line, or a temporary one."""
    with tempfile.TemporaryDirectory() as temporary:
        yield Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary)


def rewrite(page: Path, heading: str, lines: Iterable[str]) -> None:
    """Replace one section of a page."""
    body = "\n".join(lines)
    page.write_text(replaced(page.read_text(encoding="utf-8"), heading, f"{body}\n"), encoding="utf-8")
    print(f"wrote {heading} into {page}")


def rewrite_table(page: Path, heading: str, table: str) -> None:
    """Replace the first table of a section of a page, and keep the text around it."""
    page.write_text(with_table(page.read_text(encoding="utf-8"), heading, table), encoding="utf-8")
    print(f"wrote the table of {heading} into {page}")


def with_table(text: str, heading: str, table: str) -> str:
    """Replace the first table of a section, or append the table if there is none.

    >>> with_table("# A\\n\\n## B\\nb\\n\\n| 1 |\\n| 2 |\\n\\nc\\n", "## B", "| 3 |\\n")
    '# A\\n\\n## B\\nb\\n\\n| 3 |\\n\\nc\\n'
    >>> with_table("# A\\n\\n## B\\nb\\n\\n## C\\nc\\n", "## B", "| 3 |\\n")
    '# A\\n\\n## B\\nb\\n\\n| 3 |\\n\\n## C\\nc\\n'
    """
    body = section(text, heading).removeprefix(f"{heading}\n").rstrip("\n") + "\n"
    new, replacements = _TABLE.subn(lambda _: table, body, count=1)
    return replaced(text, heading, new if replacements else f"{body}\n{table}")


def section(text: str, heading: str) -> str:
    """Return a section with its heading, up to the next heading of the same level; empty if there is none.

    >>> section("# A\\n\\n## B\\nb\\n\\n## C\\nc\\n", "## B")
    '## B\\nb\\n\\n'
    """
    match = re.search(rf"^{re.escape(heading)}\n(?:(?!## ).*\n?)*", text, re.MULTILINE)
    return match[0] if match else ""


def replaced(text: str, heading: str, body: str) -> str:
    """Replace the body of a section, or append the section if it is missing.

    >>> replaced("# A\\n\\n## B\\nb\\n\\n## C\\nc\\n", "## B", "new\\n")
    '# A\\n\\n## B\\nnew\\n\\n## C\\nc\\n'
    """
    existing = section(text, heading)
    if not existing:
        return f"{text}\n{heading}\n{body}"
    return text.replace(existing, f"{heading}\n{body}" + ("\n" if existing.endswith("\n\n") else ""))
