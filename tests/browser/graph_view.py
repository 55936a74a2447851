"""Hypergraphs to explore, of which every entity and fact is known, and what tests read from their drawing."""

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from polyadic import Workspace
from polyadic.interchange.import_file import import_file

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
    """A workspace in a folder that is yet to be served, with these facts and their typed entities."""
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
    before, at = "", graph.get_attribute("data-at") or ""
    while at != before:
        page.wait_for_timeout(500)
        before, at = at, graph.get_attribute("data-at") or ""
    x, y = map(float, at.split())
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
