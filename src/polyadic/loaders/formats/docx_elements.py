"""Names and values of the XML elements of Word files."""

from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MAX_STYLE_DEPTH = 10
"""Most styles that are followed from one to that which it is based on; hostile files have cycles."""

SKIPPED_ELEMENTS = {f"{W}{name}" for name in ("del", "moveFrom", "instrText", "txbxContent", "pPr", "rPr")} | {
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
}
"""Elements that are not text: deletions, field codes, and fallbacks for programs that do not support an element."""

Element = Any
"""An lxml element; lxml has no type annotations."""


def value(parent: Element, name: str) -> str:
    """Return the value of a child element such as ``<w:numId w:val="3"/>``; empty if there is none."""
    found = parent.find(f"{W}{name}")
    return (found.get(f"{W}val") or "") if found is not None else ""
