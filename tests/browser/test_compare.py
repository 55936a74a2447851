"""Two methods side by side."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen
from tests.model_server import ModelServer
from tests.server.running_server import Running

QUESTION = "Who devised the parasol that the first Skylab crew pushed through an airlock?"


def compare(page: Page, left: str, right: str, question: str = QUESTION) -> None:
    page.get_by_role("combobox", name="First method").select_option(left)
    page.get_by_role("combobox", name="Second method").select_option(right)
    page.get_by_role("textbox", name="Question").fill(question)
    page.get_by_role("button", name="Compare", exact=True).click()


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_common_results_are_marked(
    server: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{server.url}/#/spaceflight/compare", size, scheme)
    expect(page.get_by_role("combobox", name="First method")).to_have_value("auto")
    seen(f"compare-first-{size[0]}-{scheme}", page)
    compare(page, "walk", "hypergraph")
    expect(page.get_by_text(re.compile("^Found by both: .* only by walk, .* only by hypergraph."))).to_be_visible()
    sides = [page.get_by_role("region", name=name) for name in ("First method", "Second method")]
    marked = []
    for side in sides:
        expect(side.locator(".answer-text")).to_contain_text("Jack Kinzler")
        expect(side.locator(".sums")).to_contain_text(re.compile(r"Time[\d.,]+ m?s"))
        both = side.locator("[data-found=both]")
        marked.append(sorted(both.locator(".said").all_inner_texts()))
        expect(both.first.get_by_text("in both")).to_be_visible()
    assert marked[0] == marked[1] and marked[0]
    seen(f"compare-answers-{size[0]}-{scheme}", page)
    page.get_by_role("button", name="Only in one").click()
    for side in sides:
        expect(side.locator("[data-found=both]").first).to_be_hidden()
    page.get_by_role("button", name="In both").click()
    for side in sides:
        expect(side.locator("[data-found=one]").first).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    tops = [side.bounding_box() for side in sides]
    assert tops[0] and tops[1]
    assert (tops[0]["y"] == tops[1]["y"]) is (size == WIDE)


def test_address_restores_the_comparison(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/compare")
    compare(page, "walk", "hipporag2")
    expect(page.get_by_text(re.compile("^Found by both"))).to_be_visible()
    again = opened(page.url)
    expect(again.get_by_text(re.compile("^Found by both"))).to_be_visible()
    expect(again.get_by_role("combobox", name="Second method")).to_have_value("hipporag2")
    expect(again.get_by_role("textbox", name="Question")).to_have_value(QUESTION)


def test_corrected_question_is_shown(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/compare")
    compare(page, "walk", "chunks", "Who devised the parasol that the first Skylab crew pushed through an arilock?")
    for name in ("First method", "Second method"):
        expect(page.get_by_role("region", name=name)).to_contain_text(f"Understood as: {QUESTION}")


def test_citation_opens_its_source(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/compare")
    compare(page, "walk", "chunks")
    page.get_by_role("region", name="First method").get_by_role("button", name=re.compile("^Source 1")).click()
    expect(page.get_by_role("dialog").locator("mark")).to_contain_text("Jack Kinzler")


def test_failure_of_one_method_does_not_affect_the_other(server: Running, opened: Opened, seen: Seen) -> None:
    page = opened(f"{server.url}/#/spaceflight/compare")
    compare(page, "walk", "hierarchy")
    expect(page.get_by_role("region", name="First method").locator(".answer-text")).to_contain_text("Jack Kinzler")
    other = page.get_by_role("region", name="Second method")
    expect(other.locator(".notice, .answer-text:not(:empty)").first).to_be_visible()
    seen("compare-without-hierarchy", page)


def test_model_answers_are_streamed(answering: Running, model: ModelServer, opened: Opened) -> None:
    page = opened(f"{answering.url}/#/spaceflight/compare")
    compare(page, "walk", "chunks")
    for name in ("First method", "Second method"):
        expect(page.get_by_role("region", name=name).locator(".sums")).to_contain_text(re.compile("[0-9,]+ tokens"))
    expect(page.get_by_text(re.compile("^Found by both"))).to_be_visible()
    assert len(model.calls) >= 2
