"""Detect pages of a PDF that are images of text."""

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

# Scanners and libraries stamp up to about this much text on a page that is otherwise an image.
_MOST_STAMPED_CHARACTERS = 200
_LEAST_IMAGE_SHARE = 0.5
_MOST_OBJECTS = 2_000
_DEPTH = 3


def is_scanned(page: "PdfPage", characters: int) -> bool:
    """Return whether a page has to be recognized: it shows something, but has no or hardly any text.

    Parameters
    ----------
    page
        An open page.
    characters
        Number of characters of its text.
    """
    if characters > _MOST_STAMPED_CHARACTERS:
        return False
    try:
        return _shows_text_as_image(page, characters)
    except RuntimeError:
        # PDFium cannot read an object of the page; its text is what there is.
        return not characters


def _shows_text_as_image(page: "PdfPage", characters: int) -> bool:
    from pypdfium2 import raw

    # PDFium is slow for pages with millions of objects; drawings of that kind have labels, which are text.
    objects = list(islice(page.get_objects(max_depth=_DEPTH), _MOST_OBJECTS))
    if not characters:
        return bool(objects)
    width, height = page.get_size()
    boxes = [found.get_bounds() for found in objects if found.type == raw.FPDF_PAGEOBJ_IMAGE]
    covered: float = sum(max(0.0, right - left) * max(0.0, top - bottom) for left, bottom, right, top in boxes)
    return covered > _LEAST_IMAGE_SHARE * float(width * height)
