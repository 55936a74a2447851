"""Names of the pages of a document: sheets of a spreadsheet, slides of a presentation."""

from pathlib import PurePath

_NAMES = {".xlsx": "sheet", ".pptx": "slide"}


def page_label(source: str, page: int) -> str:
    """Return what to call a page of a document.

    >>> page_label("/tours/budget.xlsx", 2), page_label("/talks/heron.pptx", 3), page_label("policy.pdf", 1)
    ('sheet 2', 'slide 3', 'page 1')
    """
    return f"{_NAMES.get(PurePath(source).suffix.lower(), 'page')} {page}"
