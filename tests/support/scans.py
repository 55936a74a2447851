"""Scanned pages: images of text, as pictures and in PDF files."""

from collections.abc import Sequence
from functools import cache
from io import BytesIO

from PIL import Image
from pypdfium2 import PdfDocument

from polyadic.loaders.pages.page_rendering import render_page
from tests.support.documents import pdf

RESOLUTION = 200
_WIDTH = 1700


def page_images(pages: Sequence[Sequence[str]]) -> list[Image.Image]:
    """Images of pages with these lines."""
    return [_page_image(tuple(lines)) for lines in pages]


@cache
def _page_image(lines: Sequence[str]) -> Image.Image:
    return Image.open(BytesIO(render_page(pdf([lines]), 1, _WIDTH))).convert("L")


def scanned_pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF whose pages are images of pages with these lines."""
    return picture(pages, "PDF")


def picture(pages: Sequence[Sequence[str]], kind: str = "TIFF") -> bytes:
    """A picture with these pages; formats other than TIFF and PDF have the first page only."""
    first, *others = page_images(pages)
    file = BytesIO()
    several = {"save_all": True, "append_images": others} if kind in ("TIFF", "PDF") else {}
    first.save(file, kind, resolution=RESOLUTION, **several)
    return file.getvalue()


def joined_pdf(*files: bytes) -> bytes:
    """A PDF with the pages of these, in order."""
    whole = PdfDocument.new()
    for content in files:
        whole.import_pages(PdfDocument(content))
    file = BytesIO()
    whole.save(file)
    return file.getvalue()
