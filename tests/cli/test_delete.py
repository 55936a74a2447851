"""polyadic delete: one document, several, folders and patterns; dry runs; when it asks."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import ADA, Command
from tests.cli.terminal import on_terminal


@pytest.fixture
def letters(polyadic: Command, tmp_path: Path) -> Path:
    """A folder of four documents in two folders, indexed."""
    folder = tmp_path / "letters"
    for name in ("one.md", "two.txt", "old/three.md", "old/four.md"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{ADA}\nAda Lovelace wrote letter {name}.\n")
    assert polyadic("index", "letters").code == 0
    return folder


def names(polyadic: Command) -> set[str]:
    listed = json.loads(polyadic("status", "--documents", "--json").out)
    return {Path(record["source"]).name for record in listed}


@pytest.mark.parametrize(
    ("references", "left"),
    [
        (["letters/one.md"], {"two.txt", "three.md", "four.md"}),
        (["letters/one.md", "letters/two.txt", "./letters/one.md"], {"three.md", "four.md"}),
        (["letters/old"], {"one.md", "two.txt"}),
        (["letters/old/"], {"one.md", "two.txt"}),
        (["letters"], set()),
        (["letters/*.md"], {"two.txt", "three.md", "four.md"}),
        (["letters/**/*.md"], {"two.txt"}),
        (["**/t*"], {"one.md", "four.md"}),
        (["letters/old/[ft]*.md"], {"one.md", "two.txt"}),
    ],
)
def test_references_delete_the_expected_documents(
    polyadic: Command, letters: Path, references: list[str], left: set[str]
) -> None:
    gone = {"one.md", "two.txt", "three.md", "four.md"} - left
    planned = json.loads(polyadic("delete", *references, "--dry-run", "--json").out)
    assert {Path(record["source"]).name for record in planned} == gone
    assert names(polyadic) == left | gone
    deleted = json.loads(polyadic("delete", *references, "--json").out)
    assert deleted == planned
    assert names(polyadic) == left


def test_documents_of_missing_files_can_be_deleted(polyadic: Command, letters: Path) -> None:
    for file in (letters / "old").iterdir():
        file.unlink()
    (letters / "old").rmdir()
    outcome = polyadic("delete", "letters/old")
    assert (outcome.code, outcome.out) == (0, "deleted 2 documents\n")
    assert names(polyadic) == {"one.md", "two.txt"}


def test_output_names_one_document_and_counts_several(polyadic: Command, letters: Path) -> None:
    assert polyadic("delete", "letters/one.md").out == "deleted letters/one.md\n"
    listed = polyadic("delete", "letters/old", "--dry-run")
    assert listed.out == "letters/old/four.md\nletters/old/three.md\n"
    assert listed.err == "would delete 2 documents\n"


@pytest.mark.parametrize("unknown", ["letters/none.md", "letters/*.pdf", "none*", "", "elsewhere"])
def test_unknown_reference_deletes_nothing(polyadic: Command, letters: Path, unknown: str) -> None:
    outcome = polyadic("delete", "letters/one.md", unknown)
    assert outcome.code == 1 and outcome.err.count("\n") == 1
    assert names(polyadic) == {"one.md", "two.txt", "three.md", "four.md"}


def test_pattern_without_a_match_explains_recursive_patterns(polyadic: Command, letters: Path) -> None:
    assert "'**/*.md'" in polyadic("delete", "*.md").err


def test_pattern_matches_rows_of_a_file(polyadic: Command, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("".join(f'{{"id": "r{i}", "text": "Letter {i} of Ada."}}\n' for i in range(3)))
    polyadic("index", "rows.jsonl")
    assert polyadic("delete", "rows.jsonl#r[12]").out.startswith("deleted 2 documents")
    assert polyadic("delete", "*.jsonl").out == "deleted rows.jsonl#r0\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "arguments", "code", "asked", "left"),
    [
        ("n\n", ["letters/old"], 1, True, 4),
        ("y\n", ["letters/old"], 0, True, 2),
        ("", ["letters/old", "--yes"], 0, False, 2),
        ("", ["letters/one.md"], 0, False, 3),
    ],
)
def test_deleting_several_asks_for_confirmation(
    polyadic: Command, letters: Path, reply: str, arguments: list[str], code: int, asked: bool, left: int
) -> None:
    question = "Delete 2 documents?"
    ended, shown = on_terminal(letters.parent, ["delete", *arguments], [(question, reply)] if asked else [])
    assert (ended, question in shown) == (code, asked), shown
    assert len(names(polyadic)) == left
