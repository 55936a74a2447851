"""Read the properties of files: a title that is no placeholder, author, subject, keywords and date."""

import re
from datetime import datetime
from pathlib import Path
from typing import Any

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

# Default author names that libraries write.
_DEFAULT_AUTHORS = {"python-docx", "openpyxl", "Steve Canny"}


def sensible_title(title: object, path: Path) -> str:
    """Return the title, or an empty string if it is a placeholder or the name of the file.

    >>> path = Path("a-17.pdf")
    >>> [sensible_title(title, path) for title in ("Microsoft Word - report.doc", "a-17", None, "On Engines")]
    ['', '', '', 'On Engines']
    """
    words = " ".join(title.replace("\0", "").split()) if isinstance(title, str) else ""
    is_name = words.casefold() in {path.stem.casefold(), path.name.casefold()}
    return "" if len(words) < _MIN_CHARACTERS or is_name or _PLACEHOLDER.match(words) else words


def document_properties(properties: Any) -> dict[str, object]:
    """Return author, subject, keywords and date; python-docx, python-pptx and openpyxl use nearly the same names."""
    author = getattr(properties, "author", None) or getattr(properties, "creator", None)
    created = properties.created
    return {
        "author": None if author in _DEFAULT_AUTHORS else author,
        "subject": properties.subject,
        "keywords": properties.keywords,
        "date": created.date().isoformat() if isinstance(created, datetime) else None,
    }
