"""polyadic index on folders with compressed files, such as /usr/share/doc."""

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import BABBAGE, Command

MANUAL = rb""".TH TAR 1
.SH NAME
tar \- an archiving utility
.SH DESCRIPTION
GNU
.B tar
stores the files of Ada Lovelace in London.
"""
CHANGES = b"tar (1.34) unstable; urgency=low\n\n  * Charles Babbage fixed the build in London.\n"
ROWS = b"id,text\na,Ada Lovelace wrote to Charles Babbage about the Analytical Engine in London.\n"


@pytest.fixture
def doc(tmp_path: Path) -> Path:
    folder = tmp_path / "doc"
    folder.mkdir()
    for name, data in (("tar.1.gz", MANUAL), ("changelog.gz", CHANGES), ("letters.csv.gz", ROWS)):
        (folder / name).write_bytes(gzip.compress(data))
    return folder


def names(polyadic: Command) -> set[str]:
    listed = json.loads(polyadic("status", "--documents", "--json").out)
    return {Path(one["source"]).name for one in listed}


def test_a_folder_of_compressed_files_is_indexed_and_cited(polyadic: Command, doc: Path) -> None:
    outcome = polyadic("index", "doc")
    assert (outcome.code, names(polyadic)) == (0, {"tar.1.gz", "changelog.gz", "letters.csv.gz#a"})
    assert "doc/tar.1.gz, line" in polyadic("search", "archiving").out
    assert {file.name for file in doc.iterdir()} == {"tar.1.gz", "changelog.gz", "letters.csv.gz"}
    assert "3 unchanged" in polyadic("index", "doc").out
    assert polyadic("delete", "--yes", "doc/letters.csv.gz").code == 0
    assert names(polyadic) == {"tar.1.gz", "changelog.gz"}


def test_changed_and_deleted_compressed_files_are_followed(polyadic: Command, doc: Path) -> None:
    polyadic("index", "doc")
    (doc / "changelog.gz").write_bytes(gzip.compress(CHANGES.replace(b"1.34", b"1.35")))
    (doc / "tar.1.gz").unlink()
    (doc / "letters.csv.gz").write_bytes(gzip.compress(ROWS.replace(b"\na,", b"\nb,")))
    outcome = polyadic("index", "--prune", "doc")
    assert "1 added, 1 changed" in outcome.out and "2 documents deleted" in outcome.out
    assert names(polyadic) == {"changelog.gz", "letters.csv.gz#b"}


def test_damaged_files_are_skipped_with_one_line_and_keep_their_documents(polyadic: Command, doc: Path) -> None:
    polyadic("index", "doc")
    for name in ("tar.1.gz", "letters.csv.gz"):
        (doc / name).write_bytes((doc / name).read_bytes()[:-9])
    outcome = polyadic("index", "--prune", "doc")
    for name in ("tar.1.gz", "letters.csv.gz"):
        assert f"doc/{name}: the compressed data ends too early; copy or compress it again" in outcome.err
    assert names(polyadic) == {"tar.1.gz", "changelog.gz", "letters.csv.gz#a"}


def test_archives_are_skipped_with_the_advice_to_unpack_them(polyadic: Command, notes: Path) -> None:
    (notes / "docs.tar.gz").write_bytes(gzip.compress(BABBAGE.encode()))
    expected = "unsupported file type (.tar.gz 1); unpack archives\n"
    assert expected in polyadic("index", "notes").err
    given = polyadic("index", "notes/docs.tar.gz").err
    assert "unsupported file type (.tar.gz); unpack it, and add the files in it" in given
