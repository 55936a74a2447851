"""Conversations: kept over a reload, completed in the background, changed, exported, deleted; withdrawn documents."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, Watch, ask, served
from tests.model_server import ModelServer
from tests.server.running_server import ADA, BABBAGE, Running, make

CABIN = "Who stayed in the cabin of Shenzhou 7 during the spacewalk?"
WHO = "Who commanded Shenzhou 7?"
PROGRAM = "Who wrote the first published program?"


def kept(page: Page) -> str:
    """What the browser keeps of conversations."""
    found: str = page.evaluate(
        "Object.entries(localStorage).filter(([name]) => name.startsWith('polyadic-conversation')).join()"
    )
    return found


def turns(page: Page) -> list[str]:
    return page.locator("article.turn h2").all_inner_texts()


def open_menu(page: Page) -> None:
    page.locator("summary[aria-label='Conversations']").click()


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_conversation_outlives_a_reload(
    server: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{server.url}/#/spaceflight/ask", size, scheme)
    ask(page, WHO)
    text = page.locator(".answer-text").inner_text()
    page.reload()
    expect(page.locator(".answer-text")).to_have_text(re.compile(re.escape(text.split("\n")[0])))
    page.get_by_role("button", name="Source 1:").click()
    expect(page.get_by_role("dialog").locator("mark")).to_contain_text("Zhai Zhigang")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    ask(page, "And when?")
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator("article.turn")).to_have_count(0)
    ask(page, "Where was Apollo 13 meant to land?")
    open_menu(page)
    expect(page.locator(".conversation")).to_have_count(2)
    seen(f"conversations-{size[0]}-{scheme}", page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.locator(".conversation-open", has_text=WHO).click()
    expect(page.locator("article.turn")).to_have_count(2)
    seen(f"conversation-{size[0]}-{scheme}", page)
    assert turns(page) == [WHO, "And when?"]


def test_kept_conversation_has_no_quotations_of_its_own(answering: Running, opened: Opened) -> None:
    page = opened(f"{answering.url}/#/spaceflight/ask")
    ask(page, CABIN)
    quote = page.locator(".citation").first.get_attribute("title") or ""
    assert quote and page.locator(".source-row").count()
    assert '"quote":"' in kept(page) and not re.search(r'"quote":"[^"]{9,}"', kept(page))
    assert '"items"' not in kept(page)


@pytest.mark.parametrize("reload", [True, False])
def test_answer_goes_with_its_document(opened: Opened, tmp_path: Path, reload: bool, seen: Seen, watch: Watch) -> None:
    watch.allowed.append("404")
    with served(tmp_path / "withdrawn") as server, server.client() as client:
        first, second = make(client, "letters", ADA, BABBAGE)
        page = opened(f"{server.url}/#/letters/ask")
        ask(page, PROGRAM)
        expect(page.locator(".answer-text")).to_contain_text("published program in 1843")
        ask(page, "Whom did Charles Babbage meet in 1833?")
        for identifier in (first, second):
            found = client.get(f"/v1/workspaces/letters/documents/{identifier}/text").text
            if "published program" in found:
                assert client.delete(f"/v1/workspaces/letters/documents/{identifier}").status_code == 204
        if reload:
            page.reload()
        else:
            page.get_by_role("link", name="Documents").click()
            expect(page).to_have_title(re.compile("^Documents"))
            page.get_by_role("link", name="Ask").click()
        removed = page.locator("article.turn").first
        expect(removed).to_contain_text("A document that this answer quotes was deleted or changed")
        expect(page.locator("article.turn").last.locator(".answer-text")).to_contain_text("met Ada Lovelace in 1833")
        seen("withdrawn", page)
        assert "published program in 1843" not in page.locator("#view").inner_text()
        assert "published program in 1843" not in kept(page)


def test_last_question_is_in_view_after_a_reload(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/ask", PHONE)
    for question in (WHO, CABIN, "Where was Apollo 13 meant to land?"):
        ask(page, question)
    page.reload()
    expect(page.locator("article.turn")).to_have_count(3)
    expect(page.locator("article.turn h2").last).to_be_in_viewport()


def test_conversation_that_two_tabs_continue_becomes_two(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/ask")
    ask(page, WHO)
    other = page.context.new_page()
    other.goto(f"{server.url}/#/spaceflight/ask")
    open_menu(other)
    other.locator(".conversation-open", has_text=WHO).click()
    expect(other.locator("article.turn")).to_have_count(1)
    ask(page, CABIN)
    ask(other, "Where was Apollo 13 meant to land?")
    open_menu(other)
    expect(other.locator(".conversation")).to_have_count(2)
    for tab in (page, other):
        tab.reload()
        expect(tab.locator("article.turn")).to_have_count(2)
    assert turns(page) == [WHO, CABIN]
    assert turns(other) == [WHO, "Where was Apollo 13 meant to land?"]


def test_answer_is_completed_in_the_background(
    answering: Running, opened: Opened, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer than it takes to leave the page, on a slow machine too.
    monkeypatch.setattr(model, "delay", 8.0)
    page = opened(f"{answering.url}/#/spaceflight/ask")
    page.get_by_role("textbox", name="Question").fill(CABIN)
    page.keyboard.press("Enter")
    expect(page.locator("article.turn")).to_have_attribute("aria-busy", "true")
    page.get_by_role("link", name="Documents").click()
    expect(page).to_have_title(re.compile("^Documents"))
    expect(page.get_by_text(f"Answered: {CABIN}")).to_be_visible(timeout=60_000)
    page.get_by_role("link", name="Ask").click()
    expect(page.locator("article.turn")).to_have_attribute("aria-busy", "false")
    expect(page.locator(".answer-text button.citation").first).to_be_visible()


def test_reload_during_an_answer_keeps_the_question(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/ask")
    page.route("**/query/stream", lambda route: None)
    page.get_by_role("textbox", name="Question").fill(WHO)
    page.keyboard.press("Enter")
    expect(page.locator("article.turn")).to_have_attribute("aria-busy", "true")
    page.unroute("**/query/stream")
    page.reload()
    expect(page.locator("article.turn")).to_contain_text("Stopped before the answer was complete")
    page.get_by_role("button", name="Regenerate").click()
    expect(page.locator(".answer-text button.citation").first).to_be_visible()
    assert turns(page) == [WHO]


def test_question_is_edited_and_later_questions_are_removed(server: Running, opened: Opened, seen: Seen) -> None:
    page = opened(f"{server.url}/#/spaceflight/ask")
    ask(page, WHO)
    ask(page, "And when?")
    page.get_by_role("button", name="Edit question").first.click()
    box = page.get_by_role("textbox", name="Edited question")
    expect(box).to_be_focused()
    seen("edit-question", page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Edit question").first).to_be_focused()
    page.keyboard.press("Enter")
    box.fill("Where was Apollo 13 meant to land?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("The 1 later question and its answer will be removed.")
    page.get_by_role("button", name="Remove and ask").click()
    expect(page.locator("article.turn")).to_have_count(1)
    expect(page.locator("article.turn")).to_have_attribute("aria-busy", "false")
    expect(page.locator(".source-row").first).to_contain_text("Apollo 13")
    assert turns(page) == ["Where was Apollo 13 meant to land?"] and "commanded" not in kept(page)


def test_conversation_is_exported_and_deleted(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/ask")
    ask(page, WHO)
    open_menu(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export this conversation").click()
    text = Path(download.value.path()).read_text()
    assert download.value.suggested_filename == "spaceflight-conversation.md"
    assert text.startswith(f"## {WHO}\n") and "[1]" in text and "Sources:" in text and "“" in text
    page.get_by_role("button", name=f"Delete the conversation “{WHO}”").click()
    expect(page.locator("article.turn")).to_have_count(0)
    expect(page.get_by_text("No conversations yet.")).to_be_visible()
    assert kept(page) == ""
    page.keyboard.press("Escape")
    ask(page, WHO)
    open_menu(page)
    page.get_by_role("button", name="Delete all").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete all").click()
    expect(page.locator("article.turn")).to_have_count(0)
    assert kept(page) == ""


def test_hostile_text_in_the_browser_is_not_executed(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/ask")
    ask(page, WHO)
    page.evaluate(_TAMPER)
    page.reload()
    answer = page.locator(".answer-text")
    expect(answer).to_contain_text("tampered")
    assert answer.locator("script, img, iframe, a").count() == 0
    assert answer.locator("[onclick], [onerror], [style]").count() == 0


_TAMPER = """() => {
  for (const name of Object.keys(localStorage).filter((one) => one.startsWith("polyadic-conversation"))) {
    const saved = JSON.parse(localStorage.getItem(name));
    const attributes = { href: "javascript:1", onclick: "1", style: "x" };
    const inside = [{ tag: "a", children: ["tampered"], attributes }];
    saved.turns[0].blocks = ["script", "img", "iframe", "p"].map((tag) =>
      ({ tag, children: inside, attributes: { src: "https://evil.example", onerror: "1" } }));
    localStorage.setItem(name, JSON.stringify(saved));
  }
}"""
