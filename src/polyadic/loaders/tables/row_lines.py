"""Format table rows as self-contained lines of text."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest

from polyadic.text.sentences import LONGEST
from polyadic.text.table_rows import LONGEST_NAME, within_a_cell

_SAMPLE_ROWS = 30
_MOST_NOTES = 10
# If a row takes several lines, each begins with the row's first cell, provided that this is short.
_MAX_KEY_CHARACTERS = 200

_NUMBER = re.compile(r"[-+(]?[^\w\s]?\s?\d[\d.,'’ /:%-]*\)?\s?[^\W\d_]{0,4}[%€$£¥]?")
_YEAR = re.compile(r"[12]\d{3}(?:[-/]\d{2,4})?")
_COLON = re.compile(r":+(?= |$)")


def row_lines(rows: Iterable[Sequence[str]], headers: int | None = None) -> Iterator[str]:
    """Yield one line per non-blank row: ``- Name: value; Name: value.`` if the columns have names.

    A row whose line would exceed the maximum length of a sentence is split into several lines, each with the row's
    first cell.

    Parameters
    ----------
    rows
        The rows from top to bottom, as cell texts.
    headers
        Number of rows that name the columns, from the first row with more than one cell; None to detect it from the
        content.

    >>> list(row_lines([["Name", "Born"], ["Ada", "1815"], ["Charles", "1791"]]))
    ['- Name: Ada; Born: 1815.', '- Name: Charles; Born: 1791.']
    >>> list(row_lines([["Ada", "1815"], ["Charles", "1791"]]))
    ['| Ada | 1815 |', '| Charles | 1791 |']
    """
    filled = (row for row in ([_one_line(cell) for cell in row] for row in rows) if any(row))
    ahead: list[list[str]] = []
    is_captioned = False
    for row in filled:
        if sum(map(bool, row)) > 1:
            ahead = [row, *islice(filled, _SAMPLE_ROWS)]
            break
        # Single cells above a table are its caption; each line of it is a paragraph.
        yield from ["", caption(row)] if is_captioned else [caption(row)]
        is_captioned = True
    if not ahead:
        return
    if is_captioned:
        start = table_start(ahead)
        for row in ahead[:start]:
            yield from ("", caption(row))
        del ahead[:start]
    above = _count_headers(ahead) if headers is None else min(headers, len(ahead) - 1)
    names = column_names(_joined(ahead[:above])) if above else []
    for row in ahead[above:]:
        yield from _lines(names, row)
    for row in filled:
        yield from _lines(names, row)


def table_start(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows precede the table itself: those at most half as wide as the most common width, and notes.

    Notes are rows with gaps above the first row that has a name in each column.

    >>> table_start([["Prices"], ["Valid from", "May"], ["Item", "Price", "Unit", "Stock"], ["hose", "9", "m", "3"]])
    2
    >>> table_start([["Name", "Born"], ["Ada", "1815"]])
    0
    """
    widths = [_width(row) for row in rows]
    counts = Counter(width for width in widths if width > 1)
    usual = max(counts, key=lambda width: (counts[width], width), default=0)
    start = next((index for index, width in enumerate(widths) if width > 1 and 2 * width > usual), 0)
    # If few rows have the same width, the rows are probably lines of text.
    return _below_notes(rows, start, usual) if 2 * counts[usual] > len(rows) - start else 0


def _below_notes(rows: Sequence[Sequence[str]], start: int, width: int) -> int:
    """Return the place of the header below notes; ``start`` if there are none, or a header of two rows."""
    if len(rows) - start > 1 and _is_double_header(rows[start:]):
        return start
    for place in range(start, min(start + _MOST_NOTES, len(rows) - 2)):
        cells = [cell.strip() for cell in rows[place][:width]]
        if len(cells) == width and all(cells):
            is_header = all(map(_is_name, cells)) and len(set(cells)) == width
            return place if is_header else start
    return start


def caption(row: Sequence[str]) -> str:
    """Format a row above a table as a line of text.

    >>> caption(["Valid from:", "", "1 May 2024"])
    'Valid from: 1 May 2024'
    """
    first, *others = filter(None, map(_one_line, row))
    return f"{first.rstrip(': ')}: {', '.join(others)}" if others else first


