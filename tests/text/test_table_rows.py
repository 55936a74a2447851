"""Rows of tables in text: written by readers, and of pipe tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.loaders.tables.row_lines import column_names, named_lines, row_lines
from polyadic.text.sentences import LONGEST, sentences
from polyadic.text.table_rows import LONGEST_NAME, TextCell, is_row, pipe_tables, row_cells

WORDS = st.text(alphabet=st.sampled_from("ab ;:|.,-\t\n#é京1!\\"), max_size=40)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=8))
def test_row_line_round_trips_to_cells(pairs: list[tuple[str, str]]) -> None:
    names = column_names([name for name, _ in pairs])
    values = [f"v{' '.join(value.split())}" for _, value in pairs]
    (line,) = named_lines([*zip(names, values, strict=True)])
    assert [cell.name for cell in row_cells(line)] == names
    assert [_bare(cell.text) for cell in row_cells(line)] == [_bare(value) for value in values]


def _bare(value: str) -> str:
    """What a value says, apart from the marks that a line may change."""
    return value.replace(";", ",").replace(": ", ", ").rstrip(".")


@given(st.lists(st.tuples(WORDS, st.text(max_size=400)), min_size=1, max_size=60))
def test_row_lines_are_one_sentence_each(pairs: list[tuple[str, str]]) -> None:
    names = column_names([name for name, _ in pairs])
    lines = [*named_lines([*zip(names, (value for _, value in pairs), strict=True)])]
    assert all("\n" not in line for line in lines)
    text = "\n".join(lines)
    if all(is_row(line) and len(line) <= LONGEST for line in lines):
        assert [text[span.start : span.end] for span in sentences(text, "en")] == lines


@given(st.lists(WORDS, max_size=20), st.lists(WORDS, max_size=20))
def test_column_names_are_unique_and_short(header: list[str], more: list[str]) -> None:
    names = column_names([*header, *more, *header])
    assert len(set(names)) == len(names)
    assert all(len(name) <= LONGEST_NAME for name in names)


@given(st.text(alphabet=st.sampled_from("-ab |:\n;\\"), max_size=200))
def test_any_text_is_searched_for_rows(text: str) -> None:
    tables = pipe_tables(text)
    for span in sentences(text, "en"):
        columns = tables.columns(span.start)
        row_cells(text[span.start : span.end], columns or ())


ROWS = {
    "- Name: Dr. A. Lovelace. Countess; Born: 1815.": [("Name", "Dr. A. Lovelace. Countess"), ("Born", "1815")],
    "- hose; Price: 19.99.": [("", "hose"), ("Price", "19.99")],
    "- Link: https://example.org/a; Time: 10:30.": [("Link", "https://example.org/a"), ("Time", "10:30")],
    "| Ada |  | 1815 |": [("", "Ada"), ("", "1815")],
    r"| a \| b | c |": [("", "a | b"), ("", "c")],
}


@pytest.mark.parametrize(("line", "cells"), ROWS.items())
def test_row_cells_are_parsed(line: str, cells: list[tuple[str, str]]) -> None:
    assert row_cells(line) == tuple(TextCell(*cell) for cell in cells)


NO_ROWS = [
    "- Ada was born in London.",
    "- Note: this is a list item.",
    "- She came; she saw.",
    "Name: Ada; Born: 1815.",
    "- Name: Ada; Born: 1815.\n  More of the item.",
    "| Ada |",
]


@pytest.mark.parametrize("text", NO_ROWS)
def test_other_text_is_not_a_row(text: str) -> None:
    assert row_cells(text) == ()


def test_pipe_table_headers_are_found() -> None:
    text = "\n".join(
        [
            "Intro.",
            "",
            "| **Name** | `Born` |",
            "| :-- | --: |",
            "| Ada | 1815 |",
            "| Bob | 1816 |",
            "",
            "| no | header |",
            "",
            "  |City|Land|",
            "  |----|----|",
            "  |Ulm|Germany|",
        ]
    )
    tables = pipe_tables(text)
    assert tables.columns(text.index("Bob")) == ("Name", "Born")
    assert tables.columns(text.index("Germany")) == ("City", "Land")
    assert tables.columns(text.index("**Name")) is None
    assert tables.columns(text.index("| no")) == tables.columns(0) == ()


@pytest.mark.parametrize("mark", ["|", " ", "-", ":", "| -", "|-|", "- a; b: "])
def test_hostile_text_takes_linear_time(mark: str) -> None:
    text = mark * 50_000
    tables = pipe_tables(text)
    assert tables.columns(0) in ((), None)
    assert isinstance(row_cells(text), tuple)


def test_captions_and_unnamed_tables_are_handled() -> None:
    rows = [["Births", ""], ["Ada", "1815"], ["Bob", "1816"]]
    assert [*row_lines(rows)] == ["Births", "| Ada | 1815 |", "| Bob | 1816 |"]


def test_years_may_name_columns() -> None:
    rows = [["Land", "2023", "2024"], ["Peru", "7", "8"], ["Chile", "9", "10"]]
    assert [*row_lines(rows)] == ["- Land: Peru; 2023: 7; 2024: 8.", "- Land: Chile; 2023: 9; 2024: 10."]
