"""Scanned pages and pictures, read by the program tesseract."""

import asyncio
import os
import shutil
import time
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, OcrEngineName, OcrSettings, ReadingSettings, Settings
from polyadic.errors import ModelUnavailable
from polyadic.model.identity import document_id
from polyadic.workspace import Workspace
from tests.support.documents import pdf
from tests.support.scans import joined_pdf, picture, scanned_pdf
from tests.support.stores import rows_of

ENGINES = ["Charles Babbage designed the Analytical Engine", "in London, and Ada Lovelace wrote notes on it."]
BRIDGES = ["Isambard Brunel built the Clifton Suspension", "Bridge across the Avon Gorge near Bristol."]
TYPED = ["Grace Hopper wrote the first compiler for the UNIVAC computer."]
BABBAGE = "Charles Babbage designed the Analytical Engine in London, and Ada Lovelace wrote notes on it."
BRUNEL = "Isambard Brunel built the Clifton Suspension Bridge across the Avon Gorge near Bristol."

pytestmark = pytest.mark.skipif(
    shutil.which("tesseract") is None and not os.environ.get("CI"), reason="tesseract is not installed"
)


def workspace(folder: Path, engine: OcrEngineName = "tesseract", keeps: bool = False, **more: object) -> Workspace:
    return Workspace(
        folder / "kb",
        Settings(
            reading=ReadingSettings(keep_originals=keeps),
            ocr=OcrSettings.model_validate({"engine": engine, **more}),
            embedding=EmbeddingSettings(model="hashing"),
        ),
    )


def text_of(kb: Workspace, file: Path) -> str:
    with kb.store().read() as reader:
        return reader.records.document(document_id(str(file))).text


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / "docs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def test_facts_of_scanned_pages_have_their_page(tmp_path: Path) -> None:
    file = written(tmp_path, "engines.pdf", joined_pdf(scanned_pdf([ENGINES]), pdf([TYPED]), scanned_pdf([BRIDGES])))
    with workspace(tmp_path) as kb:
        report = kb.index([file])
        assert (report.added, report.skipped) == (1, [])
        assert text_of(kb, file) == f"{BABBAGE}\n\n{TYPED[0]}\n\n{BRUNEL}"
        answer = kb.query("Who built the Clifton Suspension Bridge?")
        assert [citation.place.page for citation in answer.citations[:1]] == [3]


@pytest.mark.parametrize(("name", "kind"), [("a.png", "PNG"), ("a.JPG", "JPEG"), ("a.webp", "WEBP")])
def test_text_of_a_picture_is_recognized(tmp_path: Path, name: str, kind: str) -> None:
    file = written(tmp_path, name, picture([ENGINES], kind))
    with workspace(tmp_path) as kb:
        kb.index([file.parent])
        assert text_of(kb, file) == BABBAGE


def test_frames_of_a_tiff_file_are_pages(tmp_path: Path) -> None:
    file = written(tmp_path, "scan.tiff", picture([ENGINES, BRIDGES]))
    with workspace(tmp_path) as kb:
        kb.index([file])
        assert text_of(kb, file) == f"{BABBAGE}\n\n{BRUNEL}"
        with kb.store().read() as reader:
            assert reader.records.document(document_id(str(file))).pages == (0, len(BABBAGE) + 2)


def test_recognized_pages_are_not_recognized_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, "engines.pdf", scanned_pdf([ENGINES]))
    with workspace(tmp_path) as kb:
        kb.index([file])
        assert not list(rows_of(kb.store(), ("model_call",)))
        program = tmp_path / "bin" / "tesseract"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho eng; test $1 = --list-langs\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
        assert kb.index([file]).unchanged == 1
        changed = written(tmp_path, "bridges.pdf", scanned_pdf([BRIDGES]))
        assert "tesseract failed" in kb.index([changed]).skipped[0].reason


def test_switching_ocr_on_reads_the_pages_that_were_left_out(tmp_path: Path) -> None:
    file = written(tmp_path, "engines.pdf", joined_pdf(pdf([TYPED]), scanned_pdf([BRIDGES])))
    with workspace(tmp_path, "off") as kb:
        kb.index([file])
        assert text_of(kb, file) == TYPED[0]
    with workspace(tmp_path) as kb:
        assert kb.index([file]).changed == 1
        assert text_of(kb, file) == f"{TYPED[0]}\n\n{BRUNEL}"


def test_kept_picture_is_deleted_with_its_document(tmp_path: Path) -> None:
    content = picture([ENGINES], "PNG")
    file = written(tmp_path, "engines.png", content)
    with workspace(tmp_path, keeps=True) as kb:
        kb.index([file])
        with kb.store().read() as reader:
            assert reader.records.original_content(document_id(str(file))) == content
        kb.delete(str(file))
        assert list(rows_of(kb.store(), ("original_segment",))) == []


def test_page_that_takes_too_long_is_reported(tmp_path: Path) -> None:
    file = written(tmp_path, "engines.pdf", joined_pdf(pdf([TYPED]), scanned_pdf([ENGINES])))
    with workspace(tmp_path, timeout=0.01) as kb:
        (skipped,) = kb.index([file]).skipped
        assert text_of(kb, file) == TYPED[0]
    what = "1 of its 2 pages cannot be read: 2 (tesseract did not finish within 0.01 seconds)"
    assert (skipped.reason, skipped.next_step) == (what, "raise timeout under [ocr]")


def test_missing_language_is_reported_before_anything_is_read(tmp_path: Path) -> None:
    with workspace(tmp_path, languages="eng+tlh") as kb, pytest.raises(ModelUnavailable, match="language tlh"):
        kb.index([written(tmp_path, "engines.pdf", scanned_pdf([ENGINES]))])
    assert not (tmp_path / "kb").exists()


def test_missing_program_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with workspace(tmp_path) as kb, pytest.raises(ModelUnavailable, match=r"not installed: .*apt install tesseract"):
        kb.index([written(tmp_path, "engines.pdf", scanned_pdf([ENGINES]))])


def test_cancelling_ends_recognition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "tesseract"
    program.parent.mkdir()
    began = tmp_path / "began"
    program.write_text(f"#!/bin/sh\nif test $1 = --list-langs; then echo eng; else touch {began}; exec sleep 60; fi\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    file = written(tmp_path, "engines.pdf", scanned_pdf([ENGINES]))

    async def cancel() -> float:
        async with workspace(tmp_path) as kb:
            run = asyncio.create_task(kb.aindex([file]))
            while not began.exists():
                await asyncio.sleep(0.05)
            cancelled = time.monotonic()
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            return time.monotonic() - cancelled

    assert asyncio.run(cancel()) < 20
