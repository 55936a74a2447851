"""Scanned pages, read by a document parser behind a real server."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from polyadic.config import EmbeddingSettings, ModelSettings, OcrEngineName, OcrSettings, Settings
from polyadic.errors import ModelUnavailable, SettingsError
from polyadic.indexing.report import IndexReport
from polyadic.loaders.ocr.page_recognizer import SET_ENGINE
from polyadic.model.identity import document_id
from polyadic.workspace import Workspace
from tests.support.documents import pdf
from tests.support.parser_server import ParserServer
from tests.support.scans import joined_pdf, picture, scanned_pdf

TYPED = ["Grace Hopper wrote the first compiler for the UNIVAC computer."]
SCAN = scanned_pdf([["Charles Babbage", "designed it."]])
MIXED = joined_pdf(pdf([TYPED]), SCAN)
MARKDOWN = "# Engines\n\n<!-- image -->\n\nCharles Babbage designed the Engine.\n\n![](images/1.jpg)"
TEXT = "# Engines\n\nCharles Babbage designed the Engine."


def workspace(folder: Path, engine: OcrEngineName, url: str, key_variable: str = "") -> Workspace:
    ocr = OcrSettings(engine=engine, base_url=url, key_variable=key_variable, retries=0, timeout=60)
    return Workspace(folder / "kb", Settings(ocr=ocr, embedding=EmbeddingSettings(model="hashing")))


def indexed(kb: Workspace, folder: Path) -> tuple[IndexReport, str]:
    """Index a document with a typed and a scanned page; return the report and the text of the document."""
    file = folder / "engines.pdf"
    file.write_bytes(MIXED)
    report = kb.index([file])
    with kb.store().read() as reader:
        return report, reader.records.document(document_id(str(file))).text


@pytest.mark.parametrize(
    ("engine", "path", "form"),
    [
        ("docling", "/v1/convert/file", {"to_formats": "md", "image_export_mode": "placeholder"}),
        ("mineru", "/file_parse", {"return_md": "true"}),
    ],
)
def test_scanned_page_is_sent_once_and_read_as_markdown(
    tmp_path: Path, engine: OcrEngineName, path: str, form: dict[str, str]
) -> None:
    with ParserServer(MARKDOWN) as server, workspace(tmp_path, engine, server.url) as kb:
        for _ in range(2):
            report, text = indexed(kb, tmp_path)
            assert (report.skipped, text) == ([], f"{TYPED[0]}\n\n{TEXT}")
        assert server.calls == [(path, form)]


def test_key_is_sent_to_docling_and_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCLING_KEY", "secret-of-docling")
    with (
        ParserServer(MARKDOWN, key="secret-of-docling") as server,
        workspace(tmp_path, "docling", server.url, "DOCLING_KEY") as kb,
    ):
        assert indexed(kb, tmp_path)[1].endswith(TEXT)
        server.reply, server.status = {"detail": "secret-of-docling is worn out"}, 400
        (tmp_path / "other.pdf").write_bytes(scanned_pdf([["Other"]]))
        (skipped,) = kb.index([tmp_path / "other.pdf"]).skipped
        assert "***" in skipped.reason and "secret" not in str(skipped)


@pytest.mark.parametrize(
    ("reply", "status", "reason"),
    [
        ({"document": {"md_content": None}, "errors": [{"error_message": "too dark"}]}, 200, "too dark"),
        ({"results": {}}, 200, "no Markdown in its reply"),
        (["no", "reply"], 200, "no Markdown in its reply"),
        ({"detail": "broken image"}, 422, "broken image"),
    ],
)
def test_page_that_is_not_parsed_is_reported_and_the_rest_indexed(
    tmp_path: Path, reply: object, status: int, reason: str
) -> None:
    with ParserServer(reply=reply, status=status) as server, workspace(tmp_path, "docling", server.url) as kb:
        report, text = indexed(kb, tmp_path)
    assert text == TYPED[0]
    assert "1 of its 2 pages cannot be read: 2" in report.skipped[0].reason
    assert reason in report.skipped[0].reason


def test_run_stops_while_no_parser_is_there(tmp_path: Path) -> None:
    with ParserServer(MARKDOWN) as server:
        url = server.url
        (tmp_path / "a.pdf").write_bytes(SCAN)
        with workspace(tmp_path, "docling", f"{url}/elsewhere") as kb, pytest.raises(ModelUnavailable, match="has no"):
            kb.index([tmp_path / "a.pdf"])
    with workspace(tmp_path, "docling", url) as kb, pytest.raises(ModelUnavailable, match="cannot be reached"):
        kb.index([tmp_path / "a.pdf"])


def test_address_is_required(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    with workspace(tmp_path, "mineru", "") as kb, pytest.raises(SettingsError, match="base_url is empty"):
        kb.index([tmp_path])


def test_batch_requests_contain_recognized_text(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(SCAN)
    with ParserServer(MARKDOWN) as server:
        ocr = OcrSettings(engine="docling", base_url=server.url)
        model = ModelSettings(name="any", base_url="http://localhost:1/v1", key_variable="")
        settings = Settings(ocr=ocr, model=model, embedding=EmbeddingSettings(model="hashing"))
        with Workspace(tmp_path / "kb", settings) as kb:
            assert kb.batch.write(tmp_path / "batch.jsonl", [tmp_path / "a.pdf"]).requests == 1
    assert "Charles Babbage designed the Engine." in (tmp_path / "batch.jsonl").read_text()


def test_damaged_and_huge_pictures_are_reported(tmp_path: Path) -> None:
    huge = BytesIO()
    Image.new("1", (14_000, 14_000)).save(huge, "PNG")
    whole = picture([["Charles Babbage"]], "PNG")
    for name, content in (("cut.png", whole[: len(whole) // 2]), ("text.jpg", b"text"), ("huge.png", huge.getvalue())):
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / name).write_bytes(content)
    with ParserServer(MARKDOWN) as server, workspace(tmp_path, "docling", server.url) as kb:
        reasons = {Path(one.source).name: one.reason for one in kb.index([tmp_path / "docs"]).skipped}
        assert not server.calls
    assert reasons["cut.png"] == "it cannot be rendered"
    assert reasons["text.jpg"].startswith("not a readable picture (UnidentifiedImageError")
    assert reasons["huge.png"].startswith("not a readable picture (DecompressionBombError")


def test_pictures_in_a_folder_are_counted_as_unsupported_without_ocr(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(b"")
    with workspace(tmp_path, "off", "") as kb:
        assert kb.index([tmp_path]).unsupported == {".png": 2}
        (skipped,) = kb.index([tmp_path / "a.png"]).skipped
    assert (skipped.reason, skipped.next_step) == ("unsupported file type (.png)", SET_ENGINE)
