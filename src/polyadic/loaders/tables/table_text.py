"""Rows of a table as lines that can be understood one by one."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest

from polyadic.text.sentences import LONGEST
from polyadic.text.table_rows import LONGEST_NAME, within_a_cell

_LOOKED_AT = 30
# What begins each line of a row that takes several: the cell that names it, if that is short.
_LONGEST_KEY = 200

_NUMBER = re.compile(r"[-+(]?[^\w\s]?\s?\d[\d.,'’ /:%-]*\)?\s?[^\W\d_]{0,4}[%€$£¥]?")
_YEAR = re.compile(r"[12]\d{3}(?:[-/]\d{2,4})?")
_COLON = re.compile(r":+(?= |$)")


def row_lines(rows: Iterable[Sequence[str]], headers: int | None = None) -> Iterator[str]:
    """A line for each row that is not blank: ``- Name: value; Name: value.`` where the columns have names.

    A row whose line would be longer than a sentence may be takes several, each with the row's first cell.

    Parameters
    ----------
    rows
        Cells as text, top to bottom.
    headers
        How many rows name the columns, from the first on that has more than one cell; None: it is judged by what
        stands there.

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
            ahead = [row, *islice(filled, _LOOKED_AT)]
            break
        # What stands alone above a table is its caption; each line of it is a paragraph.
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
    """How many of the first rows stand above the table itself: those at most half as wide as most rows are.

    >>> table_start([["Prices"], ["Valid from", "May"], ["Item", "Price", "Unit", "Stock"], ["hose", "9", "m", "3"]])
    2
    >>> table_start([["Name", "Born"], ["Ada", "1815"]])
    0
    """
    widths = [_width(row) for row in rows]
    counts = Counter(width for width in widths if width > 1)
    usual = max(counts, key=lambda width: (counts[width], width), default=0)
    start = next((place for place, width in enumerate(widths) if width > 1 and 2 * width > usual), 0)
    # Where hardly two rows are alike, lines of text have been taken for rows.
    return start if 2 * counts[usual] > len(rows) - start else 0


def caption(row: Sequence[str]) -> str:
    """A row above a table as a line of text.

    >>> caption(["Valid from:", "", "1 May 2024"])
    'Valid from: 1 May 2024'
    """
    first, *others = filter(None, map(_one_line, row))
    return f"{first.rstrip(': ')}: {', '.join(others)}" if others else first


