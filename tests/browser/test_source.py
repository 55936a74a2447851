"""The source of a citation: Markdown documents formatted, with the cited words marked, or as they were written."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, ask, read_in, served
from tests.browser.test_rendered_answers import HOSTILE
from tests.support.documents import pdf

TEXT = f"""# Engines

Ada Lovelace wrote the **first published
program** in 1843.

| Person | Work |
|---|---|
| Charles Babbage | Difference Engine [3] |

- one
  - two 🚀

{HOSTILE}
"""


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_markdown_document_is_formatted(
    opened: Opened, tmp_path: Path, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    file = tmp_path / "engines.md"
    file.write_text(TEXT)
    with served(tmp_path / "formatted") as server:
        read_in(server, "engines", file)
        page = opened(f"{server.url}/#/engines/ask", size, scheme)
        requested: list[str] = []
        page.on("request", lambda request: requested.append(request.url))
        ask(page, "Who wrote the first published program?")
        page.get_by_role("button", name="Source 1:").click()
        source = page.get_by_role("dialog")
        expect(source.locator("mark").first).to_be_in_viewport()
        assert " ".join("".join(source.locator("mark").all_text_contents()).split()) == (
            "Ada Lovelace wrote the first published program in 1843."
        )
        expect(source.locator("strong mark")).to_have_text("first published program")
        expect(source.get_by_role("cell", name="Difference Engine [3]")).to_be_visible()
        expect(source.locator("ul > li > ul > li")).to_have_text("two 🚀")
        seen(f"source-{size[0]}-{scheme}", page)
        assert source.locator("img, script, iframe, style, .source-text button").count() == 0
        assert [url for url in requested if not url.startswith(server.url)] == []
        source.get_by_role("button", name="Show as text").click()
        expect(source.locator("mark")).to_have_text("Ada Lovelace wrote the **first published\nprogram** in 1843.")
        source.get_by_role("button", name="Show formatted").click()
        expect(source.get_by_role("table")).to_be_visible()


ON_PAGE_2 = "Ada Lovelace wrote the first published program in 1843."
PDF = pdf(
    [
        ["Engines", "", "Charles Babbage designed the Difference Engine in London."],
        ["Programs", "", ON_PAGE_2],
        ["Bridges", "", "Isambard Brunel built the Clifton Bridge in Bristol."],
    ],
    {"Title": "Engines"},
)
FOUR_HUNDRED, LARGE = (400, 844), (1600, 900)


def shown_page(page: Page) -> Locator:
    """The image of a page, once it is there."""
    image = page.get_by_role("dialog").locator(".source-frame img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1240
    return image


@pytest.mark.parametrize(
    ("size", "scheme"), [(WIDE, "light"), (FOUR_HUNDRED, "dark"), (LARGE, "light")], ids=["wide", "phone", "large"]
)
def test_pdf_opens_at_the_cited_page(
    opened: Opened, tmp_path: Path, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    file = tmp_path / "engines.pdf"
    file.write_bytes(PDF)
    with served(tmp_path / "kept", "[reading]\nkeep_originals = true\n") as server:
        read_in(server, "engines", file)
        page = opened(f"{server.url}/#/engines/ask", size, scheme)
        ask(page, "Who wrote the first published program?")
        page.get_by_role("button", name="Source 1:").click()
        source = page.get_by_role("dialog")
        shown_page(page)
        expect(source.get_by_role("status")).to_have_text("Page 2 of 3")
        expect(source.locator("mark")).to_have_text(ON_PAGE_2)
        expect(source.locator("mark")).to_be_in_viewport()
        expect(source.locator(".source-frame")).to_be_in_viewport()
        seen(f"source-pdf-{size[0]}-{scheme}", page)
        source.get_by_role("button", name="Enlarge").click()
        frame = source.locator(".source-frame")
        assert frame.evaluate("frame => frame.scrollWidth / frame.clientWidth") == pytest.approx(2, abs=0.1)
        source.get_by_role("button", name="Next page").click()
        expect(source.get_by_role("img", name="Page 3;")).to_be_visible()
        expect(source.get_by_role("button", name="Next page")).to_be_disabled()


def test_page_is_loaded_again_only_if_it_has_changed(opened: Opened, tmp_path: Path) -> None:
    file = tmp_path / "engines.pdf"
    file.write_bytes(PDF)
    with served(tmp_path / "cached", "[reading]\nkeep_originals = true\n") as server:
        read_in(server, "engines", file)
        page = opened(f"{server.url}/#/engines/documents")
        statuses: list[int] = []
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on(
            "Network.responseReceivedExtraInfo",
            lambda event: statuses.extend([event["statusCode"]] if "etag" in map(str.lower, event["headers"]) else []),
        )
        for _ in range(2):
            page.get_by_role("button", name="Engines").first.click()
            shown_page(page)
            page.get_by_role("button", name="Close the source").click()
        while len(statuses) < 2:
            page.wait_for_timeout(100)
        assert statuses[-2:] == [200, 304]


def test_pdf_without_its_file_is_shown_as_text(opened: Opened, tmp_path: Path) -> None:
    file = tmp_path / "engines.pdf"
    file.write_bytes(PDF)
    with served(tmp_path / "not-kept") as server:
        read_in(server, "engines", file)
        page = opened(f"{server.url}/#/engines/ask")
        ask(page, "Who wrote the first published program?")
        page.get_by_role("button", name="Source 1:").click()
        source = page.get_by_role("dialog")
        expect(source.locator("mark")).to_have_text(ON_PAGE_2)
        assert source.locator(".source-page").count() == 0


def test_page_that_is_passed_while_it_loads_is_never_shown(opened: Opened, tmp_path: Path) -> None:
    file = tmp_path / "engines.pdf"
    file.write_bytes(PDF)
    with served(tmp_path / "passed", "[reading]\nkeep_originals = true\n") as server:
        read_in(server, "engines", file)
        page = opened(f"{server.url}/#/engines/documents")
        page.get_by_role("button", name="Engines").first.click()
        shown_page(page)
        page.route("**/pages/2", lambda route: None)
        with page.expect_event("requestfailed", lambda request: request.url.endswith("/pages/2")):
            page.get_by_role("button", name="Next page").click()
            page.get_by_role("button", name="Previous page").click()
        # Longer than a page takes until it is said to be loading.
        page.wait_for_timeout(500)
        assert shown_page(page).get_attribute("alt") == "Page 1; its text is below or beside it"
