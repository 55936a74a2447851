"""Tables of plain text whose cells stand between lines of a box (``│``), as rows that can be understood one by one."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from polyadic.construction.reading.grid import row_lines

_WALL = "│┃║"
_CORNERS = "┌├└╔╠╚┏┣┗╭╰╞╟"
_ENDS = "┐┤┘╗╣╝┓┫┛╮╯╡╢"
_LEAST_LINES = 3


def without_boxes(lines: Sequence[str]) -> list[str]:
    """The lines of a text, those of each table in a box replaced by one for each row.

    >>> table = ["┌────┬─────┐", "│Key │Does │", "├────┼─────┤", "│j   │moves│", "└────┴─────┘"]
    >>> without_boxes(["Keys:", "", *table])
    ['Keys:', '', '- Key: j; Does: moves.']
    """
    if not any(line.lstrip().startswith(tuple(_CORNERS)) for line in lines):
        return list(lines)
    found: list[str] = []
    for is_box, group in groupby(lines, key=_is_box):
        box = list(group)
        found += _rows(box) if is_box and len(box) >= _LEAST_LINES else box
    return found


def _is_box(line: str) -> bool:
    bare = line.strip()
    return bare[:1] in {*_WALL, *_CORNERS} and bare[-1:] in {*_WALL, *_ENDS} and len(bare) > 1


def _rows(box: Sequence[str]) -> Iterator[str]:
    """The rows of a table: between two rules the lines of a row go on with each other."""
    bare = [line.strip() for line in box]
    groups = [list(group) for is_rule, group in groupby(bare, key=_is_rule) if not is_rule]
    if any(len({line.count(wall) for line in group}) > 1 for group in groups for wall in _WALL):
        # A drawing.
        yield from box
        return
    yield from row_lines([row for group in groups for row in _cells(group, is_ruled=len(groups) > 2)])


def _is_rule(bare: str) -> bool:
    return bare[0] in _CORNERS


def _cells(group: Sequence[str], is_ruled: bool) -> Iterator[list[str]]:
    """The rows of a group of lines: one, if there are rules between rows, else one for each line."""
    rows = [_split(line) for line in group]
    if is_ruled:
        yield [" ".join(filter(None, column)) for column in zip(*rows, strict=True)]
    else:
        yield from rows


def _split(line: str) -> list[str]:
    for wall in _WALL[1:]:
        line = line.replace(wall, _WALL[0])
    return [cell.strip() for cell in line[1:-1].split(_WALL[0])]
