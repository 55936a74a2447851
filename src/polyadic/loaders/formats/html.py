"""Read HTML pages."""

from functools import partial
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.html.charset import decode_html
from polyadic.loaders.html.pictures import html_pictures
from polyadic.loaders.html.text import shown_page
from polyadic.loaders.ocr.captions import Captioner, captions_by_name
from polyadic.loaders.ocr.recognizer import PageRecognizer
from polyadic.loaders.optional_readers import OptionalFormat, OptionalReader, PartialDocument, reader, with_problems
from polyadic.model.identity import document_id
from polyadic.model.types import Document

HTML = OptionalFormat(".html", "HTML page")


@reader(HTML)
def read_html(path: Path, data: bytes, settings: ReadingSettings) -> Document | PartialDocument:
    """Read a page as one document, with the text that is visible without running scripts."""
    return _document(path, data, settings, None)


def image_reader(recognizer: PageRecognizer | None, captioner: Captioner | None) -> OptionalReader | None:
    """Return a reader that adds captions of pictures below their paragraphs; None without a captioner."""
    return OptionalReader(HTML, partial(_document, captioner=captioner)) if captioner else None


def _document(
    path: Path, data: bytes, settings: ReadingSettings, captioner: Captioner | None
) -> Document | PartialDocument:
    html = decode_html(data, settings.encoding)
    pictures = html_pictures(html, path, settings.max_megabytes) if captioner else {}
    captions = captions_by_name(pictures, captioner, document_id(str(path)))
    page = shown_page(html, captions=captions.texts)
    extracted = ExtractedText(settings.max_megabytes)
    extracted.add(page.text)
    return with_problems(extracted.document(path, page.title, page.metadata, paged=False), captions.problems)
