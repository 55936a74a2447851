"""Exploring: the drawing by pointer, by keyboard and as a list; what was selected, and the way back."""

import base64
import json
import random
import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from polyadic import Workspace
from polyadic.interchange.import_file import import_file
from tests.browser.conftest import PHONE, WIDE, Opened, Seen, served
from tests.server.running_server import Running, make

FACTS = (
    ("Ada Lovelace wrote notes on the Analytical Engine for Charles Babbage in 1843.", "ace1"),
    ("Charles Babbage designed the Analytical Engine in London.", "ceo"),
    ("Ada Lovelace lived in London.", "ao"),
    ("Mary Somerville taught Ada Lovelace mathematics in London.", "saom"),
    ("Charles Babbage held a chair at Cambridge.", "cb"),
)
THINGS = {
    "a": ("Ada Lovelace", "person"),
    "c": ("Charles Babbage", "person"),
    "s": ("Mary Somerville", "person"),
    "e": ("Analytical Engine", "machine"),
    "o": ("London", "place"),
    "b": ("Cambridge", "place"),
    "m": ("mathematics", ""),
    "1": ("1843", "date"),
}
MANY, MANY_FACTS = 2000, 2700


def put_in(folder: Path, name: str, rows: Sequence[dict[str, Any]]) -> None:
    """A workspace in a folder that is yet to be served, with these statements and their typed entities."""
    (folder / name).mkdir(parents=True)
    (folder / name / "polyadic.toml").write_text('[embedding]\nmodel = "hashing"\n')
    file = folder / f"{name}.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    with Workspace(folder / name) as kb:
        import_file(kb, file)


def few() -> list[dict[str, Any]]:
    named = [(text, [THINGS[letter] for letter in letters]) for text, letters in FACTS]
    return [{"text": text, "entities": [{"name": name, "type": kind} for name, kind in all_]} for text, all_ in named]


def many() -> list[dict[str, Any]]:
    """Facts that each join two to five of what lies near each other; every entity takes part in some."""
    drawn = random.Random(11)
    rows = []
    for number in range(MANY_FACTS):
        others = {int(number + drawn.gauss(0, 20)) % MANY for _ in range(drawn.randint(1, 4))}
        joined = sorted({number % MANY, (number + 1) % MANY} | others)
        entities = [{"name": f"thing {one}", "type": f"kind {one % 6}"} for one in joined]
        rows.append({"text": f"Fact {number} joins {len(joined)}.", "entities": entities, "_id": f"d{number // 50}"})
    return rows


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Serves ``few``, of which every entity and fact is known here, and ``nothing``."""
    folder = tmp_path_factory.mktemp("drawn")
    put_in(folder, "few", few())
    with served(folder) as server, server.client() as client:
        make(client, "nothing")
        yield server


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Serves ``many``."""
    folder = tmp_path_factory.mktemp("crowded")
    put_in(folder, "many", many())
    with served(folder) as server:
        yield server


def settled(page: Page) -> Locator:
    """The drawing, once everything has found its place."""
    graph = page.locator(".graph")
    expect(graph).to_have_attribute("data-settled", "true")
    return graph


def shown(graph: Locator) -> tuple[int, int, int]:
    """How many entities are drawn, how many facts, and how many facts that join more than two."""
    entities, facts, joining = (
        int(graph.get_attribute(f"data-{name}") or 0) for name in ("entities", "facts", "joining")
    )
    return entities, facts, joining


def place_of_selected(page: Page) -> tuple[float, float]:
    """Where the selected thing is seen in the window, after whatever moves has come to rest."""
    graph = page.locator(".graph")
    expect(graph).to_have_attribute("data-at", re.compile(r"\d"))
    page.wait_for_timeout(500)
    x, y = map(float, (graph.get_attribute("data-at") or "").split())
    box = page.locator(".graph-lifted").bounding_box()
    assert box is not None
    return box["x"] + x, box["y"] + y


def choose(page: Page, name: str) -> str:
    """Select something by its name, in the list below the drawing; returns its identifier."""
    if page.locator(".graph-list").get_attribute("open") is None:
        page.get_by_text("Graph as a list").click()
    entry = page.locator(".graph-list").get_by_role("button", name=name, exact=True)
    entry.click()
    chosen = entry.get_attribute("data-id") or ""
    expect(page.locator(".graph")).to_have_attribute("data-selected", chosen)
    return chosen


