"""Find the pictures of HTML that are in the page itself or stored with it; none is fetched."""

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from polyadic.errors import UnreadableDocument
from polyadic.loaders.file_access import read_whole
from polyadic.loaders.ocr.captions import Picture, picture_of_file

_DATA = re.compile(r"data:image/[\w.+-]+(?P<base64>;base64)?,", re.IGNORECASE)
_MOST_PICTURES = 2_000


def html_pictures(html: str, path: Path, max_megabytes: float) -> dict[str, Picture]:
    """Return the pictures of a page by the value of their ``src``, in document order.

    Parameters
    ----------
    html
        The page.
    path
        Its file. Pictures in other files must be in its folder or below.
    max_megabytes
        Size limit of a picture.
    """
    return pictures_stored_with(html, partial(_beside, path, max_megabytes))


def pictures_stored_with(html: str, content_of: Callable[[str], bytes | None]) -> dict[str, Picture]:
    """Return the pictures of a page by the value of their ``src``, in document order.

    Parameters
    ----------
    html
        The page.
    content_of
        Called with the relative path in a ``src``; returns the bytes of the file, or None if it is not there.
    """
    found: dict[str, Picture] = {}
    for source in _sources(html):
        if source not in found and (content := _content(source, content_of)):
            picture = picture_of_file(content)
            if picture:
                found[source] = picture
    return found


class _Sources:
    """Parser target that collects the sources of images."""

    def __init__(self) -> None:
        self.sources: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "img" and len(self.sources) < _MOST_PICTURES and (source := attributes.get("src", "").strip()):
            self.sources.append(source)

    def close(self) -> list[str]:
        return self.sources


def _sources(html: str) -> list[str]:
    from lxml import etree

    parser = etree.HTMLParser(target=_Sources(), encoding="utf-8", no_network=True, huge_tree=True)
    sources: list[str] = etree.fromstring(html.encode(), parser)
    return sources


def _content(source: str, content_of: Callable[[str], bytes | None]) -> bytes | None:
    """Return the bytes of a picture; None if it is elsewhere or cannot be read."""
    try:
        if data := _DATA.match(source):
            encoded = unquote_to_bytes(source[data.end() :])
            return base64.b64decode(encoded) if data.group("base64") else encoded
        address = urlsplit(source)
        if address.scheme or address.netloc or not address.path:
            return None
        return content_of(unquote(address.path))
    except (UnreadableDocument, binascii.Error, OSError, ValueError):
        return None


def _beside(path: Path, max_megabytes: float, name: str) -> bytes | None:
    """Read a file in the folder of a page or below."""
    folder = path.parent.resolve()
    file = (folder / name).resolve()
    return read_whole(file, max_megabytes) if file.is_relative_to(folder) else None
