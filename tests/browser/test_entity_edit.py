"""Curation of an entity in the page: rename, merge, split and undo."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opened, Seen, Watch, served
from tests.server.running_server import ADA, BABBAGE, Running, make

PLANET = "Mercury orbits the Sun. Mercury is smaller than Venus."
GOD = "Mercury carried messages to Jupiter. The Romans prayed to Mercury."


@pytest.fixture
def curated(tmp_path: Path) -> Iterator[Running]:
    with served(tmp_path / "curated") as server, server.client() as client:
        make(client, "notes", ADA, BABBAGE, PLANET, GOD)
        yield server


@pytest.fixture
def page(curated: Running, opened: Opened) -> Page:
    return opened(f"{curated.url}/#/notes/browse")


def edit(page: Page, name: str) -> Locator:
    page.get_by_label("Search entities").fill(name.split(maxsplit=1)[0])
    page.get_by_role("button", name=re.compile(f"^{name} [0-9]+ fact")).click()
    detail = page.get_by_role("region", name="Entity", exact=True)
    expect(detail.get_by_role("heading", name=name, exact=True)).to_be_visible()
    detail.get_by_text("Edit entity").click()
    expect(detail.get_by_role("form", name="Rename")).to_be_visible()
    return detail


def heading(detail: Locator, name: str) -> Locator:
    return detail.get_by_role("heading", name=name, exact=True, level=2)


def test_entity_is_renamed_and_the_decision_undone(page: Page, seen: Seen) -> None:
    detail = edit(page, "Ada Lovelace")
    seen("entity-edit", page)
    detail.get_by_label("New name").fill("Countess of Lovelace")
    detail.get_by_role("button", name="Rename").click()
    expect(heading(detail, "Countess of Lovelace")).to_be_visible()
    detail.get_by_text("Edit entity").click()
    expect(detail.get_by_text("Ada Lovelace is called Countess of Lovelace")).to_be_visible()
    detail.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name=re.compile("^Ada Lovelace [0-9]+ fact"))).to_be_visible()


def test_entities_are_merged(page: Page, watch: Watch) -> None:
    watch.allowed.append("status of 404")
    detail = edit(page, "Ada Lovelace")
    detail.get_by_label("Name of the same entity").fill("Nobody at All")
    detail.get_by_role("button", name="Merge").click()
    expect(detail.get_by_role("alert")).to_contain_text("name is unknown")
    detail.get_by_label("Name of the same entity").fill("Charles Babbage")
    detail.get_by_role("button", name="Merge").click()
    page.get_by_label("Search entities").fill("Charles")
    expect(page.get_by_role("button", name=re.compile("^Charles Babbage [0-9]+ fact"))).to_have_count(0)


def test_name_is_split_in_one_document(page: Page) -> None:
    detail = edit(page, "Mercury")
    detail.get_by_label("Name of the other entity").fill("Mercury (god)")
    detail.get_by_role("checkbox").nth(1).check()
    detail.get_by_role("button", name="Split").click()
    expect(heading(detail, "Mercury (god)")).to_be_visible()
    texts = detail.locator(".places .said").all_inner_texts()
    assert texts and set(texts).isdisjoint(PLANET.split(". ")) != set(texts).isdisjoint(GOD.split(". "))