def search_for(page: Page, words: str) -> None:
    """Find something in the workspace and go to the first that is found."""
    page.get_by_label("Find an entity or a fact").fill(words)
    expect(page.locator(".explore-results button").first).to_be_visible()
    page.keyboard.press("Enter")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
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


def test_expanding_adds_neighbours(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/explore?limit=50")
    graph = settled(page)
    before = shown(graph)
    page.locator(".explore-best").nth(1).click()
    page.get_by_role("button", name="Show neighbours").click()
    expect(page.locator(".toast")).to_have_text(re.compile(r"^\d+ entit\w+ and \d+ facts? more$"))
    after = shown(settled(page))
    assert after > before and after[1] > before[1]
    page.locator(".graph-lifted").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_have_count(2)
    assert shown(settled(page))[0] >= after[0]


def test_entity_types_can_be_filtered(drawn: Running, opened: Opened, seen: Seen) -> None:
    page = opened(f"{drawn.url}/#/few/explore")
    graph = settled(page)
    types = page.get_by_role("group", name="Entity types").get_by_role("button")
    assert [text.strip() for text in types.all_text_contents()] == [
        "person 3",
        "place 2",
        "no type 1",
        "date 1",
        "machine 1",
    ]
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, (400, 844)], ids=["wide", "phone"])
def test_path_between_two_entities(
    drawn: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{drawn.url}/#/few/explore", size, scheme)
    settled(page)
    choose(page, "Cambridge")
    page.get_by_role("button", name="Find a path").click()
    expect(page.get_by_text("Select another entity to find the path to it.")).to_be_visible()
    choose(page, "mathematics")
    page.get_by_role("button", name="Path from Cambridge").click()
    steps = page.locator(".explore-steps > li")
    expect(steps).to_have_count(7)
    expect(steps.first).to_have_text("Cambridge")
    expect(steps.last).to_have_text("mathematics")
    assert all(steps.nth(number).text_content() in {text for text, _ in FACTS} for number in (1, 3, 5))
    assert shown(settled(page))[1] == 3
    expect(page.get_by_role("navigation", name="History")).to_contain_text("Cambridge – mathematics")
    seen(f"explore-path-{size[0]}-{scheme}", page)
    again = opened(page.url)
    expect(again.locator(".explore-steps > li")).to_have_count(7)
    steps.nth(1).get_by_role("button").click()
    expect(page.locator(".explore-fact")).to_be_visible()


def test_entities_without_a_path_are_reported(crowded: Running, opened: Opened) -> None:
    page = opened(f"{crowded.url}/#/many/explore?limit=50")
    settled(page)
    ends = []
    for name in ("thing 0", f"thing {MANY // 2}"):
        search_for(page, name)
        expect(page.locator(".explore-name")).to_have_text(name)
        ends.append(page.locator(".graph").get_attribute("data-selected"))
    other = opened(f"{crowded.url}/#/many/explore?path={ends[0]}.{ends[1]}")
    expect(other.locator(".toast")).to_have_text("No path through at most 8 facts was found.")
    assert shown(settled(other))[0] == 150


def test_graph_is_saved_as_an_image(drawn: Running, opened: Opened, tmp_path: Path) -> None:
    page = opened(f"{drawn.url}/#/few/explore")
    settled(page)
    choose(page, "London")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as an image").click()
    assert download.value.suggested_filename == "polyadic-graph.png"
    download.value.save_as(tmp_path / "graph.png")
    content = (tmp_path / "graph.png").read_bytes()
    width, height = struct.unpack(">II", content[16:24])
    box = page.locator(".graph-stage").bounding_box()
    assert box is not None and (width, height) == (round(2 * box["width"]), round(2 * box["height"]))
    # The background, entities in the colours of several types, and letters.
    colours = page.evaluate(
        """async (data) => {
            const image = new Image();
            image.src = `data:image/png;base64,${data}`;
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height);
            const pen = canvas.getContext("2d");
            pen.drawImage(image, 0, 0);
            return new Set(new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer)).size;
        }""",
        base64.b64encode(content).decode(),
    )
    assert colours > 50
