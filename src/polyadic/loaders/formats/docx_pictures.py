"""Find the pictures of Word files."""

from collections.abc import Iterator, Mapping
from typing import Any

from polyadic.loaders.formats.docx_elements import SKIPPED_ELEMENTS, Element
from polyadic.loaders.ocr.captions import Picture, picture_of_file

_BLIP = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"
_EMBEDDED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"


def docx_pictures(body: Element, relations: Mapping[str, Any]) -> dict[str, Picture]:
    """Return the pictures that are stored in the file, by the id of their relation, in document order."""
    found: dict[str, Picture] = {}
    for blip in body.iter(_BLIP):
        name = blip.get(_EMBEDDED, "")
        relation = relations.get(name)
        if relation is None or relation.is_external or name in found:
            continue
        if picture := picture_of_file(relation.target_part.blob):
            found[name] = picture
    return found


def picture_names(paragraph: Element) -> Iterator[str]:
    """Yield the ids of the pictures in a paragraph, without those in its text boxes."""
    for blip in paragraph.iter(_BLIP):
        for above in blip.iterancestors():
            if above is paragraph:
                yield blip.get(_EMBEDDED, "")
            if above is paragraph or above.tag in SKIPPED_ELEMENTS:
                break
