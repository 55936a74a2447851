"""Rows of a table as lines that can be understood one by one."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest

_LONGEST_NAME = 80
_LOOKED_AT = 30


def row_lines(rows: Iterable[Sequence[str]], named: bool | None = None) -> Iterator[str]:
    """A line for each row that is not blank: ``- Name: value; Name: value.`` where the columns have names.

    Parameters
    ----------
    rows
        Cells as text, top to bottom.
    named
        Whether the first row that has more than one cell names the columns; None: it is judged by what stands there.

    >>> list(row_lines([["Name", "Born"], ["Ada", "1815"], ["Charles", "1791"]]))
    ['- Name: Ada; Born: 1815.', '- Name: Charles; Born: 1791.']
    >>> list(row_lines([["Ada", "1815"], ["Charles", "1791"]]))
    ['| Ada | 1815 |', '| Charles | 1791 |']
    """
    filled = (row for row in ([_one_line(cell) for cell in row] for row in rows) if any(row))
    ahead: list[list[str]] = []
    for row in filled:
        if sum(map(bool, row)) > 1:
            ahead = [row, *islice(filled, _LOOKED_AT)]
            break
        # What stands alone above a table is its caption.
        yield next(filter(None, row))
    if not ahead:
        return
    names = ahead[0] if len(ahead) > 1 and (_are_names(ahead[0], ahead[1:]) if named is None else named) else []
    for row in ahead[1:] if names else ahead:
        yield _line(names, row)
    for row in filled:
        yield _line(names, row)


def _one_line(cell: str) -> str:
    return " ".join(cell.split())


def _are_names(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a row names the columns: short and different words, one for each column that is used."""
    names = [name for name in first if name]
    columns = max(max((place for place, cell in enumerate(row, start=1) if cell), default=0) for row in rows)
    is_full = len(names) == len(first) >= columns
    return is_full and len(set(names)) == len(names) and all(_is_name(name) for name in names)


def _is_name(cell: str) -> bool:
    is_worded = any(letter.isalpha() for letter in cell) and not cell[0].isdigit()
    return is_worded and len(cell) <= _LONGEST_NAME and not cell.endswith((".", "!", ","))


def _line(names: Sequence[str], row: Sequence[str]) -> str:
    if not names:
        return f"| {' | '.join(row)} |"
    pairs = zip_longest(names, row, fillvalue="")
    said = "; ".join(f"{name.rstrip(':')}: {cell}" if name else cell for name, cell in pairs if cell)
    return f"- {said}" if said.endswith((".", "!", "?")) else f"- {said}."
