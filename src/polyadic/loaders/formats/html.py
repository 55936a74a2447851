"""Read HTML pages."""

from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.html.charset import decode_html
from polyadic.loaders.html.text import shown_page
from polyadic.loaders.optional_readers import OptionalFormat, reader
from polyadic.model.types import Document

HTML = OptionalFormat(".html", "HTML page")


@reader(HTML)
def read_html(path: Path, data: bytes, settings: ReadingSettings) -> Document:
    """Read a page as one document, with the text that is visible without running scripts."""
    page = shown_page(decode_html(data, settings.encoding))
    extracted = ExtractedText(settings.max_megabytes)
    extracted.add(page.text)
    return extracted.document(path, page.title, page.metadata, paged=False)