def named_lines(pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the line of a row with named cells; several lines if it would be too long, none if the row is blank.

    Parameters
    ----------
    pairs
        Names, as returned by :func:`column_names`, and values. Empty values are dropped.

    >>> list(named_lines([("Name", "Ada"), ("Died", ""), ("Notes", "first; see: G")]))
    ['- Name: Ada; Notes: first, see: G.']
    """
    cells = [_named(name, one_line) for name, value in pairs if (one_line := _one_line(value))]
    if not cells:
        return
    size = sum(map(len, cells)) + 2 * len(cells) + 2
    for part in _parts(cells) if size > LONGEST else [cells]:
        content = "; ".join(part)
        yield f"- {content}" if content.endswith((".", "!", "?")) else f"- {content}."


def unnamed_line(row: Sequence[str]) -> str:
    """Format a row whose columns have no names.

    >>> unnamed_line(["Ada", "a|b"])
    '| Ada | a/b |'
    """
    return f"| {' | '.join(_one_line(cell).replace('|', '/') for cell in row)} |"


def column_names(header: Sequence[str]) -> list[str]:
    """Make column names unique and safe before a colon; the first may be empty, like the corner of a table.

    >>> column_names(["", "Price:", "", "Price", "Opens; closes"])
    ['', 'Price', 'column 3', 'Price (2)', 'Opens, closes']
    """
    names: list[str] = []
    used: set[str] = set()
    for number, cell in enumerate(header, start=1):
        bare = _COLON.sub("", _one_line(cell).replace(";", ",").replace("|", "/"))[: LONGEST_NAME - 6].strip(": ")
        name = base = bare or (f"column {number}" if number > 1 else "")
        times = 1
        while name in used:
            times += 1
            name = f"{base} ({times})" if times < _SAMPLE_ROWS else f"column {number}"
        used.add(name)
        names.append(name)
    return names


def names_columns(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row of a data table is a header rather than data.

    It is data if it contains a number in a column of numbers; years may be column names.

    >>> names_columns(["Name", "2023", "2024"], [["Ada", "7", "8"]]), names_columns(["Ada", "1815"], [["Bob", "1816"]])
    (True, False)
    """
    numbers = [column for column, cell in enumerate(first) if _NUMBER.fullmatch(cell.strip())]
    if not numbers or not rows:
        return True
    if _are_years([first[column] for column in numbers], rows):
        return True
    return not any(_mostly_numbers(rows, column) for column in numbers)


def names_above_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is certainly a header: it has names, and most values in some column are numbers.

    >>> names_above_numbers([["Item", "Price"], ["hose", "9 EUR"]]), names_above_numbers([["Ada", "x"], ["Bob", "y"]])
    (True, False)
    """
    below = rows[1:]
    return bool(below) and _are_names(rows[0], below) and any(_mostly_numbers(below, i) for i in range(len(rows[0])))


def _width(row: Sequence[str]) -> int:
    """Return the width of a row up to its last non-empty cell; a row with a single non-empty cell has width 1."""
    filled = [number for number, cell in enumerate(row, start=1) if cell.strip()]
    return filled[-1] if len(filled) > 1 else len(filled)


def _one_line(cell: str) -> str:
    return " ".join(cell.split())


def _count_headers(rows: Sequence[Sequence[str]]) -> int:
    """Detect the number of header rows from the content."""
    if len(rows) < 2:
        return 0
    return 2 if _is_double_header(rows) else int(_are_names(rows[0], rows[1:]))


def _is_double_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first two rows form a header together: some cells of the first span several columns."""
    first, second = rows[0], rows[1]
    if len(rows) < 3 or len(second) < len(first) or all(first):
        return False
    if not all(_is_name(cell) or _YEAR.fullmatch(cell) for cell in (*first, *second) if cell):
        return False
    if not any(map(_NUMBER.fullmatch, rows[2])):
        return False
    together = _joined([first, second])
    return all(together) and len(set(together)) == len(together) and sum(map(bool, first)) > 1


def _joined(headers: Sequence[Sequence[str]]) -> list[str]:
    """Join several header rows into one name per column; an empty cell continues the cell to its left."""
    *upper, last = headers
    names = [list(last)]
    for row in reversed(upper):
        spread: list[str] = []
        for cell in row:
            spread.append(cell or (spread[-1] if spread else ""))
        names.insert(0, spread)
    return [" ".join(dict.fromkeys(filter(None, column))) for column in zip_longest(*names, fillvalue="")]


def _are_names(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a row is a header: short, distinct names, one for each column in use.

    The first cell may be empty if the first column names the rows.
    """
    names = [name for name in first if name]
    columns = max(max((number for number, cell in enumerate(row, start=1) if cell), default=0) for row in rows)
    is_full = len(names) >= len(first) - (not first[0] and len(first) > 2) and len(first) >= columns
    if not is_full or len(set(names)) < len(names):
        return False
    others = [name for name in names if not _is_name(name)]
    return not others or ((len(others) < len(names) or not first[0]) and _are_years(others, rows))


def _is_name(cell: str) -> bool:
    is_worded = any(letter.isalpha() for letter in cell) and not cell[0].isdigit()
    return is_worded and len(cell) <= LONGEST_NAME and not cell.endswith(("!", ",")) and not _ends_a_sentence(cell)


def _ends_a_sentence(cell: str) -> bool:
    return cell.endswith(".") and len(cell.split()) > 2


def _are_years(cells: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the cells are several years in order, and most values below are not years."""
    years = [cell.strip() for cell in cells]
    if len(years) < 2 or not all(map(_YEAR.fullmatch, years)):
        return False
    in_order = sorted(set(years))
    below = [cell.strip() for row in rows for cell in row if cell]
    return years in (in_order, in_order[::-1]) and not sum(map(bool, map(_YEAR.fullmatch, below))) * 2 > len(below)


def _mostly_numbers(rows: Sequence[Sequence[str]], column: int) -> bool:
    cells = [row[column].strip() for row in rows if column < len(row) and row[column].strip()]
    return sum(map(bool, map(_NUMBER.fullmatch, cells))) * 2 > len(cells)


def _lines(names: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    if names:
        more = [f"column {number}" for number in range(len(names) + 1, len(row) + 1)]
        yield from named_lines([*zip([*names, *more], row, strict=False)])
    else:
        yield unnamed_line(row)


def _named(name: str, value: str) -> str:
    # In a cell without a name, text before a colon would be read as the name.
    return f"{name}: {within_a_cell(value)}" if name else within_a_cell(value).replace(": ", ", ")


def _parts(cells: Sequence[str]) -> Iterator[list[str]]:
    """Split the cells of a row into lines of at most the maximum sentence length, unless a single cell is longer."""
    key = [cells[0]] if len(cells[0]) <= _MAX_KEY_CHARACTERS else []
    part: list[str] = []
    size = 0
    for cell in cells:
        if part and size + len(cell) + 2 > LONGEST - 3:
            yield part
            part = [*key]
            size = sum(map(len, key))
        part.append(cell)
        size += len(cell) + 2
    yield part
