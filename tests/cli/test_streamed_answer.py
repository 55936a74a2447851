"""The list of sources below an answer that is still being written, on a terminal."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from polyadic.cli.streamed_answer import LiveSources
from polyadic.model.types import Citation, SourceSpan, Span
from tests.cli.terminal import on_terminal
from tests.model_server import ModelServer, says

WIDTH, HEIGHT = 20, 8
FIRST, SECOND = "Ada Lovelace wrote the first published program [1].", "She was born in London on 10 December 1815 [1]."


class Screen(io.StringIO):
    """A terminal as far as the command uses it; ``rows`` are all rows, those that scrolled away included."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[str] = [""]
        self.row = self.column = 0

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        for control, character in re.findall(r"(\x1b\[[0-9]*[A-Za-z])|(.)", text, re.DOTALL):
            self._control(control) if control else self._show(character)
        return len(text)

    def _control(self, sequence: str) -> None:
        count, kind = int(sequence[2:-1] or 1), sequence[-1]
        if kind == "A":
            self.row = max(self.row - count, len(self.rows) - HEIGHT, 0)
        elif kind == "C":
            self.column = min(self.column + count, WIDTH - 1)
        elif kind == "J":
            self.rows[self.row] = _cells(self.rows[self.row], self.column)
            del self.rows[self.row + 1 :]
        else:
            assert kind == "m", sequence

    def _show(self, character: str) -> None:
        if character == "\r":
            self.column = 0
        elif character == "\n" or self.column + cell_len(character) > WIDTH:
            self.row, self.column = self.row + 1, 0
            self.rows += [""] * (self.row + 1 - len(self.rows))
        if character not in "\r\n":
            before = _cells(self.rows[self.row], self.column)
            self.rows[self.row] = before + character
            self.column += cell_len(character)


def _cells(row: str, cells: int) -> str:
    """The beginning of a row, filled with spaces."""
    while cell_len(row) > cells:
        row = row[:-1]
    return row + " " * (cells - cell_len(row))


@pytest.fixture(scope="module", autouse=True)
def terminal() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"TERM": "xterm", "COLUMNS": str(WIDTH), "LINES": str(HEIGHT)}.items():
            patch.setenv(name, value)
        yield


def citation(marker: int, quote: str) -> Citation:
    place = SourceSpan("d", f"/{marker}.md", "", "c", Span(0, len(quote)), quote)
    return Citation(marker, place, 1.0, Span(0, 3))


def printed(
    pieces: list[str], cited: dict[int, int], quote: str = "Ada wrote a program"
) -> tuple[list[str], list[str]]:
    """The rows before the end of an answer and after it; ``cited`` tells after which piece a marker is cited."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", screen := Screen())
        live = LiveSources()
        assert live.cite
        for place, piece in enumerate(pieces):
            live.write(piece)
            for marker in (marker for marker, after in cited.items() if after == place):
                live.cite(citation(marker, quote))
        before = list(screen.rows)
        live.close()
        return before, screen.rows


def test_sources_stand_below_the_text_until_it_ends() -> None:
    before, after = printed(["Ada did [1]. ", "In London", " [2]. And", " so on."], {1: 0, 2: 2})
    assert before == ["Ada did [1]. In Lond", "on [2]. And so on.", ' [1] /1.md: "Ada wr', ' [2] /2.md: "Ada wr']
    assert after == ["Ada did [1]. In Lond", "on [2]. And so on.", ""]


def test_source_that_quotes_code_takes_one_row() -> None:
    before, after = printed(["Call it [1]. ", "So on."], {1: 0}, "Ada:\n\n```\nf\n\tg\n```\n")
    assert before == ["Call it [1]. So on.", ' [1] /1.md: "Ada: f']
    assert after == ["Call it [1]. So on.", ""]


@given(st.lists(st.text("ab 東\n", max_size=30), min_size=1), st.dictionaries(st.integers(1, 9), st.integers(0, 5)))
@example(["a", "b" * (WIDTH - 1), "c"], {1: 0})
@example(["a", "b" * (WIDTH - 1), "\nc"], {1: 0})
@example(["a", "b" * (WIDTH - 1)], {1: 0})
def test_text_is_as_without_sources(pieces: list[str], cited: dict[int, int]) -> None:
    _, after = printed(pieces, cited)
    plain = Screen()
    plain.write("".join(pieces) + "\n")
    assert [row.rstrip() for row in after] == [row.rstrip() for row in plain.rows]


def test_no_sources_are_shown_if_the_output_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    live = LiveSources()
    assert live.cite is None
    live.write("Ada did [1].")
    live.close()
    assert capsys.readouterr().out == "Ada did [1].\n"


@pytest.mark.slow
def test_source_is_shown_before_the_answer_ends(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    with ModelServer([says(f"{FIRST} {SECOND}")], tokens_per_second=20) as server:
        for name, value in {"name": "recorded", "base_url": server.url, "key_variable": "", "retries": "0"}.items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name.upper()}", value)
        for arguments, script in (
            (["query", "Who was Ada?"], []),
            (["chat"], [("> ", "Who was Ada?\n"), ("> ", "\x04")]),
        ):
            code, shown = on_terminal(indexed.parent, arguments, script, "xterm")
            assert code == 0
            _, after = shown.split("\x1b[2m [1] notes/", 1)
            assert "1815" in after and " [1] notes/" in after


def test_an_item_that_is_cited_as_a_whole_is_not_quoted() -> None:
    place = citation(1, "Ada wrote a program").place
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", screen := Screen())
        live = LiveSources()
        assert live.cite
        live.cite(Citation(1, place, 0.1, Span(0, 3), whole_item=True))
        live.write("Ada sailed [1]. ")
        assert [row.strip() for row in screen.rows if row.strip()] == ["Ada sailed [1].", "[1] /1.md"]
