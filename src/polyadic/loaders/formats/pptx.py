"""Read presentations: for each slide its title as a heading, its content, and the speaker notes."""

import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from polyadic.config import ReadingSettings
from polyadic.loaders.archives import archive
from polyadic.loaders.document_properties import document_properties, sensible_title
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.ocr.captions import Captioner, Picture, captions_by_name, picture_of_file
from polyadic.loaders.tables.row_lines import row_lines
from polyadic.loaders.third_party_parsers import OptionalFormat, PartialDocument, reader, with_problems
from polyadic.model.identity import document_id
from polyadic.model.types import Document
from polyadic.text.code_fences import without_headings

PPTX = OptionalFormat(".pptx", "PowerPoint file", package="python-pptx", module="pptx")

_MIN_HEADER_COLUMNS = 3
_MAX_GROUP_DEPTH = 20


@reader(PPTX)
def read_pptx(
    path: Path, data: bytes, settings: ReadingSettings, captioner: Captioner | None = None
) -> Document | PartialDocument:
    """Read a presentation as one document; ``pages`` are the slides, with hidden ones, numbered as in PowerPoint."""
    import pptx

    with archive(data, PPTX, settings.max_megabytes):
        opened = pptx.Presentation(io.BytesIO(data))
    extracted = ExtractedText(settings.max_megabytes)
    captions = captions_by_name(_pictures(opened) if captioner else {}, captioner, document_id(str(path)))
    for slide in opened.slides:
        extracted.add("\n\n".join(filter(None, _slide(slide, captions.texts))))
    properties = opened.core_properties
    title = sensible_title(properties.title, path)
    document = extracted.document(path, title, document_properties(properties), paged=True)
    return with_problems(document, captions.problems)


def _pictures(opened: Any) -> dict[str, Picture]:
    """Return the pictures that are stored in the file, by slide and shape."""
    found: dict[str, Picture] = {}
    for slide in opened.slides:
        for shape in _shapes(slide.shapes):
            if picture := _picture(shape):
                found[_name(slide, shape)] = picture
    return found


def _picture(shape: Any) -> Picture | None:
    try:
        # Linked pictures are not in the file, and empty placeholders have none.
        content: bytes = shape.image.blob
    except (AttributeError, KeyError, ValueError):
        return None
    return picture_of_file(content)


def _name(slide: Any, shape: Any) -> str:
    return f"{slide.slide_id} {shape.shape_id}"


def _slide(slide: Any, captions: Mapping[str, str]) -> Iterator[str]:
    title = slide.shapes.title
    if title is not None:
        words = " ".join(title.text_frame.text.split())
        yield f"# {words}" if words else ""
    for shape in _shapes(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            yield captions.get(_name(slide, shape)) or _shape(shape)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield without_headings(slide.notes_slide.notes_text_frame.text)


def _shapes(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """Yield the shapes of a slide, including those in groups, without date, header, footer and slide number."""
    from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

    repeated = {
        PP_PLACEHOLDER.DATE,
        PP_PLACEHOLDER.FOOTER,
        PP_PLACEHOLDER.SLIDE_NUMBER,
        PP_PLACEHOLDER.HEADER,
    }
    for shape in shapes:
        if shape.is_placeholder and shape.placeholder_format.type in repeated:
            continue
        if getattr(shape, "shape_type", None) == MSO_SHAPE_TYPE.GROUP and depth < _MAX_GROUP_DEPTH:
            yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _shape(shape: Any) -> str:
    if shape.has_table:
        return _table(shape.table)
    if not shape.has_text_frame:
        return ""
    lines = [(paragraph.level, " ".join(paragraph.text.split())) for paragraph in shape.text_frame.paragraphs]
    non_empty = [(level, line) for level, line in lines if line]
    # Several lines in the body of a slide are a list, with or without bullets.
    if shape.is_placeholder and len(non_empty) > 1:
        return "\n".join(f"{'  ' * level}- {line}" for level, line in non_empty)
    return without_headings("\n\n".join(line for _, line in non_empty))


def _table(table: Any) -> str:
    # The first-row flag is set in nearly every table, so detect headers; in narrow tables the first column often names
    # the rows.
    headers = None if table.first_row and len(table.columns) >= _MIN_HEADER_COLUMNS else 0
    return "\n".join(row_lines(_rows(table), headers))


def _rows(table: Any) -> Iterator[list[str]]:
    """Yield the cell texts of each row, repeated over spanned columns and rows, except in a row of one cell."""
    width = len(table.columns)
    spanned: dict[tuple[int, int], str] = {}
    for row, cells in enumerate(table.rows):
        texts = []
        for column, cell in enumerate(cells.cells):
            if cell.is_merge_origin and cell.span_width < width:
                for down in range(cell.span_height):
                    spanned |= {(row + down, column + right): cell.text for right in range(cell.span_width)}
            texts.append(spanned.pop((row, column), cell.text))
        yield texts
