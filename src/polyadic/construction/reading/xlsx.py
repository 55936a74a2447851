"""Spreadsheets: a line for each row, with the names of the columns where the sheet gives them."""

import io
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from polyadic.construction.reading.archives import UNPACKED_TIMES, archive
from polyadic.construction.reading.extracted import Extracted
from polyadic.construction.reading.files import byte_limit, too_large
from polyadic.construction.reading.foreign import Format, reader
from polyadic.construction.reading.grid import row_lines
from polyadic.construction.reading.properties import properties_said
from polyadic.construction.reading.titles import sensible_title
from polyadic.errors import UnreadableDocument
from polyadic.knowledge import Document
from polyadic.settings import ReadingSettings

XLSX = Format(".xlsx", "Excel file", package="openpyxl", module="openpyxl")

MOST_CELLS = 5_000_000
"""Cells of one file, empty ones before the last of their row too."""

_SHOWN = "visible"
_ERRORS = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA"}


@reader(XLSX)
def read_xlsx(path: Path, data: bytes, settings: ReadingSettings) -> Document:
    """The one document of a file: values, not formulas. ``pages`` are the sheets that are not hidden."""
    from openpyxl import load_workbook

    extracted = Extracted(settings.max_megabytes)
    # The sheets are read row by row, so no tree is made of them.
    with archive(data, XLSX, settings.max_megabytes, markup_times=UNPACKED_TIMES):
        opened = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    try:
        cells = 0
        for sheet in opened.worksheets:
            if sheet.sheet_state != _SHOWN:
                continue
            cells = _add(sheet, extracted, cells, settings.max_megabytes)
    finally:
        opened.close()
    properties = opened.properties
    return extracted.document(path, sensible_title(properties.title, path), properties_said(properties), paged=True)


def _add(sheet: Any, extracted: Extracted, cells: int, max_megabytes: float) -> int:
    """Add a sheet that has any text; returns how many cells have been read by now."""
    # What a sheet says of its own size is often wrong.
    sheet.reset_dimensions()
    count = _Count(cells)
    lines: list[str] = []
    size = 0
    for line in row_lines(_rows(sheet, count)):
        size += len(line) + 1
        if size > byte_limit(max_megabytes):
            raise too_large(size, max_megabytes)
        lines.append(line)
    extracted.add("\n\n".join([f"# {' '.join(sheet.title.split())}", "\n".join(lines)]) if lines else "")
    return count.cells


class _Count:
    def __init__(self, cells: int) -> None:
        self.cells = cells


def _rows(sheet: Any, count: _Count) -> Iterator[list[str]]:
    for row in sheet.iter_rows(values_only=True):
        # A row without cells counts too: rows may have any number, and those between are made up.
        count.cells += max(1, len(row))
        if count.cells > MOST_CELLS:
            raise UnreadableDocument(f"more than {MOST_CELLS:,} cells", "split it, or save it as .csv")
        yield [_value(value) for value in row]


def _value(value: object) -> str:
    """A value as a person writes it; dates in ISO 8601, errors as nothing.

    >>> _value(3.0), _value(0.1 + 0.2), _value(datetime(1815, 12, 10)), _value(True), _value("#DIV/0!")
    ('3', '0.3', '1815-12-10', 'true', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    text = str(value)
    return "" if text in _ERRORS else text
