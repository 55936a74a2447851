"""Exploring: what the view draws, and its layout."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen
from tests.browser.graph_view import MANY, MANY_FACTS, choose, place_of_selected, settled, shown
from tests.server.running_server import Running


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_view_starts_with_the_best_connected_entities(
    server: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{server.url}/#/spaceflight/explore", size, scheme)
    graph = settled(page)
    entities, facts, joining = shown(graph)
    assert entities == 150 and facts > joining > 30
    all_there = re.compile(rf"150 of [\d,]+ entities, {facts} of \d{{3}} facts; more available")
    expect(page.get_by_text(all_there)).to_be_visible()
    expect(page.locator(".explore-best").first).to_contain_text(re.compile(r"\d\d facts"))
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    seen(f"explore-{size[0]}-{scheme}", page)
    page.locator(".explore-best").first.click()
    expect(page.locator(".explore-sentence").first).to_be_visible()
    seen(f"explore-entity-{size[0]}-{scheme}", page)


def test_fact_of_any_arity_is_one_hyperedge(drawn: Running, opened: Opened, seen: Seen) -> None:
    page = opened(f"{drawn.url}/#/few/explore")
    assert shown(settled(page)) == (8, 5, 3)
    expect(page.get_by_text("Showing all 8 entities, 5 facts")).to_be_visible()
    page.get_by_text("Graph as a list").click()
    listed = page.locator(".graph-list li")
    expect(listed).to_have_count(8 + 5)
    joined = listed.filter(has_text="Mary Somerville taught").text_content() or ""
    assert all(name in joined.split(" joins ")[1] for name in ("London", "Ada Lovelace", "mathematics"))
    seen("explore-few", page)


def test_outlines_contain_exactly_the_entities_of_a_fact(drawn: Running, opened: Opened) -> None:
    page = opened(f"{drawn.url}/#/few/explore")
    inside = page.evaluate(
        """async () => {
            const { addHull } = await import("/page/graph_hulls.js");
            const members = [[90, 0], [-40, 70], [-40, -70]].map(([x, y]) => ({ x, y, radius: 6 }));
            const pen = document.createElement("canvas").getContext("2d");
            const path = new Path2D();
            addHull(path, [0, 0], members);
            const others = [[60, 60], [-75, 0], [60, -60], [110, 0]];
            const points = [...members.map(({ x, y }) => [x, y]), [0, 0], ...others];
            return points.map(([x, y]) => pen.isPointInPath(path, x, y));
        }"""
    )
    assert inside == [True] * 4 + [False] * 4


def test_layout_is_deterministic(drawn: Running, opened: Opened) -> None:
    places = []
    for _ in range(2):
        page = opened(f"{drawn.url}/#/few/explore")
        settled(page)
        choose(page, "London")
        places.append(place_of_selected(page))
    assert places[0] == pytest.approx(places[1], abs=0.2)


def test_number_of_entities_can_be_changed(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/explore")
    before = shown(settled(page))
    page.get_by_label("Maximum entities").select_option("500")
    expect(page.locator(".graph")).to_have_attribute("data-entities", "500")
    assert shown(settled(page))[1] > before[1]
    assert page.url.endswith("explore?limit=500")


def test_empty_workspace_shows_next_steps(drawn: Running, opened: Opened) -> None:
    page = opened(f"{drawn.url}/#/nothing/explore")
    page.get_by_role("button", name="Add documents").click()
    expect(page).to_have_url(f"{drawn.url}/#/nothing/documents")


def test_missing_entity_is_reported(drawn: Running, opened: Opened, watch: Any) -> None:
    watch.allowed.append("404")
    page = opened(f"{drawn.url}/#/few/explore?entity={'0' * 32}")
    expect(page.get_by_role("alert")).to_contain_text("The workspace has no entity")


def test_layout_handles_two_thousand_entities(crowded: Running, opened: Opened, seen: Seen) -> None:
    page = opened(f"{crowded.url}/#/many/explore?limit=2000")
    graph = page.locator(".graph")
    expect(graph).to_have_attribute("data-settled", "true", timeout=60_000)
    assert shown(graph)[:2] == (MANY, MANY_FACTS)
    seen("explore-many", page)
    page.get_by_text("Graph as a list").click()
    expect(page.locator(".graph-list li")).to_have_count(200)
    page.get_by_role("button", name="Show more").first.click()
    expect(page.locator(".graph-list li")).to_have_count(300)


def test_drawing_handles_ten_thousand_entities(drawn: Running, opened: Opened) -> None:
    page = opened(f"{drawn.url}/#/few/explore")
    page.get_by_label("Maximum entities").select_option("10000")
    expect(page).to_have_url(re.compile("limit=10000$"))
    settled(page)
    page.evaluate(
        """async () => {
            const { drawHypergraph } = await import("/page/graph.js");
            const count = 10_000;
            const entities = Array.from({ length: count }, (_, n) =>
                ({ id: `e${n}`, name: `thing ${n}`, type: `kind ${n % 6}`, description: "", facts: 3 }));
            const facts = Array.from({ length: 13_500 }, (_, n) => ({
                fact: { id: `f${n}`, text: `Fact ${n}.`, score: 1, support: 1 },
                entities: [n, n + 1, n * 7].slice(0, 2 + (n % 2)).map((one) => `e${one % count}`),
            }));
            const root = document.querySelector(".explore-graph").cloneNode();
            document.querySelector(".explore-graph").replaceWith(root);
            drawHypergraph(root, { entities, facts, complete: true });
        }"""
    )
    graph = page.locator(".graph")
    expect(graph).to_have_attribute("data-entities", "10000")
    page.locator(".graph-lifted").focus()
    page.keyboard.press("ArrowRight")
    expect(graph).to_have_attribute("data-selected", re.compile("^[ef]"))
    expect(graph).to_have_attribute("data-settled", "true", timeout=120_000)


def test_reduced_motion_lays_out_immediately(drawn: Running, opened: Opened) -> None:
    page = opened(f"{drawn.url}/#/few/documents")
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{drawn.url}/#/few/explore")
    settled(page)
    expect(page.locator(".graph-stage")).not_to_have_class(re.compile("settling"))
    page.locator(".graph-lifted").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".graph")).to_have_attribute("data-at", re.compile(r"\d"))
