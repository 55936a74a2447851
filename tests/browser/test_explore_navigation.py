"""Exploring by pointer, by keyboard and as a list; what was selected, its address, and the way back."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opened, Seen
from tests.browser.graph_view import FACTS, choose, place_of_selected, search_for, settled, shown
from tests.server.running_server import Running


def test_expanding_adds_neighbours(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/explore?limit=50")
    graph = settled(page)
    before = shown(graph)
    page.locator(".explore-best").nth(1).click()
    page.get_by_role("button", name="Show neighbours").click()
    expect(page.locator(".toast")).to_have_text(re.compile(r"^\d+ entit\w+ and \d+ facts? more$"))
    after = shown(settled(page))
    assert after > before and after[1] > before[1]
    # Toasts disappear after a while, so two are not seen together on a slow machine.
    expect(page.locator(".toast")).to_have_count(0)
    page.locator(".graph-lifted").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_be_visible()
    assert shown(settled(page))[0] >= after[0]


def test_entity_types_can_be_filtered(drawn: Running, opened: Opened, seen: Seen) -> None:
    page = opened(f"{drawn.url}/#/few/explore")
    graph = settled(page)
    types = page.get_by_role("group", name="Entity types").get_by_role("button")
    expect(types).to_have_text(["person 3", "place 2", "no type 1", "date 1", "machine 1"])
    types.filter(has_text="person").click()
    # Facts that join two people, and no longer more.
    assert shown(graph) == (3, 2, 0)
    types.filter(has_text="place").click()
    assert shown(graph) == (5, 5, 1)
    seen("explore-types", page)
    page.get_by_role("button", name="Reset view").click()
    assert shown(graph) == (8, 5, 3)


def test_words_are_found_in_the_graph(drawn: Running, opened: Opened) -> None:
    page = opened(f"{drawn.url}/#/few/explore")
    graph = settled(page)
    field = page.get_by_label("Find in graph")
    field.fill("nothing like it")
    expect(page.locator(".graph-found")).to_have_text("no matches")
    field.fill("babbage")
    expect(page.locator(".graph-found")).to_have_text("4 found")
    found = []
    for _ in range(5):
        page.keyboard.press("Enter")
        found.append(graph.get_attribute("data-selected"))
    assert len(set(found)) == 4 and found[0] == found[4]
    expect(page.locator(".explore-panel")).to_contain_text("Charles Babbage")
    page.get_by_role("group", name="Entity types").get_by_role("button", name="place").click()
    expect(page.locator(".graph-found")).to_have_text("no matches")
    page.get_by_role("button", name="Reset view").click()
    expect(page.locator(".graph-found")).to_have_text("")
    expect(field).to_have_value("")
    expect(page.locator(".explore-panel")).to_contain_text("Legend")


def test_keyboard_moves_between_entities(drawn: Running, opened: Opened) -> None:
    page = opened(f"{drawn.url}/#/few/explore")
    graph = settled(page)
    page.get_by_role("application").focus()
    said = page.locator(".graph-stage [role=status]")
    page.keyboard.press("ArrowRight")
    expect(said).to_have_text(re.compile("^(Ada Lovelace|Charles Babbage), person, 3 facts$"))
    walked = [graph.get_attribute("data-selected")]
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
        walked.append(graph.get_attribute("data-selected"))
    assert len(set(walked)) >= 3
    expect(page.locator(".explore-panel")).to_have_attribute("data-shown", walked[-1] or "")
    page.keyboard.press("Escape")
    expect(graph).to_have_attribute("data-selected", "")
    expect(page.locator(".explore-panel")).to_contain_text("Legend")


def test_pointer_selects_pans_and_zooms(drawn: Running, opened: Opened, seen: Seen) -> None:
    page = opened(f"{drawn.url}/#/few/explore")
    graph = settled(page)
    for name in ("Cambridge", FACTS[4][0]):
        chosen = choose(page, name)
        x, y = place_of_selected(page)
        page.locator(".graph-lifted").press("Escape")
        page.mouse.move(x, y)
        expect(page.locator(".graph-tip")).to_contain_text(name)
        seen(f"explore-tip-{name[:9]}", page)
        page.mouse.click(x, y)
        expect(graph).to_have_attribute("data-selected", chosen)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y - 40, steps=6)
    page.mouse.up()
    assert place_of_selected(page) == pytest.approx((x + 60, y - 40), abs=1.5)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -200)
    further = place_of_selected(page)
    assert further[0] - x > 70 and further[1] - y < -45
    page.get_by_role("button", name=re.compile("^Fit to view")).click()
    assert place_of_selected(page) == pytest.approx((x, y), abs=1.5)


def test_view_has_an_address_and_a_back_link(server: Running, opened: Opened, seen: Seen) -> None:
    page = opened(f"{server.url}/#/spaceflight/explore?limit=50")
    begun = shown(settled(page))
    search_for(page, "Buzz Aldrin")
    way = page.get_by_role("navigation", name="History")
    expect(way).to_have_text("OverviewBuzz Aldrin")
    expect(page.locator(".explore-name")).to_have_text("Buzz Aldrin")
    address = page.url
    assert re.search(r"explore\?entity=[0-9a-f]{32}&limit=50$", address)
    there = shown(settled(page))
    page.locator(".explore-sentence").first.click()
    expect(page.locator(".explore-fact")).to_be_visible()
    page.get_by_role("button", name="Start here").click()
    expect(way.get_by_role("listitem")).to_have_count(3)
    seen("explore-way", page)
    way.get_by_role("button", name="Buzz Aldrin").click()
    expect(way.get_by_role("listitem")).to_have_count(2)
    assert shown(settled(page)) == there and page.url == address
    way.get_by_role("button", name="Overview").click()
    expect(way).to_be_hidden()
    assert shown(settled(page)) == begun
    page.go_back()
    expect(page.locator(".explore-name")).to_have_text("Buzz Aldrin")
    again = opened(address)
    expect(again.locator(".explore-name")).to_have_text("Buzz Aldrin")
    assert shown(settled(again)) == there


def test_fact_links_to_its_source(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/explore")
    settled(page)
    search_for(page, "The Gemini capsule")
    page.locator(".explore-sentence").first.click()
    quote = page.locator(".explore-place .said").first.text_content() or ""
    page.locator(".explore-place").first.click()
    meant = page.get_by_role("dialog").locator("mark")
    expect(meant.first).to_be_in_viewport()
    assert " ".join((meant.first.text_content() or "").split()) in " ".join(quote.split())


def test_selection_is_in_the_address(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/explore?limit=50")
    graph = settled(page)
    search_for(page, "Buzz Aldrin")
    expect(page.locator(".explore-name")).to_have_text("Buzz Aldrin")
    page.locator(".explore-sentence").nth(1).click()
    expect(page.locator(".explore-fact")).to_be_visible()
    expect(page).to_have_url(re.compile(r"explore\?entity=[0-9a-f]{32}&limit=50&selected=fact\.[0-9a-f]{32}$"))
    other = opened(page.url)
    expect(other.locator(".graph")).to_have_attribute("data-selected", graph.get_attribute("data-selected") or "")
    expect(other.locator(".explore-fact")).to_have_text(page.locator(".explore-fact").text_content() or "")
    assert other.url == page.url
    other.locator(".graph-lifted").press("Escape")
    expect(other).to_have_url(re.compile(r"limit=50$"))
    other.go_back()
    expect(other).to_have_url("about:blank")


def test_selected_item_outside_the_graph_is_added(crowded: Running, opened: Opened) -> None:
    page = opened(f"{crowded.url}/#/many/explore?limit=50")
    settled(page)
    search_for(page, "thing 1500")
    expect(page.locator(".explore-name")).to_have_text("thing 1500")
    identifier = page.locator(".graph").get_attribute("data-selected")
    other = opened(f"{crowded.url}/#/many/explore?limit=50&selected=entity.{identifier}")
    expect(other.locator(".explore-name")).to_have_text("thing 1500")
    assert shown(settled(other))[0] > 50
