"""The questions on ordinary documents: whole kinds are held out, and every gold expression says what it finds."""

import gzip
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.ordinary.check import MOST_PLACES, problems_of
from benchmarks.ordinary.documents import Kind, fetched, load_kinds, target_name, unpack
from benchmarks.ordinary.questions import OWN, OrdinaryQuestion, Split, kinds_in_both, load_questions

QUESTIONS = load_questions(OWN)


def question(gold: str, doctype: str = "manual") -> OrdinaryQuestion:
    return OrdinaryQuestion("q1", "single", doctype, Split.TEST, "What?", gold)


def test_question_set_has_enough_questions_of_each_kind() -> None:
    counts = Counter("answerable" if q.is_answerable else "near" if q.is_near else "plain" for q in QUESTIONS)
    assert counts["answerable"] >= 120
    assert counts["near"] >= 40
    assert counts["plain"] >= 40
    assert len({q.id for q in QUESTIONS}) == len(QUESTIONS)


def test_splits_hold_out_whole_document_kinds_and_are_large_enough() -> None:
    assert kinds_in_both(QUESTIONS) == set()
    splits = Counter((q.split, q.is_answerable) for q in QUESTIONS)
    for answerable in (True, False):
        assert min(splits[split, answerable] for split in Split) >= 40


def test_each_question_is_on_fetched_documents_of_its_split() -> None:
    halves = {kind.name: kind.split for kind in load_kinds()}
    assert {(q.doctype, q.split) for q in QUESTIONS if q.doctype != "-"} == set(halves.items())


def test_gold_expressions_compile_and_are_long_enough() -> None:
    for one in QUESTIONS:
        if one.is_answerable:
            assert not one.pattern.search("")
            assert len(one.gold) >= 4


def test_a_file_without_splits_is_for_development(tmp_path: Path) -> None:
    file = tmp_path / "questions.tsv"
    file.write_text(
        'id\tkind\tdoctype\tquestion\tgold\nr1\thow\trfc\tHow "long"?\ta "pause"\nu1\tunanswerable\t-\tX?\t-\n'
    )
    first, second = load_questions(file)
    assert (first.split, first.text, first.is_answered_by('with a\n"PAUSE"')) == ("development", 'How "long"?', True)
    assert not second.is_answerable
    assert not second.is_answered_by("-")


def test_unknown_split_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "questions.tsv"
    file.write_text("id\tkind\tdoctype\tsplit\tquestion\tgold\nr1\thow\trfc\ttraining\tHow?\tso\n")
    with pytest.raises(ValueError, match="training"):
        load_questions(file)


def test_gold_expression_without_a_match_is_reported() -> None:
    texts = {"manual": "It takes a minute.", "table": "It takes an hour."}
    assert list(problems_of([question("a minute")], texts)) == []
    assert list(problems_of([question("an hour")], texts)) == ["q1: 'an hour' is not in manual"]
    assert list(problems_of([question("a day", "law")], texts)) == ["q1: 'a day' is not in law"]


def test_gold_expression_that_matches_everywhere_is_reported() -> None:
    texts = {"manual": "yes " * MOST_PLACES}
    assert list(problems_of([question("yes")], texts)) == []
    assert list(problems_of([question("yes")], texts | {"table": "yes"})) == ["q1: 'yes' is in 21 places"]


@pytest.mark.parametrize(
    ("name", "suffix", "expected"),
    [
        ("hier.7.gz", ".txt", "hier.7.txt"),
        ("devil.dict.dz", ".txt", "devil.dict.txt"),
        ("cloud-config-apt.txt.gz", ".yaml", "cloud-config-apt.yaml"),
        ("cloud-config-ntp.txt", ".yaml", "cloud-config-ntp.yaml"),
        ("index.html", "", "index.html"),
    ],
)
def test_decompressed_document_is_named_without_the_compression_suffix(name: str, suffix: str, expected: str) -> None:
    assert target_name(name, suffix) == expected


def test_missing_apt_is_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"apt-get is not installed, .* run this on Debian"):
        fetched(tmp_path)


def test_fetched_packages_are_not_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for kind in load_kinds():
        (tmp_path / "documents" / kind.name).mkdir(parents=True)
    assert fetched(tmp_path) == tmp_path / "documents"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A Debian package with a manual page, a text in bold type, coloured poems and a PDF."""
    if not all(map(shutil.which, ("dpkg-deb", "dpkg", "groff"))):
        pytest.skip("needs dpkg and groff")
    root = tmp_path / "package"
    (root / "DEBIAN").mkdir(parents=True)
    control = "Package: little\nVersion: 1\nArchitecture: all\nMaintainer: A <a@b.example>\nDescription: little\n"
    (root / "DEBIAN" / "control").write_text(control)
    (root / "usr").mkdir()
    (root / "usr" / "pipe.7.gz").write_bytes(gzip.compress(b".TH pipe 7\n.SH NAME\npipe \\- a \\fBway\\fP through\n"))
    (root / "usr" / "README.gz").write_bytes(gzip.compress(b"A\x08An\x08n i\x08in\x08n\n"))
    (root / "usr" / "poems").write_bytes(b"\x1b[32mSpring\x1b[m\n")
    (root / "usr" / "paper.pdf").write_bytes(b"\x1b[32m.\x08")
    (root / "usr" / "other").write_bytes(b"")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", str(root), str(tmp_path)], check=True, capture_output=True)  # noqa: S607
    return next(tmp_path.glob("little_*.deb"))


def test_compressed_documents_are_decompressed(package: Path, tmp_path: Path) -> None:
    unpack(Kind("k", Split.TEST, "little", ("usr/*.gz", "usr/p*[!z]")), package, tmp_path / "k")
    written = {path.name: path.read_bytes() for path in (tmp_path / "k").iterdir()}
    assert b"pipe - a way through" in written.pop("pipe.7")
    assert written == {"README": b"An in\n", "poems": b"Spring\n", "paper.pdf": b"\x1b[32m.\x08"}


def test_package_without_matching_files_is_named(package: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"little_1_all\.deb has no usr/\*\.html"):
        unpack(Kind("k", Split.TEST, "little", ("usr/*.html",)), package, tmp_path / "k")
    assert not (tmp_path / "k").exists()
