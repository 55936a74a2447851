"""Tell real titles in file properties from placeholders that programs put there."""

import re
from pathlib import Path

_MIN_CHARACTERS = 3
# Placeholders that programs write instead of a title: their own name, the file name, or nothing.
_PLACEHOLDER = re.compile(
    r"microsoft (?:office )?(?:word|powerpoint|excel|publisher|visio)\b.{0,3} [-–]"
    r"|(?:(?:microsoft )?(?:office )?(?:word|powerpoint|excel) ?)?(?:document|presentation|slide|book|workbook)? ?\d*$"
    r"|(?:untitled|unknown|no title|title|\(?unspecified\)?|\(?anonymous\)?)[\W\d_]*$"
    r"|(?:https?|file)://"
    r"|\S(?:[^\n]*\S)?\.(?:docx?|pdf|tex|dvi|indd|pptx?|xlsx?|rtf|odt|pages|qxd|ps|html?|txt|fm|p65|wpd)\)?$"
    r"|[\W\d_]*$",
    re.IGNORECASE,
)


def sensible_title(title: object, path: Path) -> str:
    """Return the title, or an empty string if it is a placeholder or the name of the file.

    >>> path = Path("a-17.pdf")
    >>> [sensible_title(title, path) for title in ("Microsoft Word - report.doc", "a-17", None, "On Engines")]
    ['', '', '', 'On Engines']
    """
    words = " ".join(title.replace("\0", "").split()) if isinstance(title, str) else ""
    is_name = words.casefold() in {path.stem.casefold(), path.name.casefold()}
    return "" if len(words) < _MIN_CHARACTERS or is_name or _PLACEHOLDER.match(words) else words
