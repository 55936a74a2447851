"""Exploring: the path between two entities, and the graph as an image."""

import base64
import struct
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WIDE, Opened, Seen
from tests.browser.graph_view import (
    FACTS,
    MANY,
    choose,
    search_for,
    settled,
    shown,
)
from tests.server.running_server import Running


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), ((400, 844), "dark")], ids=["wide", "phone"])
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
