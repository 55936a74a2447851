"""Tables that are drawn with characters in plain text."""

from pathlib import Path

import pytest

from polyadic.config import ReadingSettings
from polyadic.loaders.html.page_text import shown_page
from polyadic.loaders.loader import read_documents
from polyadic.loaders.pages.paged_text import running_text
from polyadic.loaders.tables.plain_text_tables import without_boxes
from polyadic.model.types import Document

ROWS = "- Item: hose; Price: 24.90 EUR.\n- Item: rake; Price: 14 EUR."

TABLES = [
    """
+------+-----------+
| Item | Price     |
+------+-----------+
| hose | 24.90 EUR |
| rake | 14 EUR    |
+------+-----------+
""",
    """
  +------+-----------+
  | Item | Price     |
  +======+===========+
  | hose | 24.90 EUR |
  +------+-----------+
  | rake | 14 EUR    |
  +------+-----------+
""",
    """
Item    Price
------  ---------
hose    24.90 EUR
rake    14 EUR
""",
    """
 Item |   Price
------+-----------
 hose | 24.90 EUR
 rake | 14 EUR
""",
]

NO_TABLES = [
    "+-+-+-+-+\n|Version|\n+-+-+-+-+\n|IHL|TOS|\n+-+-+-+-+",
    "+--------+\n| Client |\n+--------+\n| Server |\n+--------+",
    "Usage -- and more\n-----------------\nSee below.",
    "one word after the other\n----- -----\nand so on here",
    "Usage   what   why\n -a     all    the things\n -b     both   of these",
    "One  gap  here\nand 2 words\nthat 3 follow",
]

RULED = """\
  ┌──────┬────────┐
  │ Key  │  Does  │
  ├──────┼────────┤
  │j or  │moves   │
  │<Down>│down    │
  ├──────┼────────┤
  │q     │quits   │
  └──────┴────────┘"""
HEADED = "┌───┬─────┐\n│Key│Does │\n├───┼─────┤\n│j  │moves│\n│q  │quits│\n└───┴─────┘"
DRAWING = "┌───────┐\n│ mill  │\n│ a │ b │\n└───────┘"


def text_of(path: Path, content: str) -> str:
    path.write_text(content)
    [found] = read_documents([path], ReadingSettings())
    assert isinstance(found, Document)
    return found.text


@pytest.mark.parametrize("suffix", [".txt", ".rst"])
@pytest.mark.parametrize("table", TABLES[:2])
def test_rows_of_grids_name_their_columns(tmp_path: Path, table: str, suffix: str) -> None:
    assert text_of(tmp_path / f"a{suffix}", f"Our tools.\n{table}\nMore.").strip() == f"Our tools.\n\n{ROWS}\n\nMore."


@pytest.mark.parametrize("table", TABLES[2:])
def test_rows_below_rulers_name_their_columns(tmp_path: Path, table: str) -> None:
    assert text_of(tmp_path / "a.txt", f"Our tools.\n{table}\nMore.") == f"Our tools.\n\n{ROWS}\n\nMore."


ALIGNED = [
    """
Item    Price        Stock
hose    24.90 EUR    3
rake    14 EUR       12
""",
    """
  Item                 Price  Stock
  long hose        24.90 EUR      3
  rake              1,014 EUR    12
""",
]


def test_rows_of_aligned_columns_name_their_columns(tmp_path: Path) -> None:
    rows = "- Item: hose; Price: 24.90 EUR; Stock: 3.\n- Item: rake; Price: 14 EUR; Stock: 12."
    assert text_of(tmp_path / "a.txt", f"Our tools.\n{ALIGNED[0]}\nMore.") == f"Our tools.\n\n{rows}\n\nMore."
    rows = "- Item: long hose; Price: 24.90 EUR; Stock: 3.\n- Item: rake; Price: 1,014 EUR; Stock: 12."
    assert text_of(tmp_path / "b.txt", f"Our tools.\n{ALIGNED[1]}\nMore.") == f"Our tools.\n\n{rows}\n\nMore."


@pytest.mark.parametrize(
    ("lines", "rows"),
    [
        (["Item\tPrice", "hose\t24.90", "rake\t\t14"], ["- Item: hose; Price: 24.90.", "- Item: rake; Price: 14."]),
        (
            ["01/05\tTwelfth night", "01/06\tEpiphany", "01/07\tFirst call, 1927"],
            ["| 01/05 | Twelfth night |", "| 01/06 | Epiphany |", "| 01/07 | First call, 1927 |"],
        ),
        (["ACE\tAcer", "ACH\tArchtek", "ACI\tAncor"], ["| ACE | Acer |", "| ACH | Archtek |", "| ACI | Ancor |"]),
        (["one\ttwo", "three\tfour"], ["one\ttwo", "three\tfour"]),
    ],
)
def test_lines_with_tabs_are_rows(tmp_path: Path, lines: list[str], rows: list[str]) -> None:
    text = "\n".join(["Begin.", "", *lines, "", "End."])
    assert text_of(tmp_path / "a.txt", text) == "\n".join(["Begin.", "", *rows, "", "End."])


@pytest.mark.parametrize("text", NO_TABLES)
def test_other_drawings_are_unchanged(tmp_path: Path, text: str) -> None:
    assert text_of(tmp_path / "a.txt", f"Begin.\n\n{text}\n\nEnd.") == f"Begin.\n\n{text}\n\nEnd."


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (RULED, ["- Key: j or <Down>; Does: moves down.", "- Key: q; Does: quits."]),
        (HEADED, ["- Key: j; Does: moves.", "- Key: q; Does: quits."]),
        (DRAWING, DRAWING.split("\n")),
    ],
)
def test_box_table_rows_are_read(table: str, rows: list[str]) -> None:
    assert without_boxes(["Keys:", "", *table.split("\n"), "", "End."]) == ["Keys:", "", *rows, "", "End."]


def test_boxes_of_a_text_file_are_read() -> None:
    assert running_text(f"Keys:\n\n{HEADED}\n") == "Keys:\n\n- Key: j; Does: moves.\n- Key: q; Does: quits.\n"


def test_the_icon_of_an_admonition_does_not_make_it_a_table() -> None:
    box = '<tr><td rowspan="2"><img src="a.png"></td><th>Note</th></tr><tr><td colspan="2"><p>Keep it.</p></td></tr>'
    assert shown_page(f"<p>Text.</p><table>{box}</table>").text == "Text.\n\nNote\n\nKeep it."
