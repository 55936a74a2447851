"""The source of a citation: Markdown documents formatted, with the cited words marked, or as they were written."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, ask, read_in, served
from tests.browser.test_rendered_answers import HOSTILE

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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
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
