"""Tables in boxes, in plain text and on pages."""

import pytest

from polyadic.loaders.html.text import shown_page
from polyadic.loaders.pages.paged_text import running_text
from polyadic.loaders.tables.text_tables import without_boxes

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
