"""What surrounds the views: header, headings, keyboard, and that nothing moves while a view is loading."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, Watch, ask, served
from tests.browser.graph_view import put_in, settled
from tests.model_server import ModelServer
from tests.server.running_server import Running

LONG = ("Royal Observatory, Edinburgh Annex", "Worshipful Company of Clockmakers")
GREATEST_SHIFT = 0.1


def test_header_stays_when_the_server_cannot_be_reached(
    server: Running, opened: Opened, watch: Watch, seen: Seen
) -> None:
    watch.allowed.append("net::ERR_")
    page = opened(f"{server.url}/#/spaceflight/ask")
    expect(page.get_by_role("textbox", name="Question")).to_be_visible()
    page.context.set_offline(True)
    page.get_by_role("link", name="Documents").click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    expect(page.get_by_role("link", name="Documents")).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value("spaceflight")
    # A new image would be requested again.
    assert page.locator(".brand img").evaluate("(image) => image.complete && image.naturalWidth > 0")
    seen("offline", page)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value("spaceflight")
    page.context.set_offline(False)
    page.get_by_role("link", name="Ask").click()
    expect(page.get_by_role("textbox", name="Question")).to_be_visible()


def test_view_has_one_main_heading_after_a_question(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/ask")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ask spaceflight")
    ask(page, "Who commanded Shenzhou 7?")
    expect(page.get_by_role("heading", level=1)).to_have_count(1)


def test_removed_citations_are_reported_once(
    answering: Running, opened: Opened, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "responders", [lambda asked: "Jing Haipeng stayed in the cabin [1][900]."])
    page = opened(f"{answering.url}/#/spaceflight/ask")
    ask(page, "Who stayed in the cabin of Shenzhou 7?")
    turn = page.locator("article.turn")
    expect(turn).to_contain_text("1 invalid citation was removed")
    assert len(re.findall("removed", turn.inner_text())) == 1


def test_details_are_scrolled_by_keyboard(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/browse", (1280, 420))
    page.locator(".choices button").first.click()
    detail = page.locator("section.detail")
    expect(detail.get_by_role("heading").first).to_be_visible()
    expect(detail).to_have_js_property("scrollTop", 0)
    assert detail.evaluate("(node) => node.scrollHeight > node.clientHeight")
    for _ in range(200):
        page.keyboard.press("Tab")
        if detail.evaluate("(node) => node === document.activeElement"):
            break
    expect(detail).to_be_focused()
    page.keyboard.press("PageDown")
    expect(detail).not_to_have_js_property("scrollTop", 0)


def test_labels_of_the_graph_are_not_cut(opened: Opened, tmp_path: Path, seen: Seen, watch: Watch) -> None:
    watch.allowed.append("willReadFrequently")
    rows = [{"text": "The observatory bought clocks.", "entities": [{"name": name, "type": "body"} for name in LONG]}]
    put_in(tmp_path / "long", "long", rows)
    with served(tmp_path / "long") as server:
        page = opened(f"{server.url}/#/long/explore", PHONE)
        settled(page)
        assert page.evaluate(_INK_AT_THE_EDGES) == 0
        box = page.locator(".graph-lifted").bounding_box()
        assert box is not None
        # Both entities are in the middle; now they are near the left edge.
        page.mouse.move(box["x"] + 250, box["y"] + 250)
        page.mouse.down()
        page.mouse.move(box["x"] + 110, box["y"] + 250, steps=5)
        page.mouse.up()
        page.wait_for_timeout(300)
        seen("explore-labels", page)
        assert page.evaluate(_INK_AT_THE_EDGES) == 0


_INK_AT_THE_EDGES = """() => {
  const canvas = document.querySelector(".graph-all");
  const pen = canvas.getContext("2d");
  const { width, height } = canvas;
  const edges = [[0, 0, 1, height], [width - 1, 0, 1, height], [0, 0, width, 1], [0, height - 1, width, 1]];
  const inked = ([r, g, b, alpha]) => alpha > 128 && r + g + b < 300;
  let found = 0;
  for (const edge of edges) {
    const { data } = pen.getImageData(...edge);
    for (let at = 0; at < data.length; at += 4) found += inked(data.slice(at, at + 4)) ? 1 : 0;
  }
  return found;
}"""


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("view", ["ask", "explore", "documents", "settings"])
def test_nothing_moves_while_a_view_is_loading(
    server: Running, browser: Browser, view: str, size: tuple[int, int]
) -> None:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    page = context.new_page()
    page.add_init_script(SHIFTS)
    page.goto(f"{server.url}/#/spaceflight/{view}")
    expect(page.get_by_role("heading", level=1)).to_be_attached()
    if view == "explore":
        settled(page)
    if view == "settings":
        expect(page.get_by_role("button", name="Check again")).to_be_enabled()
    page.wait_for_timeout(300)
    shift: float = page.evaluate("window.shift")
    context.close()
    assert shift <= GREATEST_SHIFT


SHIFTS = """
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shift += entry.hadRecentInput ? 0 : entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""
