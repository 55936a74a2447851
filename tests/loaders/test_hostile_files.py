"""Files that are made to exhaust a reader, or to have it read others."""

import zlib
from pathlib import Path

import pytest

from polyadic.config import ReadingSettings
from polyadic.loaders import archives
from polyadic.loaders.formats import xlsx
from polyadic.loaders.loader import read_documents
from tests.loaders.test_unreadable_files import refused, sample
from tests.support import documents


def test_pdfs_with_too_much_text_are_reported(tmp_path: Path) -> None:
    whole = documents.pdf([["word " * 20] * 50])
    start, end = whole.index(b"stream\n") + 7, whole.index(b"\nendstream")
    packed = zlib.compress(whole[start:end])
    length = b"/Length %d /Filter /FlateDecode" % len(packed)
    data = whole[:start].replace(b"/Length %d" % (end - start), length) + packed + whole[end:]
    item = refused(tmp_path / "a.pdf", data, max_megabytes=0.002)
    assert item.reason.endswith("is over the limit of 0.002 MB")


# Archives


@pytest.mark.parametrize(
    ("suffix", "name"),
    [(".docx", "word/big.xml"), (".pptx", "ppt/big.bin"), (".xlsx", "xl/big.xml"), (".epub", "big.xhtml")],
)
def test_decompression_bombs_are_refused(tmp_path: Path, suffix: str, name: str) -> None:
    bomb = documents.zipped({**documents.unzipped(sample(suffix)), name: b" " * 5_000_000})
    item = refused(tmp_path / f"a{suffix}", bomb, max_megabytes=1)
    assert item.reason.startswith("unpacks to 5.")
    assert "max_megabytes" in item.next_step


def test_archives_with_false_sizes_are_refused(tmp_path: Path) -> None:
    size = 5_000_000
    bomb = documents.zipped({"META-INF/container.xml": b" " * size})
    lie = bomb.replace(size.to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert refused(tmp_path / "a.epub", lie, max_megabytes=1).reason.startswith("not a readable EPUB (BadZipFile: ")


def test_archives_with_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_ENTRIES", 3)
    assert refused(tmp_path / "a.epub", sample(".epub")).reason == "an archive of more than 3 files"


LAUGHS = "<!DOCTYPE x [" + '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    ("suffix", "name", "before"),
    [
        (".docx", "word/document.xml", "<w:t>"),
        (".pptx", "ppt/slides/slide1.xml", "<a:t>"),
        (".xlsx", "xl/worksheets/sheet1.xml", "<t>"),
        (".epub", "OPS/package.opf", "<dc:title>"),
    ],
)
@pytest.mark.parametrize(
    ("entities", "entity"), [(LAUGHS + "]>", "&a9;"), ('<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>', "&f;")]
)
def test_entities_are_not_expanded(
    tmp_path: Path, suffix: str, name: str, before: str, entities: str, entity: str
) -> None:
    files = documents.unzipped(sample(suffix))
    text = bytes(files[name]).decode().replace(before, before + entity)  # type: ignore[arg-type]
    assert entity in text
    declaration, _, rest = text.partition("?>")
    files[name] = f"{declaration}?>{entities}{rest}" if rest else f"{entities}{text}"
    path = tmp_path / f"a{suffix}"
    path.write_bytes(documents.zipped(files))
    (item,) = read_documents([path], ReadingSettings())
    assert "hahaha" not in str(item)
    assert "root:" not in str(item)
    assert len(str(item)) < 2_000


# Spreadsheets, books, messages, pages


def test_spreadsheets_with_too_many_cells_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "MOST_CELLS", 3)
    item = refused(tmp_path / "a.xlsx", sample(".xlsx"))
    assert (item.reason, item.next_step) == ("more than 3 cells", "split it, or save it as .csv")


def test_spreadsheets_with_distant_rows_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "MOST_CELLS", 100_000)
    files = documents.unzipped(sample(".xlsx"))
    sheet = bytes(files["xl/worksheets/sheet1.xml"]).decode()  # type: ignore[arg-type]
    far = '<row r="999999999"><c r="A999999999"><v>1</v></c></row></sheetData>'
    files["xl/worksheets/sheet1.xml"] = sheet.replace("</sheetData>", far)
    assert refused(tmp_path / "a.xlsx", documents.zipped(files)).reason == "more than 100,000 cells"


def test_spreadsheets_with_too_much_text_are_refused(tmp_path: Path) -> None:
    names = [f"A long name of column {place} " + "and on " * 6 for place in range(5)]
    data = documents.xlsx({"One": [names, *([1] * 5 for _ in range(200))]})
    item = refused(tmp_path / "a.xlsx", data, max_megabytes=0.02)
    assert item.reason.endswith("MB is over the limit of 0.02 MB")
    assert not item.reason.startswith("unpacks")


def test_books_cannot_read_outside_their_archive(tmp_path: Path) -> None:
    (tmp_path / "secret.xhtml").write_text("<p>Secret.")
    files = documents.unzipped(documents.epub(["<p>Text.</p>"]))
    package = bytes(files["OPS/package.opf"]).decode()  # type: ignore[arg-type]
    for place in ("../../secret.xhtml", f"{tmp_path}/secret.xhtml", f"file://{tmp_path}/secret.xhtml"):
        files["OPS/package.opf"] = package.replace("text/c0.xhtml", place)
        assert refused(tmp_path / "a.epub", documents.zipped(files)).reason == "empty"


def test_messages_without_text_are_reported(tmp_path: Path) -> None:
    item = refused(tmp_path / "a.eml", documents.eml(attachment="plan.pdf"))
    assert (item.reason, item.next_step) == ("no text in this message", "save its attachments, and add those")


def test_messages_with_endless_fields_are_bounded(tmp_path: Path) -> None:
    data = b"From: x\nContent-Type: text/plain" + b"; a=b" * 100_000 + b"\n\nText."
    reason = "not a readable e-mail message (a field of its header has more than 20,000 bytes)"
    assert refused(tmp_path / "a.eml", data).reason == reason


def test_empty_and_deeply_nested_pages_are_reported(tmp_path: Path) -> None:
    assert refused(tmp_path / "a.html", b"<!-- nothing --><script>x</script>").reason == "empty"
    assert "nested more than 5,000 deep" in refused(tmp_path / "a.html", b"<div></p>" * 20_000).reason
    assert "looks like a binary file" in refused(tmp_path / "a.html", b"<p>caf\xe9" + bytes(range(1, 9))).reason
