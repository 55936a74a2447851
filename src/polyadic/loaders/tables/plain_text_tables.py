"""Convert tables in plain text (grids, boxes and aligned columns) to self-contained rows.

Grids have borders (``+----+----+``) around each row, or around the header and all rows. Boxes are drawn with line
characters (``│``). Other tables have a ruler below the header (``----  ----``, ``----+----``), or above and below it as
in reStructuredText (``====  ====``), or only spaces or tabs between their columns.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from polyadic.loaders.tables.row_lines import row_lines

_GRID_BORDER = re.compile(r"\+(?:[-=]{3,}\+){2,}$")
_RULER = re.compile(r"-{2,}(?:(?: +|-?[+|]-?)-{2,})+$")
_DASHES = re.compile(r"-{2,}")
_HEADER_BELOW = "="
_MOST_LINES = 10_000
_LEAST_WORDS = 2
# Minimum number of rows of a table that is directly followed by other text.
_LEAST_ROWS = 2

# The header of aligned columns: at least three names, separated by two or more spaces.
_ALIGNED_HEADER = re.compile(r"[ \t]*[^\W\d_][^\d\n]*?\S {2,}\S[^\d\n]*?\S {2,}\S[^\d\n]*$")
_LEAST_ALIGNED = 3
_DIGIT = re.compile(r"\d")
_LONGEST_HEADER = 30
_WIDEST = 400

# A line of cells that are separated by tabs.
_TABBED = re.compile(rf"(?=.{{3,{_WIDEST}}}$)\S[^\t]*\t+\s*\S")
_TABS = re.compile(r"\s*\t\s*")
_LEAST_TABBED = 3

_WALL = "│┃║"
_CORNERS = "┌├└╔╠╚┏┣┗╭╰╞╟"
_ENDS = "┐┤┘╗╣╝┓┫┛╮╯╡╢"
_LEAST_BOX_LINES = 3


def with_rows(text: str) -> str:
    """Replace the rows of drawn tables with lines that name their columns; leave all other text unchanged.

    >>> print(with_rows("Tools\\n\\nItem    Price\\n------  -----\\nhose    24.90\\nrake    14\\n\\nEnd"))
    Tools
    <BLANKLINE>
    - Item: hose; Price: 24.90.
    - Item: rake; Price: 14.
    <BLANKLINE>
    End
    """
    return "\n".join(_with_rows(text.split("\n")))


def grid_rows(lines: Sequence[str]) -> tuple[list[list[str]], int | None]:
    """Return the rows of a grid and its number of header rows; None if the grid does not mark headers.

    >>> grid_rows(["+-----+------+", "| Who | Born |", "+-----+------+", "| Ada | 1815 |", "| Bob | 1816 |", "+-----+"])
    ([['Who', 'Born'], ['Ada', '1815'], ['Bob', '1816']], 1)
    """
    blocks: list[list[list[str]]] = []
    headers: int | None = None
    for line in lines:
        if line.startswith("+"):
            headers = len(blocks) if _HEADER_BELOW in line and blocks else headers
            blocks.append([])
        elif blocks:
            blocks[-1].append([cell.strip() for cell in line.strip().strip("|").split("|")])
    blocks = [block for block in blocks if block]
    # Borders around the header and around all rows: each line is a row.
    if len(blocks) == 2 and len(blocks[0]) == 1 and len(blocks[1]) > 1 and all(row[0] for row in blocks[1]):
        return [*blocks[0], *blocks[1]], 1
    return [_joined(block) for block in blocks], headers


def without_boxes(lines: Sequence[str]) -> list[str]:
    """Replace the lines of each boxed table with one line per row.

    >>> table = ["┌────┬─────┐", "│Key │Does │", "├────┼─────┤", "│j   │moves│", "└────┴─────┘"]
    >>> without_boxes(["Keys:", "", *table])
    ['Keys:', '', '- Key: j; Does: moves.']
    """
    if not any(line.lstrip().startswith(tuple(_CORNERS)) for line in lines):
        return list(lines)
    result: list[str] = []
    for is_box, group in groupby(lines, key=_is_box):
        box = list(group)
        result += _box_rows(box) if is_box and len(box) >= _LEAST_BOX_LINES else box
    return result


def _with_rows(lines: Sequence[str]) -> list[str]:
    written: list[str] = []
    at = after = 0
    while at < len(lines):
        if end := _grid_end(lines, at):
            rows, headers = grid_rows([line.strip() for line in lines[at:end]])
        elif at > after and (end := _ruled_end(lines, at)):
            rows, headers = [_cells(line, lines[at]) for line in (written.pop(), *lines[at + 1 : end])], 1
        elif aligned := _aligned_rows(lines, at):
            rows, headers, end = aligned, 1, at + len(aligned)
        elif tabbed := _tabbed_rows(lines, at):
            rows, headers, end = tabbed, int(_has_header(tabbed)), at + len(tabbed)
        else:
            written.append(lines[at])
            at += 1
            continue
        # Blank lines separate a table from the surrounding text.
        above = [""] if written and written[-1].strip() else []
        below = [""] if end < len(lines) and lines[end].strip() else []
        written += [*above, *row_lines(rows, headers), *below]
        at = after = end
    return written


def _joined(block: Sequence[Sequence[str]]) -> list[str]:
    """Join several lines into one row, cell by cell."""
    width = max(map(len, block))
    padded = [[*row, *[""] * (width - len(row))] for row in block]
    return [" ".join(filter(None, cells)) for cells in zip(*padded, strict=True)]


def _grid_end(lines: Sequence[str], at: int) -> int:
    """Return the end of the grid that begins at a line; 0 if there is none. Bars must align with the border corners."""
    border = lines[at].strip()
    if not _GRID_BORDER.match(border):
        return 0
    corners = [column for column, sign in enumerate(border) if sign == "+"]
    end, rows, last = at + 1, 0, at
    while end < min(len(lines), at + _MOST_LINES):
        line = lines[end].strip()
        if len(line) != len(border):
            break
        if _GRID_BORDER.match(line):
            last = end
        elif all(line[column] in "|+" for column in corners):
            rows += 1
        else:
            break
        end += 1
    return last + 1 if rows > 1 else 0


def _ruled_end(lines: Sequence[str], at: int) -> int:
    """Return the end of the rows below a ruler; 0 if there is none. Only spaces and bars may separate its columns."""
    ruler = lines[at].rstrip()
    if not _RULER.match(ruler.strip()) or not _fits(lines[at - 1], ruler) or len(lines[at - 1].split()) < _LEAST_WORDS:
        return 0
    end = at + 1
    while end < min(len(lines), at + _MOST_LINES) and _fits(lines[end], ruler):
        end += 1
    is_ended = end == len(lines) or not lines[end].strip()
    return end if end - at > (1 if is_ended else _LEAST_ROWS) else 0


def _columns(ruler: str) -> list[int]:
    return [found.start() for found in _DASHES.finditer(ruler)]


def _fits(line: str, ruler: str) -> bool:
    """Return whether a line has text, and none of it lies between two columns of a ruler."""
    dashes = [found.span() for found in _DASHES.finditer(ruler)]
    between = [(end, start) for (_, end), (start, _) in pairwise(dashes)]
    content = line.strip()
    return bool(content) and all(not line[first:last].strip(" |") for first, last in between)


def _cells(line: str, ruler: str) -> list[str]:
    starts = _columns(ruler)
    return [line[first:last].strip(" |") for first, last in zip(starts, [*starts[1:], None], strict=True)]


def _tabbed_rows(lines: Sequence[str], at: int) -> list[list[str]]:
    """Return the rows of lines whose cells are separated by tabs; empty if fewer than three begin here."""
    end = at
    while end < min(len(lines), at + _MOST_LINES) and _TABBED.match(lines[end]):
        end += 1
    return [_TABS.split(line.strip()) for line in lines[at:end]] if end - at >= _LEAST_TABBED else []


def _has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row names the columns: it has no digits, and the cells of one column below all do."""
    width = min(map(len, rows))
    columns = zip(*(row[:width] for row in rows[1:]), strict=True)
    return not _DIGIT.search(" ".join(rows[0])) and any(all(map(_DIGIT.search, column)) for column in columns)