def named_lines(pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The line of a row whose cells have these names; several where it would be too long, none where it is blank.

    Parameters
    ----------
    pairs
        Names, as :func:`column_names` makes them, and values. Empty values are left out.

    >>> list(named_lines([("Name", "Ada"), ("Died", ""), ("Notes", "first; see: G")]))
    ['- Name: Ada; Notes: first, see: G.']
    """
    cells = [_named(name, one_line) for name, value in pairs if (one_line := _one_line(value))]
    if not cells:
        return
    size = sum(map(len, cells)) + 2 * len(cells) + 2
    for part in _parts(cells) if size > LONGEST else [cells]:
        said = "; ".join(part)
        yield f"- {said}" if said.endswith((".", "!", "?")) else f"- {said}."


def unnamed_line(row: Sequence[str]) -> str:
    """The line of a row whose columns have no names.

    >>> unnamed_line(["Ada", "a|b"])
    '| Ada | a/b |'
    """
    return f"| {' | '.join(_one_line(cell).replace('|', '/') for cell in row)} |"


def column_names(header: Sequence[str]) -> list[str]:
    """Names of columns that differ and can stand before a colon; the first may be empty, as the corner of a table is.

    >>> column_names(["", "Price:", "", "Price", "Opens; closes"])
    ['', 'Price', 'column 3', 'Price (2)', 'Opens, closes']
    """
    names: list[str] = []
    taken: set[str] = set()
    for number, cell in enumerate(header, start=1):
        bare = _COLON.sub("", _one_line(cell).replace(";", ",").replace("|", "/"))[: LONGEST_NAME - 6].strip(": ")
        name = base = bare or (f"column {number}" if number > 1 else "")
        times = 1
        while name in taken:
            times += 1
            name = f"{base} ({times})" if times < _LOOKED_AT else f"column {number}"
        taken.add(name)
        names.append(name)
    return names


def names_columns(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of a table of values names its columns, rather than being one like the others.

    It does not where it holds a number in a column of numbers; years may be names.

    >>> names_columns(["Name", "2023", "2024"], [["Ada", "7", "8"]]), names_columns(["Ada", "1815"], [["Bob", "1816"]])
    (True, False)
    """
    numbers = [place for place, cell in enumerate(first) if _NUMBER.fullmatch(cell.strip())]
    if not numbers or not rows:
        return True
    if _are_years([first[place] for place in numbers], rows):
        return True
    return not any(_mostly_numbers(rows, place) for place in numbers)


def names_above_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row surely names the columns: it has names, and most values below one of them are numbers.

    >>> names_above_numbers([["Item", "Price"], ["hose", "9 EUR"]]), names_above_numbers([["Ada", "x"], ["Bob", "y"]])
    (True, False)
    """
    below = rows[1:]
    return bool(below) and _are_names(rows[0], below) and any(_mostly_numbers(below, at) for at in range(len(rows[0])))


def _width(row: Sequence[str]) -> int:
    """How many cells a row has up to the last that is not empty; a cell alone is as wide as one, wherever it stands."""
    filled = [place for place, cell in enumerate(row, start=1) if cell.strip()]
    return filled[-1] if len(filled) > 1 else len(filled)


def _one_line(cell: str) -> str:
    return " ".join(cell.split())


def _count_headers(rows: Sequence[Sequence[str]]) -> int:
    """How many rows at the top name the columns, judged by what stands there."""
    if len(rows) < 2:
        return 0
    return 2 if _are_two(rows) else int(_are_names(rows[0], rows[1:]))


def _are_two(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first two rows name the columns together: some cells of the first stand above several."""
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
    """One name a column out of several rows, in which a cell may stand above several columns."""
    *upper, last = headers
    names = [list(last)]
    for row in reversed(upper):
        spread: list[str] = []
        for cell in row:
            spread.append(cell or (spread[-1] if spread else ""))
        names.insert(0, spread)
    return [" ".join(dict.fromkeys(filter(None, column))) for column in zip_longest(*names, fillvalue="")]


def _are_names(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a row names the columns: short and different words, one for each column that is used.

    The first cell may be empty above a column that names the rows.
    """
    names = [name for name in first if name]
    columns = max(max((place for place, cell in enumerate(row, start=1) if cell), default=0) for row in rows)
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
    """Whether these are several years, one after the other, above values that are none."""
    years = [cell.strip() for cell in cells]
    if len(years) < 2 or not all(map(_YEAR.fullmatch, years)):
        return False
    in_order = sorted(set(years))
    below = [cell.strip() for row in rows for cell in row if cell]
    return years in (in_order, in_order[::-1]) and not sum(map(bool, map(_YEAR.fullmatch, below))) * 2 > len(below)


def _mostly_numbers(rows: Sequence[Sequence[str]], place: int) -> bool:
    cells = [row[place].strip() for row in rows if place < len(row) and row[place].strip()]
    return sum(map(bool, map(_NUMBER.fullmatch, cells))) * 2 > len(cells)


def _lines(names: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    if names:
        more = [f"column {number}" for number in range(len(names) + 1, len(row) + 1)]
        yield from named_lines([*zip([*names, *more], row, strict=False)])
    else:
        yield unnamed_line(row)


def _named(name: str, value: str) -> str:
    # What stands before a colon in a cell without a name would be read as its name.
    return f"{name}: {within_a_cell(value)}" if name else within_a_cell(value).replace(": ", ", ")


def _parts(cells: Sequence[str]) -> Iterator[list[str]]:
    """The cells of a row for lines that are each no longer than a sentence may be, unless one cell is."""
    key = [cells[0]] if len(cells[0]) <= _LONGEST_KEY else []
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
