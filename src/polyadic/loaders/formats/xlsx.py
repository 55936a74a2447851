"""Read spreadsheets: one line per row, with column names if the sheet has them."""

import io
import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.archives import UNPACKED_TIMES, archive
from polyadic.loaders.document_properties import document_properties, sensible_title
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.tables.row_lines import row_lines
from polyadic.loaders.third_party_parsers import OptionalFormat, reader
from polyadic.model.types import Document

XLSX = OptionalFormat(".xlsx", "Excel file", package="openpyxl", module="openpyxl")

MOST_CELLS = 5_000_000
"""Maximum number of cells in one file, including empty cells before the last one of a row."""

_SHOWN = "visible"
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_MAX_MERGED = 10_000
_ERRORS = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA"}


@reader(XLSX)
def read_xlsx(path: Path, data: bytes, settings: ReadingSettings) -> Document:
    """Read a file as one document, with values instead of formulas; ``pages`` are the visible sheets."""
    from openpyxl import load_workbook

    extracted = ExtractedText(settings.max_megabytes)
    # Sheets are read row by row without building a tree, so more markup is allowed.
    with archive(data, XLSX, settings.max_megabytes, markup_times=UNPACKED_TIMES):
        opened = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    try:
        cells = 0
        sheets = [sheet for sheet in opened.worksheets if sheet.sheet_state == _SHOWN]
        for sheet in sheets:
            cells = _add(sheet, extracted, cells)
    finally:
        opened.close()
    properties = opened.properties
    # The name of the first sheet says nothing about the others.
    title = sensible_title(properties.title, path) or (path.stem if len(sheets) > 1 else "")
    return extracted.document(path, title, document_properties(properties), paged=True)


def _add(sheet: Any, extracted: ExtractedText, cells: int) -> int:
    """Add a sheet; return the total number of cells read so far."""
    # The dimensions stored in a sheet are often wrong.
    sheet.reset_dimensions()
    count = _Count(cells)
    extracted.add_table(sheet.title, row_lines(_filled(_rows(sheet, count), _merged_down(sheet))))
    return count.cells


class _Count:
    def __init__(self, cells: int) -> None:
        self.cells = cells


def _rows(sheet: Any, count: _Count) -> Iterator[list[str]]:
    for row in sheet.iter_rows(values_only=True):
        # Count rows without cells too: row numbers may have large gaps, which the library fills with empty rows.
        count.cells += max(1, len(row))
        if count.cells > MOST_CELLS:
            raise UnreadableDocument(f"more than {MOST_CELLS:,} cells", "split it, or save it as .csv")
        yield [_value(value) for value in row]


def _merged_down(sheet: Any) -> dict[int, list[tuple[int, int]]]:
    """Return the vertically merged cells by their first row, each with its column (from 0) and last row."""
    merged_cells: dict[int, list[tuple[int, int]]] = {}
    with sheet.parent._archive.open(sheet._worksheet_path) as file:
        data = file.read()
    for merged in islice(_MERGED.finditer(data), _MAX_MERGED):
        column, first, _, last = (part.decode() for part in merged.groups())
        if int(first) < int(last):
            column_index = sum((ord(letter) - 64) * 26**power for power, letter in enumerate(reversed(column))) - 1
            merged_cells.setdefault(int(first), []).append((column_index, int(last)))
    return merged_cells


def _filled(rows: Iterator[list[str]], merged: dict[int, list[tuple[int, int]]]) -> Iterator[list[str]]:
    """Yield the rows, with the value of vertically merged cells repeated in the rows below."""
    open_merges: dict[int, tuple[str, int]] = {}
    for number, row in enumerate(rows, start=1):
        if any(row):
            for column, (text, last) in [*open_merges.items()]:
                if number <= last and column < len(row):
                    row[column] = row[column] or text
                elif number > last:
                    del open_merges[column]
        open_merges |= {column: (row[column], last) for column, last in merged.get(number, ()) if column < len(row)}
        yield row


def _value(value: object) -> str:
    """Format a cell value as text; dates in ISO 8601, errors as an empty string.

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
