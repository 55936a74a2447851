"""Sections of a report that several programs write."""

import re


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
