"""What is gone from where it was read is withdrawn, if that is asked for, and nothing else ever is."""

import errno
import json
import os
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.cli.conftest import ADA, BABBAGE
from tests.support.canonical import canonical

HASHING = Settings(embedding=EmbeddingSettings(model="hashing"))


def rows(file: Path, *names: str) -> None:
    file.write_text("".join(json.dumps({"id": n, "text": f"{n} Brandt met Ada Lovelace."}) + "\n" for n in names))


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "ada.md").write_text(ADA)
    (folder / "babbage.md").write_text(BABBAGE)
    (folder / "odd#1.md").write_text(ADA)
    rows(folder / "people.jsonl", "Otto", "Ilse")
    return folder


def names(kb: Workspace) -> list[str]:
    return [Path(record.source).name for record in kb.documents()]


def test_missing_files_and_rows_are_pruned(docs: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path / "kb", HASHING) as kb, Workspace(tmp_path / "fresh", HASHING) as fresh:
        kb.index([docs])
        (docs / "babbage.md").unlink()
        (docs / "odd#1.md").unlink()
        rows(docs / "people.jsonl", "Ilse")
        assert len(kb.index([docs]).pruned) == 0
        report = kb.index([docs], prune=True)
        assert sorted(Path(s).name for s in report.pruned) == ["babbage.md", "odd#1.md", "people.jsonl#Otto"]
        assert sorted(names(kb)) == ["ada.md", "people.jsonl#Ilse"]
        fresh.index([docs])
        assert canonical(kb.store()) == canonical(fresh.store())


def test_other_sources_are_not_pruned(docs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "gone.md").write_text(BABBAGE)
    with Workspace(tmp_path / "kb", HASHING) as kb:
        kb.index([docs, other])
        kb.add([Document("memory:x", "", "Ada Lovelace met Otto Brandt.")])
        (other / "gone.md").unlink()
        assert kb.index([docs], prune=True).pruned == []
        assert kb.index([other], prune=True).pruned == [str(other / "gone.md")]
        assert "memory:x" in names(kb)


def test_missing_folder_prunes_everything_below(docs: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path / "kb", HASHING) as kb:
        kb.index([docs])
        everything = [record.source for record in kb.documents()]
        kb.add([Document("memory:x", "", "Ada Lovelace met Otto Brandt.")])
        docs.rename(tmp_path / "elsewhere")
        kept = kb.index([docs])
        assert (kept.pruned, len(kb.documents())) == ([], len(everything) + 1)
        hint = f"to delete 5 documents read from it: polyadic index --prune {docs}"
        assert [one.next_step for one in kept.skipped] == [hint]
        report = kb.index([docs], prune=True)
        assert (report.pruned, report.skipped, names(kb)) == (everything, [], ["memory:x"])


def test_missing_path_without_documents_is_an_error(docs: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path / "kb", HASHING) as kb:
        kb.index([docs])
        report = kb.index([tmp_path / "dosc"], prune=True)
        assert (report.pruned, len(report.skipped), len(names(kb))) == ([], 1, 5)


def test_inaccessible_files_are_not_pruned(docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.lstat

    def failing(path: str) -> os.stat_result:
        if path.startswith(str(docs)):
            raise OSError(errno.EIO, "Input/output error")
        return real(path)

    with Workspace(tmp_path / "kb", HASHING) as kb:
        kb.index([docs])
        docs.rename(tmp_path / "unmounted")
        monkeypatch.setattr(os, "lstat", failing)
        assert (kb.index([docs], prune=True).pruned, len(kb.documents())) == ([], 5)


def test_rows_of_partly_unreadable_files_are_not_pruned(docs: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path / "kb", HASHING) as kb:
        kb.index([docs])
        (docs / "people.jsonl").write_text('{"id": "Ilse", "text": "Ilse Brandt met Ada Lovelace."}\nno JSON\n')
        report = kb.index([docs], prune=True)
        assert [type(skipped) for skipped in report.skipped] == [SkippedInput]
        assert report.pruned == []
