"""HTML pages."""

from pathlib import Path

from polyadic.construction.reading.charset import decode_html
from polyadic.construction.reading.extracted import Extracted
from polyadic.construction.reading.foreign import Format, reader
from polyadic.construction.reading.markup import shown_page
from polyadic.knowledge import Document
from polyadic.settings import ReadingSettings

HTML = Format(".html", "HTML page")


@reader(HTML)
def read_html(path: Path, data: bytes, settings: ReadingSettings) -> Document:
    """The one document of a page, as far as its text is shown without any script."""
    page = shown_page(decode_html(data, settings.encoding))
    extracted = Extracted(settings.max_megabytes)
    extracted.add(page.text)
    return extracted.document(path, page.title, page.metadata, paged=False)
