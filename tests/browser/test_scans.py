"""Scanned PDF files, pictures, and pictures in documents: what the page says, shows and cites."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, ask, served
from tests.loaders.ocr.test_captions import CAPTION, RED, TYPED, describes, pdf_with_pictures
from tests.model_server import Asked, ModelServer
from tests.server.running_server import Running, make
from tests.support.scans import picture, scanned_pdf

READ = "Charles Babbage designed the Analytical Engine in London."
LINES = [["Charles Babbage designed", "the Analytical Engine in London."]]
SCAN: FilePayload = {"name": "scan.pdf", "mimeType": "application/pdf", "buffer": scanned_pdf(LINES)}
PICTURE: FilePayload = {"name": "photo.png", "mimeType": "image/png", "buffer": picture(LINES, "PNG")}
FIGURES: FilePayload = {
    "name": "mill.pdf",
    "mimeType": "application/pdf",
    "buffer": pdf_with_pictures((TYPED, []), (TYPED, [(RED, 200)])),
}


def transcribes(asked: Asked) -> str | None:
    """Transcribe pages, and describe pictures."""
    return READ if "transcribe" in asked.messages[0].text else describes(asked)


@pytest.fixture
def with_ocr(tmp_path: Path) -> Iterator[Running]:
    """A server with a vision model for pages and pictures, whose workspace ``letters`` is empty."""
    with ModelServer([transcribes]) as model:
        vision = f'[model.vision]\nname = "recorded"\nbase_url = "{model.url}"\nkey_variable = ""\nretries = 0\n'
        settings = f'[ocr]\nengine = "model"\ncaptions = 5\n{vision}[reading]\nkeep_originals = true\n'
        with served(tmp_path / "scans", settings) as server, server.client() as client:
            make(client, "letters")
            yield server


def choose(page: Page, *files: FilePayload) -> None:
    page.get_by_label("Files to add").set_input_files(list(files))


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_message_about_a_scanned_file_names_ocr(
    own: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{own.url}/#/letters/documents", size, scheme)
    choose(page, SCAN, PICTURE)
    expect(page.get_by_text("Skipped: pictures need OCR, which is off (photo.png).")).to_be_visible()
    job = page.locator("article.job")
    expect(job.get_by_role("heading")).to_contain_text("Partially done: nothing added", timeout=60_000)
    expect(job).to_contain_text("no text on its only page, probably scanned")
    expect(job).to_contain_text("set engine under [ocr] to tesseract, a vision model, or a parser (docling, mineru)")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    seen(f"scan-refused-{size[0]}", page)


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "dark"), (PHONE, "light")], ids=["wide", "phone"])
def test_scanned_page_and_picture_are_read_and_shown_beside_their_text(
    with_ocr: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{with_ocr.url}/#/letters/documents", size, scheme)
    choose(page, SCAN, PICTURE)
    expect(page.get_by_role("heading", name=re.compile("^Done: 2 added"))).to_be_visible(timeout=60_000)
    page.get_by_role("link", name="Ask").click()
    ask(page, "Who designed the Analytical Engine?")
    page.locator(".answer-text button.citation").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", level=2)).not_to_contain_text("upload:")
    expect(dialog.locator("mark").first).to_contain_text("Charles Babbage")
    expect(dialog.get_by_role("img", name=re.compile("^Page 1"))).to_be_visible()
    seen(f"scan-source-{size[0]}", page)


def test_caption_of_a_picture_is_cited_with_its_page(with_ocr: Running, opened: Opened, seen: Seen) -> None:
    page = opened(f"{with_ocr.url}/#/letters/documents")
    choose(page, FIGURES)
    expect(page.get_by_role("heading", name=re.compile("^Done: 1 added"))).to_be_visible(timeout=60_000)
    page.get_by_role("link", name="Ask").click()
    ask(page, "How many columns of wheels has the mill?")
    expect(page.locator("article.turn")).to_contain_text(CAPTION)
    page.locator(".answer-text button.citation").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("mark").first).to_contain_text("50 columns of wheels")
    expect(dialog.get_by_role("img", name=re.compile("^Page 2"))).to_be_visible()
    seen("caption-source", page)
