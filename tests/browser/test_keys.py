"""Keys: asked for when the server asks, kept in the tab, and no more shown than they allow."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from polyadic.server.api_keys import KeyRing, keys_file
from tests.browser.conftest import Opened, Seen, Watch
from tests.server.running_server import ADA, Running, add_key, make, running

QUESTION = "Who wrote the first published program?"


@dataclass(frozen=True)
class Keyed:
    """A server that asks for keys, and two that it knows."""

    server: Running
    writes: str
    reads: str


@pytest.fixture
def keyed(tmp_path: Path, watch: Watch) -> Iterator[Keyed]:
    # The browser itself notes every refusal.
    watch.allowed.append("status of 401")
    folder = tmp_path / "keyed"
    writes, reads = add_key(folder, "write", "*"), add_key(folder, "read", "letters")
    (folder / "polyadic.toml").write_text('[embedding]\nmodel = "hashing"\n')
    with running(folder, keyed=True) as server, server.client(writes) as client:
        make(client, "letters", ADA)
        make(client, "others")
        yield Keyed(server, writes, reads)


def give(page: Page, key: str) -> None:
    page.get_by_label("Key", exact=True).fill(key)
    page.keyboard.press("Enter")


def test_wrong_key_is_reported_and_right_key_is_accepted(keyed: Keyed, opened: Opened, seen: Seen) -> None:
    page = opened(keyed.server.url)
    expect(page.get_by_role("heading", name="This server requires a key")).to_be_visible()
    seen("keys-asked", page)
    give(page, f"{keyed.writes}x")
    expect(page.get_by_role("alert")).to_contain_text("Key not recognized")
    seen("keys-wrong", page)
    give(page, keyed.writes)
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value("letters")
    page.get_by_role("textbox", name="Question").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".answer-text")).to_contain_text("Ada Lovelace")


def test_key_is_kept_in_its_tab_only(keyed: Keyed, opened: Opened) -> None:
    page = opened(keyed.server.url)
    give(page, keyed.writes)
    expect(page.get_by_role("combobox", name="Workspace")).to_be_visible()
    page.reload()
    expect(page.get_by_role("combobox", name="Workspace")).to_be_visible()
    assert keyed.writes not in page.url
    assert keyed.writes not in str(page.evaluate("JSON.stringify(localStorage) + document.cookie"))
    other = page.context.new_page()
    other.goto(keyed.server.url)
    expect(other.get_by_role("heading", name="This server requires a key")).to_be_visible()
    page.get_by_label("Workspaces and key").click()
    page.get_by_role("button", name="Remove key and conversations").click()
    expect(page.get_by_role("heading", name="This server requires a key")).to_be_visible()


def test_without_a_key_nothing_is_shown_and_retry_is_possible(keyed: Keyed, opened: Opened) -> None:
    page = opened(keyed.server.url)
    expect(page.get_by_label("Key", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("alert")).to_contain_text("A key is required")
    page.get_by_role("button", name="Try again").click()
    give(page, keyed.reads)
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value("letters")


def test_read_only_key_hides_write_controls(keyed: Keyed, opened: Opened, seen: Seen) -> None:
    page = opened(keyed.server.url)
    give(page, keyed.reads)
    workspaces = page.get_by_role("combobox", name="Workspace")
    expect(workspaces).to_have_value("letters")
    expect(workspaces.get_by_role("option")).to_have_count(1)
    page.get_by_label("Workspaces and key").click()
    expect(page.get_by_role("button", name="Remove key and conversations")).to_be_visible()
    expect(page.get_by_role("button", name="New workspace")).to_be_hidden()
    expect(page.get_by_role("button", name="Delete letters")).to_be_hidden()
    seen("keys-reading", page)


def test_filtered_key_hides_what_concerns_all_documents(keyed: Keyed, opened: Opened) -> None:
    ring = KeyRing(keys_file(keyed.server.folder))
    _, filtered = ring.add("some", "read", ["letters"], {"dept": "hr"})
    page = opened(f"{keyed.server.url}/#/letters/documents")
    give(page, filtered)
    expect(page.get_by_text("shows only some of the documents")).to_be_visible()
    page.goto(f"{keyed.server.url}/#/letters/settings")
    expect(page.get_by_text("read some documents")).to_be_visible()
    for hidden in ("Usage and cost", "Health check"):
        expect(page.get_by_role("heading", name=hidden)).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_removed_key_is_requested_again(keyed: Keyed, opened: Opened) -> None:
    page = opened(keyed.server.url)
    give(page, keyed.writes)
    question = page.get_by_role("textbox", name="Question")
    question.fill(QUESTION)
    keys = keyed.server.service.keys
    assert keys is not None
    keys.remove(keyed.writes.split("-")[1])
    question.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Key not recognized")
    give(page, keyed.reads)
    expect(page.locator(".answer-text")).to_contain_text("Ada Lovelace")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_api_reference_needs_a_key_and_shows_routes(keyed: Keyed, opened: Opened, seen: Seen, scheme: str) -> None:
    page = opened(f"{keyed.server.url}/docs", scheme=scheme)
    expect(page.get_by_role("heading", name="This server requires a key")).to_be_visible()
    give(page, keyed.reads)
    expect(page.get_by_role("heading", name="API reference")).to_be_visible()
    operation = page.locator("#add_texts")
    expect(operation).to_contain_text("POST /v1/workspaces/{workspace}/documents/texts")
    operation.locator("summary").click()
    expect(operation.locator("pre").first).to_contain_text("Ada Lovelace wrote the first published program.")
    expect(operation).to_contain_text("Idempotency-Key")
    expect(operation).to_contain_text("413: the body is too large")
    seen(f"reference-{scheme}", page)
