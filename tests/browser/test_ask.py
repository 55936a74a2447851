"""Asking: answers as they come, citations that lead to the words, what was used, and what goes wrong."""

import re
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, Watch, ask, served
from tests.model_server import Asked, ModelServer
from tests.server.running_server import Running, make

SPACEWALK = "Which astronaut stayed in the cabin of Shenzhou 7 during the first Chinese spacewalk?"
CABIN = "Who stayed in the cabin of Shenzhou 7 during the spacewalk?"
HOSTILE = "<img src=x onerror=document.title=1>"


def no_wider_than_the_window(page: Page) -> bool:
    wide: bool = page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    return wide


def test_citation_opens_the_cited_text(page: Page, seen: Seen) -> None:
    ask(page, SPACEWALK)
    seen("ask-answer")
    page.get_by_role("button", name="Source 1:").click()
    source = page.get_by_role("dialog")
    expect(source.get_by_role("heading", level=2)).to_have_text("Shenzhou 5 and the Chinese crewed flights")
    meant = source.locator("mark")
    expect(meant).to_contain_text("Jing Haipeng stayed in the cabin.")
    expect(meant).to_be_in_viewport()
    cited = page.get_by_role("button", name="Source 1:").get_attribute("title") or ""
    assert " ".join((meant.text_content() or "").split()) == cited
    seen("ask-source")
    page.keyboard.press("Escape")
    expect(source).to_be_hidden()
    expect(page.get_by_role("button", name="Source 1:")).to_be_focused()


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_knowledge_is_shown_as_a_list_and_a_graph(
    server: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{server.url}/#/spaceflight/ask", size, scheme)
    name = f"why-{size[0]}-{scheme}"
    expect(page.get_by_role("button", name="Skylab")).to_be_visible()
    seen(f"{name}-first", page)
    ask(page, SPACEWALK)
    page.locator(".why > summary").click()
    used = page.locator(".item")
    expect(used.first).to_contain_text("about Shenzhou 7, which the question names")
    expect(used.first.get_by_role("list", name="Entities")).to_contain_text("Zhai Zhigang")
    expect(used.first).to_contain_text("cited as 1")
    page.get_by_role("button", name=re.compile("^Show .* more$")).first.click()
    seen(f"{name}-list", page)
    page.get_by_role("tab", name="As a hypergraph").click()
    expect(page.locator(".drawing canvas").first).to_be_visible()
    expect(page.get_by_text("The 12 best of")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Draw all")).click()
    expect(page.get_by_text(re.compile(r"^\d+ facts with their entities"))).to_be_visible()
    seen(f"{name}-drawing", page)
    assert no_wider_than_the_window(page)


def test_confidence_is_shown_as_a_percentage(page: Page) -> None:
    ask(page, SPACEWALK)
    expect(page.locator(".bill")).to_contain_text(re.compile(r"Confidence: \d+%\."))


def test_trace_shows_steps_with_durations(page: Page) -> None:
    ask(page, SPACEWALK)
    trace = page.locator("details.how")
    expect(trace.locator("summary")).to_have_text(re.compile(r"^auto: \d+ steps in [\d.]+ m?s$"))
    trace.locator("summary").click()
    for name in ("read the question", "second walk", "quote"):
        step = trace.get_by_role("listitem").filter(has_text=name)
        expect(step.first).to_contain_text(re.compile(r"\d m?s"))


def test_answer_is_drawn_once(page: Page) -> None:
    """Drawn again, it would close what the reader has opened in the meantime."""
    page.evaluate(
        """() => {
          window.requestAnimationFrame = (draw) => queueMicrotask(draw);  // No two events share a frame.
          window.drawn = 0;
          const isAnswer = (node) => node.matches?.(".why");
          new MutationObserver((changes) => {
            window.drawn += changes.flatMap(({ addedNodes }) => [...addedNodes]).filter(isAnswer).length;
          }).observe(document.querySelector("#view"), { subtree: true, childList: true });
        }"""
    )
    ask(page, SPACEWALK)
    expect(page.get_by_role("button", name="Ask")).to_be_visible()
    assert page.evaluate("window.drawn") == 1


def test_answer_is_streamed(
    answering: Running, opened: Opened, model: ModelServer, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine, steps and words would else reach the page together.
    monkeypatch.setattr(model, "delay", 1.0)
    monkeypatch.setattr(model, "tokens_per_second", 10)
    page = opened(f"{answering.url}/#/spaceflight/ask")
    page.get_by_role("textbox", name="Question").fill(CABIN)
    page.evaluate(
        """() => {
          window.came = [];
          new MutationObserver(() => {
            const turn = document.querySelector(".turn");
            const steps = turn?.querySelectorAll(".step").length ?? 0;
            const words = turn?.querySelector(".answer-text")?.textContent.length ?? 0;
            window.came.push([steps, words]);
          }).observe(document.querySelector("#view"), { subtree: true, childList: true, characterData: true });
        }"""
    )
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.locator("article.turn")).to_have_attribute("aria-busy", "false")
    came = page.evaluate("window.came")
    lengths = {words for _, words in came if words}
    assert any(steps and not words for steps, words in came), "steps come before words"
    assert len(lengths) > 3, "words come in pieces"
    expect(page.get_by_role("button", name="Source 1:")).to_be_visible()
    expect(page.get_by_text("Answered by recorded")).to_contain_text("in 1 call")
    expect(page.locator("details.how")).not_to_have_attribute("open", "")
    seen("ask-model", page)


def claims_of_a_passage(asked: Asked) -> str:
    """Three claims that cite the passage about Shenzhou 7; the last one is wrong."""
    before = asked.text[: asked.text.rindex("with Liu Boming and Jing Haipeng")]
    number = re.findall(r"^\s*\[(\d+)\]", before, re.MULTILINE)[-1]
    return (
        f"\U0001f680 Zhai Zhigang commanded Shenzhou 7 with Liu Boming [{number}].\n\n"
        f"- Jing Haipeng stayed in the cabin [{number}].\n- Shenzhou 7 was launched in 1998 [{number}]."
    )


def test_each_marker_opens_its_own_sentence_and_unsupported_claims_are_listed(
    answering: Running, opened: Opened, model: ModelServer, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "responders", [claims_of_a_passage])
    page = opened(f"{answering.url}/#/spaceflight/ask")
    ask(page, CABIN)
    markers = page.locator(".answer-text button.citation")
    expect(markers).to_have_count(3)
    titles = [marker.get_attribute("title") or "" for marker in markers.all()]
    assert "Zhai Zhigang commanded Shenzhou 7" in titles[0]
    assert "Jing Haipeng stayed in the cabin" in titles[1] and "commanded" not in titles[1]
    expect(markers.nth(2)).to_have_text(re.compile(r"^\d+\?$"))
    expect(page.get_by_text("These claims are not supported by the cited")).to_contain_text("launched in 1998")
    markers.nth(1).click()
    expect(page.get_by_role("dialog").locator("mark")).to_contain_text("Jing Haipeng stayed in the cabin.")
    seen("ask-unsupported", page)


def test_page_says_that_it_waits_for_a_slow_model(
    answering: Running, opened: Opened, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer than it takes to look, on a slow machine too.
    monkeypatch.setattr(model, "delay", 8.0)
    page = opened(f"{answering.url}/#/spaceflight/ask")
    page.get_by_role("textbox", name="Question").fill(CABIN)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Waiting for the answer …")).to_be_visible()
    expect(page.locator(".step").last).to_contain_text("fit")
    expect(page.locator("article.turn")).to_have_attribute("aria-busy", "false", timeout=60_000)


def test_answer_can_be_stopped(answering: Running, opened: Opened, model: ModelServer) -> None:
    page = opened(f"{answering.url}/#/spaceflight/ask")
    model.tokens_per_second = 5
    try:
        page.get_by_role("textbox", name="Question").fill(CABIN)
        page.keyboard.press("Enter")
        expect(page.locator(".answer-text p")).to_be_visible()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("Stopped before the answer was complete.")).to_be_visible()
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    finally:
        model.tokens_per_second = 60


def test_answer_is_copied_with_its_sources(page: Page) -> None:
    ask(page, SPACEWALK)
    page.get_by_role("button", name="Copy the answer").click()
    expect(page.get_by_text("Answer and sources copied")).to_be_visible()
    copied: str = page.evaluate("navigator.clipboard.readText()")
    text, _, sources = copied.partition("\n\nSources:\n")
    first = "[1] Shenzhou 5 and the Chinese crewed flights › The first crews: “On 27 September 2008"
    assert "[1]" in text and sources.startswith(first)


def test_page_works_on_a_phone_and_by_keyboard(server: Running, opened: Opened, seen: Seen) -> None:
    page = opened(f"{server.url}/#/spaceflight/ask", PHONE)
    expect(page.get_by_role("textbox", name="Question")).to_be_focused()
    page.keyboard.type(SPACEWALK[:20])
    page.keyboard.press("Shift+Enter")
    page.keyboard.type(SPACEWALK[20:])
    page.keyboard.press("Enter")
    expect(page.locator("article.turn")).to_have_attribute("aria-busy", "false")
    assert no_wider_than_the_window(page)
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.matches('.citation')"):
            break
    page.keyboard.press("Enter")
    source = page.get_by_role("dialog")
    expect(source.locator("mark")).to_be_in_viewport()
    seen("ask-phone-source", page)
    assert no_wider_than_the_window(page)
    page.keyboard.press("Escape")
    expect(source).to_be_hidden()
    expect(page.locator(".citation:focus")).to_have_count(1)


def test_document_content_is_never_executed(opened: Opened, tmp_path: Path) -> None:
    with served(tmp_path / "hostile") as server, server.client() as client:
        make(client, "hostile")
        shown = "<svg onload=document.title=3>"
        text = f"Mary Somerville lived in Chelsea. 🚀 Ada Lovelace met Charles Babbage in Turin {HOSTILE} {shown}."
        upload(client, "hostile", f"<script>document.title=2</script>{HOSTILE}", text)
        page = opened(f"{server.url}/#/hostile/ask")
        ask(page, "Ada Lovelace met whom in Turin, Charles Babbage?")
        expect(page.locator(".answer-text")).to_contain_text(shown)
        expect(page.locator(".source-row").first).to_contain_text(HOSTILE)
        page.locator(".why > summary").click()
        page.locator(".citation").first.click()
        source = page.get_by_role("dialog")
        expect(source.get_by_role("heading", level=2)).to_contain_text(HOSTILE)
        # The rocket is one character to spans and two to scripts.
        expect(source.locator("mark")).to_have_text(page.locator(".citation").first.get_attribute("title") or "")
        assert page.locator("#view img, dialog img, #view script, svg[onload]").count() == 0
        assert page.title() == "Ask · hostile · Polyadic"


@pytest.mark.parametrize("question", ["Whom did Ada Lovelace meet in London?", "What are these documents about?"])
def test_citation_marks_of_a_document_are_not_citations(opened: Opened, tmp_path: Path, question: str) -> None:
    with served(tmp_path / "numbered") as server, server.client() as client:
        make(
            client,
            "numbered",
            "Ada Lovelace met Charles Babbage in London [2]. 🚀 Charles Babbage had moved there [1].",
        )
        page = opened(f"{server.url}/#/numbered/ask")
        ask(page, question)
        text = page.locator(".answer-text")
        expect(text).to_contain_text("in London (2)")
        expect(text).not_to_contain_text("[")
        assert text.locator("button.citation").all_text_contents() == ["1"]


def upload(client: httpx2.Client, workspace: str, title: str, text: str) -> None:
    given = {"texts": [{"title": title, "text": text, "source": "memory:1"}]}
    job = client.post(f"/v1/workspaces/{workspace}/documents/texts", json=given).json()
    path = f"/v1/workspaces/{workspace}/jobs/{job['id']}"
    with client.stream("GET", f"{path}/events") as events:
        events.read()
    assert client.get(path).json()["state"] == "succeeded"


def test_unreachable_server_is_reported_and_can_be_retried(
    opened: Opened, tmp_path: Path, watch: Watch, seen: Seen
) -> None:
    watch.allowed.append("net::ERR_")
    with served(tmp_path / "short") as server, server.client() as client:
        make(client, "letters", "Ada Lovelace met Charles Babbage in London.")
        page = opened(f"{server.url}/#/letters/ask")
        ask(page, "Whom did Ada Lovelace meet?")
        page.route("**/v1/**", lambda route: route.abort())
        ask(page, "And where?")
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
        seen("ask-gone", page)
        page.unroute("**/v1/**")
        page.get_by_role("button", name="Try again").click()
        expect(page.locator("article.turn").last.locator(".answer-text")).to_contain_text("London")
        expect(page.locator("article.turn")).to_have_count(2)


def test_workspace_is_created_and_deleted(opened: Opened, tmp_path: Path, seen: Seen, watch: Watch) -> None:
    watch.allowed.append("status of 409")
    with served(tmp_path / "empty") as server:
        page = opened(server.url)
        expect(page.get_by_role("heading", name="Create a workspace")).to_be_visible()
        seen("welcome", page)
        page.get_by_label("Name").fill("No Name")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("is not a valid name")
        page.get_by_label("Name").fill("letters")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("#/letters/documents$"))
        page.get_by_role("link", name="Ask").click()
        expect(page.get_by_role("heading", name="letters has no documents yet")).to_be_visible()
        seen("ask-empty", page)
        page.get_by_label("Workspaces and key").click()
        page.get_by_role("button", name="New workspace").click()
        page.get_by_label("Name").fill("letters")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label("Name").fill("drafts")
        page.keyboard.press("Enter")
        expect(page.get_by_role("combobox", name="Workspace")).to_have_value("drafts")
        page.get_by_label("Workspaces and key").click()
        page.get_by_role("button", name="Delete drafts").click()
        page.get_by_role("button", name="Delete workspace").click()
        expect(page.get_by_role("combobox", name="Workspace")).to_have_value("letters")


def test_chosen_theme_is_kept(page: Page) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    before = page.evaluate(ground)
    page.get_by_role("button", name="Colours: system").click()
    page.get_by_role("button", name="Colours: light").click()
    assert page.evaluate(ground) != before
    page.reload()
    expect(page.get_by_role("button", name="Colours: dark")).to_be_visible()
    page.get_by_role("button", name="Colours: dark").click()
    assert page.evaluate(ground) == before


def test_unknown_workspace_address_shows_the_list(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/nowhere/ask")
    expect(page.get_by_role("heading", name="There is no workspace nowhere")).to_be_visible()
    page.get_by_role("button", name="spaceflight").click()
    expect(page.get_by_role("textbox", name="Question")).to_be_visible()


def test_keyboard_focus_is_kept(page: Page) -> None:
    expect(page.get_by_role("textbox", name="Question")).to_be_focused()
    page.get_by_role("link", name="Settings").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_title("Settings · spaceflight · Polyadic")
    expect(page.get_by_role("link", name="Settings")).to_be_focused()
    expect(page.get_by_role("link", name="Settings")).to_have_attribute("aria-current", "page")
