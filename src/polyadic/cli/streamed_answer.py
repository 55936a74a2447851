"""Print an answer while it is generated; on a terminal, the sources cited so far stand below it."""

import os
import shutil
import sys
from collections.abc import Callable

from rich.cells import cell_len, set_cell_size

from polyadic.cli.common import say, shown, visible
from polyadic.generation.quotations import quotation
from polyadic.model.types import Citation

_TAB = 8
# The list takes at most this share of the screen.
_LIST_SHARE = 0.5


class LiveSources:
    """The text of an answer and, below it, a line for each sentence that it has cited so far.

    The text is written as it arrives, and the terminal wraps it. The list is erased before each piece and drawn again
    after it. If the output is no terminal that can move its cursor, only the text is written.
    """

    def __init__(self) -> None:
        self._is_live = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._lines: dict[str, None] = {}
        self._column = 0
        self._is_drawn = False

    @property
    def cite(self) -> Callable[[Citation], None] | None:
        """The function to call with each citation, which is shown with the next piece; None without a live list."""
        return self._add if self._is_live else None

    def write(self, text: str) -> None:
        """Write a piece of the answer."""
        if not self._is_live:
            say(text, nl=False)
            return
        width, height = shutil.get_terminal_size()
        shown_text = visible(text)
        _put(self._erasure(width, shown_text))
        self._column = _column_after(self._column, shown_text, width)
        if lines := [*self._lines][-max(1, int(height * _LIST_SHARE)) :]:
            rows = "".join(f"\n\x1b[2m{set_cell_size(line, min(cell_len(line), width - 1))}\x1b[m" for line in lines)
            _put(f"{rows}\x1b[{len(lines)}A{_to_column(self._column, width)}")
        self._is_drawn = bool(lines)

    def close(self) -> None:
        """Erase the list, because the command prints the complete one, and end the line of the text."""
        if self._is_drawn:
            width, _ = shutil.get_terminal_size()
            _put(self._erasure(width, "\n"))
        else:
            say()
        self._is_drawn = False

    def _add(self, citation: Citation) -> None:
        place = citation.place
        quote = "" if citation.whole_item else f': "{_on_one_line(quotation(place))}"'
        self._lines[visible(f" [{citation.marker}] {_on_one_line(shown(place.source))}{quote}")] = None

    def _erasure(self, width: int, text: str) -> str:
        """Return the text, preceded by what erases the list below the cursor."""
        if not self._is_drawn:
            return text
        # In a full line the cursor stands on the last character, which must not be erased.
        return f"\n\x1b[J{text.removeprefix(chr(10))}" if self._column == width else f"\x1b[J{text}"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _column_after(column: int, text: str, width: int) -> int:
    """Return the column of the cursor after a text; ``width`` if the line is full and not wrapped yet.

    >>> _column_after(78, "abc", 80), _column_after(78, "ab", 80), _column_after(5, "a\\nbc", 80)
    (1, 80, 2)
    """
    for character in text:
        if character == "\n":
            column = 0
        elif character == "\t":
            column = min(width - 1, (column // _TAB + 1) * _TAB)
        else:
            cells = cell_len(character)
            column = column + cells if column + cells <= width else cells
    return column


def _to_column(column: int, width: int) -> str:
    """Return the control sequence that moves the cursor to a column of its line."""
    place = min(column, width - 1)
    return f"\r\x1b[{place}C" if place else "\r"


def _put(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
