"""Browsing entities and facts."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, Watch
from tests.server.running_server import Running

FACT = "Skylab was the first space station of the United States"


@pytest.fixture
def browse(server: Running, opened: Opened) -> Page:
    return opened(f"{server.url}/#/spaceflight/browse")


def choices(page: Page) -> Locator:
    return page.locator(".choice:visible")


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_entity_leads_to_its_facts_and_places(
    server: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{server.url}/#/spaceflight/browse", size, scheme)
    expect(page.get_by_text("most connected first")).to_be_visible()
    seen(f"browse-entities-{size[0]}-{scheme}", page)
    page.get_by_label("Search entities").fill("skyl")
    expect(choices(page).first).to_contain_text("Skylab")
    page.get_by_role("button", name=re.compile("^Skylab [0-9]+ facts")).click()
    detail = page.get_by_role("region", name="Entity", exact=True)
    expect(detail.get_by_role("heading", name="Skylab")).to_be_visible()
    expect(detail.get_by_text(FACT)).to_be_visible()
    detail.get_by_role("button", name="Show sources").click()
    expect(detail.get_by_role("heading", name="Sources")).to_be_visible()
    seen(f"browse-entity-{size[0]}-{scheme}", page)
    detail.get_by_role("button", name=re.compile(FACT)).last.click()
    fact = page.get_by_role("region", name="Fact", exact=True)
    expect(fact.get_by_role("heading", name=re.compile(FACT))).to_be_visible()
    seen(f"browse-fact-{size[0]}-{scheme}", page)
    fact.locator(".place").first.click()
    expect(page.get_by_role("dialog").locator("mark")).to_contain_text("first space station")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_list_returns_on_a_phone(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/browse", PHONE)
    choices(page).first.click()
    expect(page.get_by_label("Search entities")).to_be_hidden()
    page.get_by_role("button", name="Back to the list").click()
    expect(choices(page).first).to_be_focused()


def test_all_entities_can_be_paged_through(browse: Page) -> None:
    expect(choices(browse)).to_have_count(50)
    browse.get_by_role("button", name="Show more").click()
    expect(choices(browse)).to_have_count(100)


def test_similar_entities_are_shown_if_no_name_matches(browse: Page) -> None:
    browse.get_by_label("Search entities").fill("armstrong")
    expect(choices(browse).filter(has_text="Neil Armstrong").first).to_be_visible()
    browse.get_by_label("Search entities").fill("space station")
    expect(choices(browse).filter(has_text="similar meaning").first).to_be_visible()


def test_facts_are_filtered_by_words_and_arity(browse: Page) -> None:
    browse.get_by_role("tab", name=re.compile("^Facts")).click()
    expect(choices(browse)).to_have_count(50)
    numbers = browse.get_by_label("Number of entities")
    [of_two] = re.findall(r"\d+(?=\))", numbers.locator("option[value='2']").inner_text())
    numbers.select_option("2")
    expect(browse.get_by_text(f"{of_two} facts, most complete first")).to_be_visible()
    expect(choices(browse)).to_have_count(min(50, int(of_two)))
    notes = choices(browse).locator(".muted").all_inner_texts()
    assert notes and all(note.count(" · ") == 1 for note in notes)
    browse.get_by_label("Number of entities").select_option("")
    browse.get_by_label("Search facts").fill("the parasol of Skylab")
    expect(choices(browse).first).to_contain_text("parasol")


def test_fact_links_to_its_entities_and_the_graph(browse: Page) -> None:
    browse.get_by_role("tab", name=re.compile("^Facts")).click()
    browse.get_by_label("Search facts").fill("the parasol of Skylab")
    expect(choices(browse).first).to_contain_text("parasol")
    choices(browse).first.click()
    browse.get_by_role("button", name="Jack Kinzler", exact=True).click()
    detail = browse.get_by_role("region", name="Entity", exact=True)
    expect(detail.get_by_role("heading", name="Jack Kinzler")).to_be_visible()
    browse.go_back()
    browse.get_by_role("tab", name=re.compile("^Facts")).click()
    choices(browse).first.click()
    browse.get_by_role("button", name="Show in the hypergraph").click()
    expect(browse).to_have_url(re.compile(r"#/spaceflight/explore\?fact=[0-9a-f]{32}$"))


def test_typing_cancels_outdated_requests(browse: Page) -> None:
    expect(choices(browse)).to_have_count(50)
    browse.get_by_label("Search entities").press_sequentially("gagarin", delay=60)
    expect(choices(browse).first).to_contain_text("Gagarin")
    browse.get_by_label("Search entities").fill("")
    expect(choices(browse)).to_have_count(50)


def test_errors_are_shown_and_can_be_retried(browse: Page, watch: Watch, seen: Seen) -> None:
    watch.allowed.append("ERR_FAILED")
    browse.route("**/catalogue/entities*", lambda route: route.abort())
    browse.reload()
    expect(browse.get_by_role("alert")).to_contain_text("The server does not answer")
    seen("browse-unreachable", browse)
    browse.unroute("**/catalogue/entities*")
    browse.get_by_role("button", name="Try again").click()
    expect(choices(browse)).to_have_count(50)
