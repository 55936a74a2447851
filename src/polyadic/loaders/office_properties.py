"""What the properties of an Office file say of it."""

from datetime import datetime
from typing import Any

# The names of libraries, which stand where nobody has given theirs.
_NO_AUTHORS = {"python-docx", "openpyxl", "Steve Canny"}


def properties_said(properties: Any) -> dict[str, object]:
    """Author, subject, keywords and date; python-docx, python-pptx and openpyxl name these (nearly) alike."""
    author = getattr(properties, "author", None) or getattr(properties, "creator", None)
    created = properties.created
    return {
        "author": None if author in _NO_AUTHORS else author,
        "subject": properties.subject,
        "keywords": properties.keywords,
        "date": created.date().isoformat() if isinstance(created, datetime) else None,
    }
