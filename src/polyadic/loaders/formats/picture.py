"""Read pictures of text by OCR; the frames of a TIFF file are its pages."""

from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.ocr.captions import Captioner
from polyadic.loaders.ocr.recognizer import PageRecognizer
from polyadic.loaders.optional_readers import OptionalFormat, OptionalReader, PartialDocument
from polyadic.loaders.pages.missing_pages import missing_pages
from polyadic.loaders.pages.page_image import PICTURE_FORMATS
from polyadic.model.identity import document_id
from polyadic.model.original_file import OriginalFile, file_digest
from polyadic.model.types import Document

PICTURE = OptionalFormat(".png", "picture", package="Pillow", module="PIL")

_MOST_FRAMES = 2_000


def image_reader(recognizer: PageRecognizer | None, captioner: Captioner | None) -> OptionalReader | None:
    """Return a reader that recognizes the text of a picture; None without a recognizer."""
    return OptionalReader(PICTURE, partial(_document, recognizer=recognizer)) if recognizer else None


def _document(
    path: Path, data: bytes, settings: ReadingSettings, recognizer: PageRecognizer
) -> Document | PartialDocument:
    frames = _frames(data)
    digest = file_digest(data)
    found = recognizer.recognize(data, digest, range(1, frames + 1), document_id(str(path)))
    if not any(found.texts.values()):
        raise next(iter(found.failures.values()), UnreadableDocument("OCR finds no text in it", ""))
    extracted = ExtractedText(settings.max_megabytes)
    for number in range(1, frames + 1):
        extracted.add(found.texts.get(number, ""))
    original = OriginalFile(path, digest, settings.keep_originals)
    document = replace(extracted.document(path, "", {}, paged=True), original=original)
    return PartialDocument(document, missing_pages(found.failures, frames)) if found.failures else document


def _frames(data: bytes) -> int:
    from PIL import Image

    with Image.open(BytesIO(data), formats=PICTURE_FORMATS) as opened:
        # The frames of other formats are an animation.
        frames = int(getattr(opened, "n_frames", 1)) if opened.format == "TIFF" else 1
    if frames > _MOST_FRAMES:
        raise UnreadableDocument(f"{frames:,} pages are over the limit of {_MOST_FRAMES:,}", "split it")
    return frames