def _aligned_rows(lines: Sequence[str], at: int) -> list[list[str]]:
    """Return the rows of a table whose columns are separated by spaces only, with its header; empty if there is none.

    All lines up to the next blank one leave the same character columns free. The header has a name for each column,
    and all values of at least one column contain digits, because lists and programs may be aligned too.
    """
    if not _ALIGNED_HEADER.match(lines[at]):
        return []
    end = at
    while end < min(len(lines), at + _MOST_LINES) and lines[end].strip() and len(lines[end]) <= _WIDEST:
        end += 1
    if end - at < _LEAST_ROWS + 1 or "\t" in "".join(lines[at:end]):
        return []
    rows = _aligned_cells([line.rstrip() for line in lines[at:end]])
    header, body = rows[0], rows[1:]
    is_named = len(header) >= _LEAST_ALIGNED and all(0 < len(name) <= _LONGEST_HEADER for name in header)
    return rows if is_named and _has_header(rows) and all(row[0] and sum(map(bool, row)) > 1 for row in body) else []


def _aligned_cells(lines: Sequence[str]) -> list[list[str]]:
    """Split lines into cells; a column begins after the last character column before its name that is always free."""
    width = max(map(len, lines))
    padded = [line.ljust(width) for line in lines]
    names = [found.start() for found in re.finditer(r"(?:(?<=  )|^)\S", padded[0].strip("\n"))]
    free = [all(line[column] == " " for line in padded) for column in range(width)]
    starts = [0]
    for before, name in pairwise(names):
        gap = next((column for column in range(name - 1, before, -1) if free[column]), None)
        if gap is None:
            return [[]]
        starts.append(gap + 1)
    ends = [*starts[1:], width]
    return [[line[first:last].strip() for first, last in zip(starts, ends, strict=True)] for line in padded]


def _is_box(line: str) -> bool:
    bare = line.strip()
    return bare[:1] in {*_WALL, *_CORNERS} and bare[-1:] in {*_WALL, *_ENDS} and len(bare) > 1


def _box_rows(box: Sequence[str]) -> Iterator[str]:
    """Yield the row lines of a boxed table; the lines between two rules form one row."""
    bare = [line.strip() for line in box]
    groups = [list(group) for is_rule, group in groupby(bare, key=_is_rule) if not is_rule]
    if any(len({line.count(wall) for line in group}) > 1 for group in groups for wall in _WALL):
        # Not a table but a drawing.
        yield from box
        return
    yield from row_lines([row for group in groups for row in _box_cells(group, is_ruled=len(groups) > 2)])


def _is_rule(bare: str) -> bool:
    return bare[0] in _CORNERS


def _box_cells(group: Sequence[str], is_ruled: bool) -> list[list[str]]:
    """Return the rows of a group of lines: one row if there are rules between rows, else one row per line."""
    rows = [_within_walls(line) for line in group]
    return [_joined(rows)] if is_ruled else rows


def _within_walls(line: str) -> list[str]:
    for wall in _WALL[1:]:
        line = line.replace(wall, _WALL[0])
    return [cell.strip() for cell in line[1:-1].split(_WALL[0])]
