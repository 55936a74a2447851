"""Scanned pages of uploads: what their recognition costs belongs to the uploaded document."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.loaders.ocr.captions import Captions, Picture
from polyadic.loaders.ocr.page_recognizer import RecognizedPages
from polyadic.model.identity import document_id
from polyadic.server.jobs.uploads import Upload
from tests.support.documents import pdf
from tests.support.scans import scanned_pdf


class Recording:
    """Recognizes the same text on every page, and records for which documents."""

    def __init__(self) -> None:
        self.documents: list[str] = []

    def recognize(self, content: bytes, file_digest: str, pages: Sequence[int], document_id: str) -> RecognizedPages:
        self.documents.append(document_id)
        return RecognizedPages(dict.fromkeys(pages, "Ada Lovelace met Charles Babbage."), {})

    def describe(self, pictures: Sequence[Picture], document_id: str) -> Captions:
        self.documents.append(document_id)
        return Captions({}, {})


def test_pages_are_recognized_for_the_uploaded_document(tmp_path: Path) -> None:
    upload, recognizer = Upload(tmp_path), Recording()
    upload.add_file("letters/scan.pdf", BytesIO(scanned_pdf([["Ada"]])))
    upload.finish()
    (document,) = upload.documents(ReadingSettings(), recognizer)
    assert document.source == "upload:letters/scan.pdf"
    assert recognizer.documents == [document_id("upload:letters/scan.pdf")]


def test_pictures_are_described_for_the_uploaded_document(tmp_path: Path) -> None:
    upload, captioner = Upload(tmp_path), Recording()
    upload.add_file("letters/notes.pdf", BytesIO(pdf([["Ada Lovelace met Charles Babbage."]])))
    upload.finish()
    list(upload.documents(ReadingSettings(), captioner=captioner))
    assert captioner.documents == [document_id("upload:letters/notes.pdf")]
