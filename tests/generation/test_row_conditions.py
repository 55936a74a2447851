"""Lists of table rows leave out those that do not meet a condition of the question."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.workspace import Workspace

MENU = """# Menu of the Anchor

| Dish | Price | Vegan | Kitchen |
|---|---|---|---|
| Lentil salad | €4.80 | yes | Leeds |
| Goulash | €13.90 | no | York |
| Pumpkin curry | €11.20 | yes | Leeds |
| Quiche | €7.80 | no | Hull |
"""
WHOLE = "This list has all items of this kind that were found in the documents."
UNCHECKED = "These are all items of this kind; whether each fits the question was not checked."


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder: Path = tmp_path_factory.mktemp("menu")
    (folder / "menu.md").write_text(MENU, encoding="utf-8")
    with Workspace(folder / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as workspace:
        workspace.index([folder / "menu.md"])
        yield workspace


@pytest.mark.parametrize(
    ("question", "dishes", "last"),
    [
        ("Which dishes are vegan?", {"Lentil salad", "Pumpkin curry"}, WHOLE),
        ("Which dishes are from Leeds?", {"Lentil salad", "Pumpkin curry"}, WHOLE),
        ("Which vegan dishes are from York?", {"Lentil salad", "Goulash", "Pumpkin curry", "Quiche"}, UNCHECKED),
        ("Which dishes are not vegan?", {"Lentil salad", "Goulash", "Pumpkin curry", "Quiche"}, UNCHECKED),
        ("Which dishes are on the menu?", {"Lentil salad", "Goulash", "Pumpkin curry", "Quiche"}, WHOLE),
        ("Which dishes of the menu are popular?", {"Lentil salad", "Goulash", "Pumpkin curry", "Quiche"}, UNCHECKED),
    ],
)
def test_rows_that_do_not_meet_a_condition_are_left_out(
    kb: Workspace, question: str, dishes: set[str], last: str
) -> None:
    answer = kb.query(question)
    lines = answer.text.splitlines()
    assert {dish for dish in ("Lentil salad", "Goulash", "Pumpkin curry", "Quiche") if dish in answer.text} == dishes
    assert lines[-1] == last
    is_whole = len(dishes) == 4
    assert ("the list has all 4 items" in answer.note) is is_whole
