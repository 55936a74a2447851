"""Tables that are drawn with characters in plain text: grids, and columns below rulers.

Grids have borders (``+----+----+``), around each row or around the header and all rows. Other tables have a ruler below
the header (``----  ----``, ``----+----``), or above and below, as in reStructuredText (``====  ====``).
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from polyadic.construction.reading.grid import row_lines

_GRID_BORDER = re.compile(r"\+(?:[-=]{3,}\+){2,}$")
_RULER = re.compile(r"-{2,}(?:(?: +|-?[+|]-?)-{2,})+$")
_DASHES = re.compile(r"-{2,}")
_HEADER_BELOW = "="
_MOST_LINES = 10_000
_LEAST_WORDS = 2
# Rows of a table that other text follows at once.
_LEAST_ROWS = 2


def with_rows(text: str) -> str:
    """The text with the rows of its drawn tables as lines that name their columns; where none is drawn, as it is.

    >>> print(with_rows("Tools\\n\\nItem    Price\\n------  -----\\nhose    24.90\\nrake    14\\n\\nEnd"))
    Tools
    <BLANKLINE>
    - Item: hose; Price: 24.90.
    - Item: rake; Price: 14.
    <BLANKLINE>
    End
    """
    if "--" not in text and "==" not in text:
        return text
    return "\n".join(_with_rows(text.split("\n")))


def grid_rows(lines: Sequence[str]) -> tuple[list[list[str]], int | None]:
    """The rows of a grid, and how many of them are headers; None where the grid does not say.

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


def _with_rows(lines: Sequence[str]) -> list[str]:
    written: list[str] = []
    at = after = 0
    while at < len(lines):
        if end := _grid_end(lines, at):
            rows, headers = grid_rows([line.strip() for line in lines[at:end]])
        elif at > after and (end := _ruled_end(lines, at)):
            rows, headers = [_cells(line, lines[at]) for line in (written.pop(), *lines[at + 1 : end])], 1
        else:
            written.append(lines[at])
            at += 1
            continue
        # Blank lines part a table from the text around it.
        above = [""] if written and written[-1].strip() else []
        below = [""] if end < len(lines) and lines[end].strip() else []
        written += [*above, *row_lines(rows, headers), *below]
        at = after = end
    return written


def _joined(block: Sequence[Sequence[str]]) -> list[str]:
    """The row that several lines make: the words of each cell one after the other."""
    width = max(map(len, block))
    padded = [[*row, *[""] * (width - len(row))] for row in block]
    return [" ".join(filter(None, cells)) for cells in zip(*padded, strict=True)]


def _grid_end(lines: Sequence[str], at: int) -> int:
    """Where a grid ends that begins here; 0 where none does: its bars stand below the corners of its border."""
    border = lines[at].strip()
    if not _GRID_BORDER.match(border):
        return 0
    corners = [place for place, sign in enumerate(border) if sign == "+"]
    end, rows, last = at + 1, 0, at
    while end < min(len(lines), at + _MOST_LINES):
        line = lines[end].strip()
        if len(line) != len(border):
            break
        if _GRID_BORDER.match(line):
            last = end
        elif all(line[place] in "|+" for place in corners):
            rows += 1
        else:
            break
        end += 1
    return last + 1 if rows > 1 else 0


def _ruled_end(lines: Sequence[str], at: int) -> int:
    """Where the rows end below a ruler; 0 where it is none: nothing but spaces and bars stands between its columns."""
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
    """Whether no word of a line stands between two columns of a ruler."""
    dashes = [found.span() for found in _DASHES.finditer(ruler)]
    between = [(end, start) for (_, end), (start, _) in pairwise(dashes)]
    said = line.strip()
    return bool(said) and all(not line[first:last].strip(" |") for first, last in between)


def _cells(line: str, ruler: str) -> list[str]:
    starts = _columns(ruler)
    return [line[first:last].strip(" |") for first, last in zip(starts, [*starts[1:], None], strict=True)]
