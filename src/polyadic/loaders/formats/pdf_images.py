"""Find the images on the pages of a PDF: scanned pages, and pictures with their captions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from polyadic.errors import UnreadableDocument
from polyadic.loaders.ocr.captions import MIN_PIXELS, Captioner, Picture, missing_captions
from polyadic.loaders.ocr.image_reader import PageImage
from polyadic.loaders.pages.page_rendering import Box
from polyadic.model.identity import digest
from polyadic.model.original_file import file_digest

if TYPE_CHECKING:
    from pypdfium2 import PdfPage
    from pypdfium2._helpers.pageobjects import PdfImage

_MIN_POINTS = 72.0
"""Minimum width and height on the page: an inch."""
_MAX_PAGE_SHARE = 0.9
"""A picture that covers more of its page is the background."""
# PDFium is slow for pages with millions of objects; drawings of that kind have labels, which are text.
_MOST_OBJECTS = 2_000
_DEPTH = 3

PlacedPicture = tuple[Box, str]
"""The place of a picture on its page, and its digest."""

# Scanners and libraries stamp up to about this much text on a page that is otherwise an image.
_MOST_STAMPED_CHARACTERS = 200
_LEAST_IMAGE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class PageCaptions:
    """Captions by number of the page, and the problem of those that could not be written, if any."""

    by_page: Mapping[int, Sequence[str]] = field(default_factory=dict)
    problems: Sequence[UnreadableDocument] = ()


def captions_by_page(
    content: bytes, pictures: Mapping[int, Sequence[PlacedPicture]], captioner: Captioner, document_id: str
) -> PageCaptions:
    """Return captions of the pictures on the pages of a PDF.

    Parameters
    ----------
    content
        The file.
    pictures
        Pictures by number of the page.
    captioner
        Writes the captions.
    document_id
        Identifier of the document, for the ledger.
    """
    placed = [
        (number, Picture(PageImage(content, number, box), name))
        for number, page in pictures.items()
        for box, name in page
    ]
    captions = captioner.describe([picture for _, picture in placed], document_id)
    texts = dict(captions.texts)
    by_page: dict[int, list[str]] = {}
    for number, picture in placed:
        # A picture that recurs has its caption where it stands first.
        if text := texts.pop(picture.digest, ""):
            by_page.setdefault(number, []).append(text)
    return PageCaptions(by_page, [missing_captions(captions.failures)] if captions.failures else [])


def pictures_on(page: "PdfPage") -> list[PlacedPicture]:
    """Return the place and a digest of each picture on a page; a drawing with an image in it is one picture.

    Parameters
    ----------
    page
        An open page with text.
    """
    try:
        return list(_pictures(page))
    except RuntimeError:
        # PDFium cannot read an object of the page; its text can be read nevertheless.
        return []


def _pictures(page: "PdfPage") -> Iterator[PlacedPicture]:
    from pypdfium2 import raw

    left, bottom, right, top = page.get_bbox()
    page_area = (right - left) * (top - bottom)
    drawing = None
    for found in islice(page.get_objects(max_depth=_DEPTH), _MOST_OBJECTS):
        if found.level == 0:
            drawing = found
        if found.type != raw.FPDF_PAGEOBJ_IMAGE or drawing is None or min(found.get_px_size()) < MIN_PIXELS:
            continue
        # The bounds of an object in a form are relative to the form.
        x0, y0, x1, y1 = drawing.get_bounds()
        drawing = None
        box = max(x0, left), max(y0, bottom), min(x1, right), min(y1, top)
        width, height = box[2] - box[0], box[3] - box[1]
        if min(width, height) >= _MIN_POINTS and width * height <= _MAX_PAGE_SHARE * page_area:
            yield box, _digest(found, width, height)


def _digest(image: "PdfImage", width: float, height: float) -> str:
    return digest("pdf", file_digest(bytes(image.get_data())), f"{width:.0f}", f"{height:.0f}")


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

    objects = list(islice(page.get_objects(max_depth=_DEPTH), _MOST_OBJECTS))
    if not characters:
        return bool(objects)
    width, height = page.get_size()
    boxes = [found.get_bounds() for found in objects if found.type == raw.FPDF_PAGEOBJ_IMAGE]
    covered: float = sum(max(0.0, right - left) * max(0.0, top - bottom) for left, bottom, right, top in boxes)
    return covered > _LEAST_IMAGE_SHARE * float(width * height)
