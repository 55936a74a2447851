"""polyadic export and polyadic import."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.mark.parametrize("name", ["hif", "graphml", "jsonl"])
def test_export_writes_to_stdout_or_a_file(polyadic: Command, indexed: Path, name: str) -> None:
    outcome = polyadic("export", "--format", name)
    assert (outcome.code, outcome.err) == (0, "")
    assert "Analytical Engine" in outcome.out
    silent = polyadic("export", "--format", name, "-o", "out")
    assert (silent.code, silent.out, silent.err) == (0, "", "")
    assert Path("out").read_text(encoding="utf-8") == outcome.out
    assert sorted(path.name for path in Path.cwd().iterdir()) == ["notes", "out", "polyadic-workspace"]


def test_export_does_not_replace_folders_or_devices(polyadic: Command, indexed: Path) -> None:
    assert polyadic("export", "--format", "jsonl", "-o", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()
    outcome = polyadic("export", "--format", "jsonl", "-o", "notes")
    assert (outcome.code, outcome.err) == (1, "polyadic: notes cannot be used (Is a directory)\n")
    outcome = polyadic("export", "--format", "jsonl", "-o", "missing/out")
    assert (outcome.code, outcome.err) == (1, "polyadic: missing/out cannot be used (No such file or directory)\n")


def test_csv_export_is_a_folder(polyadic: Command, indexed: Path) -> None:
    outcome = polyadic("export", "--format", "csv", "-o", "tables")
    assert (outcome.code, outcome.out) == (0, "7 files written to the folder tables\n")
    assert len(list(Path("tables").iterdir())) == 7
    refused = polyadic("export", "--format", "csv")
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    assert "name a folder with -o" in refused.err


@pytest.mark.parametrize("name", ["exp.csv", "notes/ada.md"])
def test_csv_export_to_a_file_name_is_refused(polyadic: Command, indexed: Path, name: str) -> None:
    refused = polyadic("export", "--format", "csv", "-o", name)
    assert refused.code == 2 and refused.err.count("\n") == 1
    assert f"csv writes several files into a folder, and {name} is a file name: name a folder" in refused.err
    assert not Path("exp.csv").exists()


def test_export_and_import_restore_a_workspace(polyadic: Command, indexed: Path) -> None:
    polyadic("export", "--format", "hif", "-o", "kb.json")
    outcome = polyadic("import", "kb.json", "-w", "other")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("2 documents: 2 added, 0 changed, 0 unchanged\n")
    assert polyadic("-w", "other", "export", "--format", "hif").out == Path("kb.json").read_text(encoding="utf-8")
    assert polyadic("-w", "other", "index", "notes").out.startswith("2 documents: 0 added, 0 changed, 2 unchanged")
    assert polyadic("-w", "other", "import", "kb.json").out == "2 documents: 0 added, 0 changed, 2 unchanged\n"


def test_imported_decisions_are_reported_and_can_be_undone(polyadic: Command, indexed: Path) -> None:
    before = polyadic("export", "--format", "hif").out
    polyadic("index", "notes", "-w", "other")
    polyadic("-w", "other", "entities", "merge", "Ada Lovelace", "Charles Babbage")
    polyadic("-w", "other", "export", "--format", "hif", "-o", "theirs.json")
    brought = polyadic("import", "theirs.json")
    assert (brought.code, brought.err) == (0, "")
    assert "1 entity resolution decision, applied to all documents of the workspace\n" in brought.out
    assert "entities review --decided" in brought.out
    assert "decision" not in polyadic("import", "theirs.json").out
    decided = polyadic("entities", "review", "--decided").out
    assert "Ada Lovelace, Charles Babbage are the same entity" in decided
    assert polyadic("entities", "undo", decided[:8]).code == 0
    assert polyadic("export", "--format", "hif").out == before
    assert json.loads(polyadic("import", "theirs.json", "--json").out)["decided"] == 1


def test_imported_facts_answer_questions(polyadic: Command, tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "Nome", "text": "Nome lies in Alaska. It is cold there."}\n'
    )
    fact = {"_id": "d1", "text": "Nome lies in Alaska.", "entities": ["Nome", "Alaska"], "certain": True}
    lost = {"_id": "d2", "text": "Rome lies in Italy.", "entities": ["Rome", "Italy"]}
    (tmp_path / "facts.jsonl").write_text(json.dumps(fact) + "\n" + json.dumps(lost) + "\n")
    outcome = polyadic("import", "facts.jsonl", "--documents", "corpus.jsonl")
    assert outcome.code == 3
    assert "facts found in 1 of 1 statement\n" in outcome.out
    assert "1 × field not kept: certain" in outcome.err
    assert "skipped: d2: its facts were skipped" in outcome.err
    assert "corpus.jsonl#d1, characters 0–20" in polyadic("query", "Nome lies in Alaska?").out
    report = json.loads(polyadic("import", "facts.jsonl", "--documents", "corpus.jsonl", "--json").out)
    assert (report["unchanged"], len(report["skipped"])) == (1, 1)


def test_import_errors_are_one_line(polyadic: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"incidences": [{"edge": 1}]}')
    outcome = polyadic("import", "bad.json")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == (
        f"polyadic: {tmp_path / 'bad.json'} is not a HIF file: incidences[0].node: field required:"
        " fix the file; nothing was imported\n"
    )
    assert not (tmp_path / "polyadic-workspace").exists()


def test_export_without_a_workspace_is_refused(polyadic: Command) -> None:
    outcome = polyadic("export", "--format", "hif", "-o", "out.json")
    assert (outcome.code, outcome.err.count("\n")) == (1, 1)
    assert "there is no workspace" in outcome.err
    assert list(Path.cwd().iterdir()) == []
