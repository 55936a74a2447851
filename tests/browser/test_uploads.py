"""Uploads that take their time: cut off, hidden, watched from other views."""

import re

import pytest
from playwright.sync_api import APIResponse, FilePayload, Page, Route, expect

from tests.browser.conftest import Opened, Watch
from tests.browser.test_documents import FILE, _allowing_refusals, by_model, choose, letters, slow, upload
from tests.browser.test_shell import SHIFTS
from tests.server.running_server import Running
from tests.support.with_a_model import story

__all__ = ["_allowing_refusals", "by_model", "slow"]


pytestmark = pytest.mark.usefixtures("_allowing_refusals")


def test_an_upload_in_parts_has_one_card_that_is_cancelled_as_a_whole(by_model: Running, opened: Opened) -> None:
    upload(by_model, 1, sentences=200)
    page = opened(f"{by_model.url}/#/letters/documents")
    expect(page.locator("article.job")).to_have_count(1)
    files: list[FilePayload] = [
        {"name": f"{n}.txt", "mimeType": "text/plain", "buffer": story(n, 8).encode()} for n in range(250)
    ]
    choose(page, *files)
    expect(page.locator("article.job")).to_have_count(2)
    card = page.locator("article.job").filter(has_text="250 documents")
    expect(card.get_by_role("heading")).to_contain_text("250 documents")
    with by_model.client() as client:
        jobs = client.get("/v1/workspaces/letters/jobs").json()["jobs"]
        assert sorted(job["documents"] for job in jobs) == [1, 50, 100, 100]
        assert len({job["request"]["upload"] for job in jobs if job["documents"] > 1}) == 1
        expect(card.get_by_text(re.compile("^[1-9][0-9]* of 250 documents processed"))).to_be_visible(timeout=60_000)
        # It runs, so it comes first.
        expect(page.locator("article.job").first).to_contain_text("250 documents")
        card.get_by_role("button", name="Cancel").click()
        expect(page.locator("article.job").first.get_by_role("heading")).to_have_text(
            re.compile("^Cancelled(: [^:]*)?$")
        )
        states = {job["state"] for job in client.get("/v1/workspaces/letters/jobs").json()["jobs"]}
    assert states <= {"succeeded", "cancelled"}


def test_upload_goes_on_while_another_view_is_shown(documents: Page, own: Running) -> None:
    held: list[Route] = []

    def hold_the_first_part(route: Route) -> None:
        route.continue_() if held else held.append(route)

    documents.route("**/documents/files?**", hold_the_first_part)
    with documents.expect_request("**/documents/files?**"):
        choose(documents, *letters(150))
    documents.get_by_role("link", name="Ask").click()
    expect(documents).to_have_title(re.compile("^Ask"))
    held[0].continue_()
    expect(documents.get_by_text("Uploaded: 150 files")).to_be_visible(timeout=60_000)
    documents.get_by_role("link", name="Documents").click()
    expect(documents.get_by_label("Files to add")).to_be_attached()
    expect(documents.get_by_text("150 documents", exact=True)).to_be_visible(timeout=60_000)


def test_upload_that_is_cut_off_in_another_view_can_be_completed(documents: Page, watch: Watch) -> None:
    watch.allowed.append("net::ERR_FAILED")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    documents.route("**/documents/files?**", hold)
    with documents.expect_request("**/documents/files?**"):
        choose(documents, *letters(3))
    documents.get_by_role("link", name="Ask").click()
    expect(documents).to_have_title(re.compile("^Ask"))
    held[0].abort()
    expect(documents.get_by_text("Upload incomplete: 0 of 3 files uploaded")).to_be_visible()
    documents.unroute("**/documents/files?**")
    documents.get_by_role("link", name="Documents").click()
    expect(documents.get_by_role("alert")).to_contain_text("The server does not answer")
    documents.get_by_role("button", name="Try again").click()
    expect(documents.get_by_role("heading", name=re.compile("^Done: 3 added"))).to_be_visible(timeout=60_000)
    expect(documents.get_by_role("alert")).to_have_count(0)


def test_list_does_not_move_when_jobs_are_loaded(by_model: Running, opened: Opened) -> None:
    upload(by_model, 1, sentences=1000)
    for _ in range(9):
        upload(by_model, 1)
    page = opened(f"{by_model.url}/#/letters/ask")
    expect(page.get_by_role("heading", level=1)).to_be_attached()
    page.evaluate(SHIFTS)
    # Shifts after a click would not be counted.
    page.evaluate("location.hash = '#/letters/documents'")
    expect(page.locator("article.job")).to_have_count(10)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shift") < 0.02


def test_heading_of_a_running_upload_counts_the_parts_that_follow(by_model: Running, opened: Opened) -> None:
    page = opened(f"{by_model.url}/#/letters/documents")
    files: list[FilePayload] = [
        {"name": f"{n}.txt", "mimeType": "text/plain", "buffer": story(n, 8).encode()} for n in range(150)
    ]
    choose(page, *files)
    expect(page.locator("article.job").get_by_role("heading")).to_have_text("Reading 150 documents", timeout=60_000)


def test_a_hidden_tab_keeps_no_stream(by_model: Running, opened: Opened) -> None:
    page = opened(f"{by_model.url}/#/letters/documents")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, writable: true })")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    choose(page, FILE)
    expect(page.locator("article.job")).to_have_count(1)
    page.wait_for_timeout(500)
    assert not any(url.endswith("/events") for url in requested)
    page.evaluate("document.hidden = false; document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_role("heading", name=re.compile("^Done: 1 added"))).to_be_visible(timeout=60_000)


def test_an_older_list_of_jobs_does_not_hide_a_new_one(by_model: Running, opened: Opened) -> None:
    page = opened(f"{by_model.url}/#/letters/documents")
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    held: list[tuple[Route, APIResponse]] = []
    page.route(re.compile(r"/jobs\?"), lambda route: held.append((route, route.fetch())))
    page.get_by_role("link", name="Ask").click()
    # Else files might be chosen on the page that is being left.
    expect(page.get_by_label("Files to add")).not_to_be_attached()
    page.get_by_role("link", name="Documents").click()
    expect(page.get_by_label("Files to add")).to_be_attached()
    choose(page, {**FILE, "name": "older.md"})
    expect(page.locator("article.job")).to_have_count(1)
    assert held
    for route, response in held:
        route.fulfill(response=response)
    page.wait_for_timeout(500)
    expect(page.locator("article.job")).to_have_count(1)
