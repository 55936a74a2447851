"""Read the document properties of Office files."""

from datetime import datetime
from typing import Any

# Default author names that libraries write.
_DEFAULT_AUTHORS = {"python-docx", "openpyxl", "Steve Canny"}


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
