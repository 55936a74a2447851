"""Names of sources, relative to the roots of a workspace."""

from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.indexing.report import IndexReport
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Document, Span
from polyadic.query.shown_source_names import RelativeNames
from polyadic.storage.protocol import FailedChunk
from polyadic.workspace import Workspace

HASHING = Settings(embedding=EmbeddingSettings(model="hashing"))
NAMES = RelativeNames(frozenset(["/srv/letters", "/srv/letters/1843", "/home/ada"]))


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/srv/letters/a.md", "a.md"),
        ("/srv/letters/1843/a.md", "1843/a.md"),
        ("/srv/letters/rows.csv#a/b", "rows.csv#a/b"),
        ("/srv/lettersandmore/a.md", "a.md"),
        ("/srv/#x/rows.csv#7", "rows.csv#7"),
        ("/srv/letters", "letters"),
        ("file:///etc/a.md", "a.md"),
        ("C:\\letters\\a.md", "a.md"),
        ("~/letters/a.md", "a.md"),
        ("upload:a.md", "upload:a.md"),
        ("https://example.org/a", "https://example.org/a"),
        ("letters/a.md", "letters/a.md"),
    ],
)
def test_names_of_sources(source: str, name: str) -> None:
    assert NAMES.shown(source) == name


def test_root_of_the_file_system_is_a_root() -> None:
    assert RelativeNames(frozenset("/")).shown("/srv/a.md") == "srv/a.md"


def test_distinct_names_are_numbered() -> None:
    sources = ["/home/ada/a.md", "/srv/letters/a.md", "a.md", "a.md (2)"]
    assert list(NAMES.distinct(sources).values()) == ["a.md", "a.md (2)", "a.md (3)", "a.md (2) (2)"]


def test_reports_have_names() -> None:
    report = IndexReport(
        skipped=[SkippedInput("/srv/letters/a.md", "no text", "")],
        failed=[FailedChunk("/srv/letters/b.md", "0" * 32, Span(0, 1), "no reply")],
    )
    named = NAMES.applied(report)
    assert (named.skipped[0].source, named.failed[0].source) == ("a.md", "b.md")
    assert report.skipped[0].source == "/srv/letters/a.md"


def test_indexed_folders_and_folders_of_files_become_roots(tmp_path: Path) -> None:
    for name in ("folder/in/a.md", "single/b.md", "added/c.md"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(f"Ada Lovelace met Charles Babbage in {name}.")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "folder")
    with Workspace(tmp_path / "kb", HASHING) as kb:
        kb.index([link, tmp_path / "single" / "b.md"])
        kb.index([tmp_path / "folder" / "in"])
        kb.add([Document(str(tmp_path / "added" / "c.md"), "", "Ada Lovelace met Mary Somerville.")])
        with kb.store().read() as reader:
            folder = tmp_path.resolve()
            assert reader.records.roots() == [f"{folder}/folder", f"{folder}/folder/in", f"{folder}/single"]
            names = RelativeNames.of(reader)
        assert sorted(names.shown(one.source) for one in kb.documents()) == ["b.md", "c.md", "in/a.md"]
