"""Read EPUB books: an archive of XHTML chapters, with a spine that defines the reading order."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from zipfile import ZipFile

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.archives import archive, member, xml_tree
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.html.charset import decode_html
from polyadic.loaders.html.page_text import explicitly_closed, shown_page
from polyadic.loaders.html.pictures import pictures_stored_with
from polyadic.loaders.ocr.captions import Captioner, NamedCaptions, Picture, captions_by_name
from polyadic.loaders.third_party_parsers import (
    OptionalFormat,
    PartialDocument,
    reader,
    unreadable,
    with_problems,
)
from polyadic.model.identity import document_id
from polyadic.model.types import Document

EPUB = OptionalFormat(".epub", "EPUB")

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# Font obfuscation algorithms, which do not affect the text.
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_CHAPTER = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_MAX_CHAPTERS = 20_000
_YEAR = re.compile(r"\d{4}(?:-\d\d){0,2}")


@reader(EPUB)
def read_epub(
    path: Path, data: bytes, settings: ReadingSettings, captioner: Captioner | None = None
) -> Document | PartialDocument:
    """Read a book as one document, with its chapters in reading order."""
    extracted = ExtractedText(settings.max_megabytes)
    with archive(data, EPUB, settings.max_megabytes) as opened:
        _refuse_protected(opened)
        package_path = _package_path(opened)
        package = xml_tree(member(opened, package_path), recover=True)
        if package is None:
            raise unreadable(EPUB, "it has no package document")
        chapters = list(_chapters(package, posixpath.dirname(package_path)))
        pictures = _pictures(opened, chapters, settings.encoding) if captioner else {}
        captions = captions_by_name(pictures, captioner, document_id(str(path)))
        for name in chapters:
            if content := member(opened, name).strip():
                html = decode_html(content, settings.encoding)
                extracted.add(shown_page(html, is_xml=True, captions=_captions_in(name, captions)).text)
    title, metadata = _described(package)
    return with_problems(extracted.document(path, title, metadata, paged=False), captions.problems)


def _pictures(opened: ZipFile, chapters: Sequence[str], encoding: str) -> dict[str, Picture]:
    """Return the pictures in a book, named by the path of their chapter and their ``src`` there."""
    found = {}
    for chapter in chapters:
        html = explicitly_closed(decode_html(member(opened, chapter), encoding))
        pictures = pictures_stored_with(html, partial(_relative, opened, chapter))
        found.update({f"{chapter}#{source}": picture for source, picture in pictures.items()})
    return found


def _relative(opened: ZipFile, chapter: str, name: str) -> bytes:
    """Read a file by its path relative to a chapter."""
    return member(opened, posixpath.join(posixpath.dirname(chapter), name))


def _captions_in(chapter: str, captions: NamedCaptions) -> dict[str, str]:
    """Return the captions of the pictures in a chapter by their ``src``."""
    start = f"{chapter}#"
    return {name.removeprefix(start): text for name, text in captions.texts.items() if name.startswith(start)}


def _refuse_protected(opened: ZipFile) -> None:
    """Raise UnreadableDocument if the text of a book is encrypted (DRM)."""
    listed = xml_tree(member(opened, _ENCRYPTION), recover=True)
    if listed is None:
        return
    methods = [method.get("Algorithm", "") for method in _all(listed, "EncryptionMethod", within="EncryptedData")]
    if any(method not in _FONTS for method in methods):
        raise UnreadableDocument("encrypted", "get a copy without copy protection")


def _package_path(opened: ZipFile) -> str:
    """Return the path of the package document in the archive."""
    container = xml_tree(member(opened, _CONTAINER), recover=True)
    found = next(_all(container, "rootfile"), None) if container is not None else None
    if found is not None and found.get("full-path"):
        return str(found.get("full-path"))
    return next((name for name in opened.namelist() if name.lower().endswith(".opf")), "")


def _chapters(package: Any, folder: str) -> Iterator[str]:
    """Yield the paths of the chapters in reading order, each once, without the table of contents."""
    items = {item.get("id"): item for item in _all(package, "item")}
    yielded: set[str] = set()
    for reference in _all(package, "itemref"):
        item = items.get(reference.get("idref"))
        if item is None or item.get("media-type") not in _CHAPTER or "nav" in (item.get("properties") or "").split():
            continue
        name = posixpath.join(folder, unquote(item.get("href") or "").split("#")[0])
        if name not in yielded and len(yielded) < _MAX_CHAPTERS:
            yielded.add(name)
            yield name


def _described(package: Any) -> tuple[str, dict[str, object]]:
    def values(name: str) -> list[str]:
        texts = ("".join(found.itertext()).strip() for found in _all(package, name, within="metadata"))
        return [words for words in texts if words]

    dates = [found.group() for value in values("date") if (found := _YEAR.match(value))]
    metadata: dict[str, object] = {
        "author": values("creator"),
        "publisher": values("publisher")[:1],
        "language": values("language")[:1],
        "date": dates[:1],
        "subject": values("subject"),
    }
    return next(iter(values("title")), ""), metadata


def _all(root: Any, name: str, within: str = "") -> Iterator[Any]:
    """Yield the elements with a name, in any namespace and at any depth."""
    tops = root.iter(f"{{*}}{within}") if within else [root]
    return (element for top in tops for element in top.iter(f"{{*}}{name}"))
