"""Read pictures of text by OCR; the frames of a TIFF file are its pages."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.ocr.page_recognizer import PageRecognizer
from polyadic.loaders.pages.page_rendering import PICTURE_FORMATS
from polyadic.loaders.third_party_parsers import OptionalFormat, PartialDocument, missing_pages, reader
from polyadic.model.identity import document_id
from polyadic.model.original_file import OriginalFile, file_digest
from polyadic.model.types import Document

PICTURE = OptionalFormat(".png", "picture", package="Pillow", module="PIL")

_MOST_FRAMES = 2_000


@reader(PICTURE)
def read_picture(
    path: Path, data: bytes, settings: ReadingSettings, recognizer: PageRecognizer
) -> Document | PartialDocument:
    """Recognize the text of a picture."""
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
