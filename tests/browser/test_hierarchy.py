"""The hierarchy: built from the page, the tree by keyboard, and what its nodes say."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from polyadic.workspace import Workspace
from tests.browser.conftest import EXAMPLES, PHONE, WIDE, Opened, Seen, Watch, read_in, served
from tests.server.running_server import ADA, BABBAGE, Running, add_key, make, running

pytest.importorskip("sklearn", reason="building a hierarchy needs the extra hierarchy")


@pytest.fixture(scope="module")
def with_hierarchy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Its workspace ``spaceflight`` has a hierarchy of names and facts."""
    with served(tmp_path_factory.mktemp("with-hierarchy")) as server:
        read_in(server, "spaceflight", *sorted(EXAMPLES.iterdir()))
        with Workspace(server.folder / "spaceflight") as kb:
            kb.hierarchy.build(by="extractive")
        yield server


def focused(page: Page) -> str:
    name: str = page.evaluate("document.activeElement.querySelector('.tree-name')?.textContent ?? ''")
    return name


def level(page: Page) -> str:
    found: str = page.evaluate("document.activeElement.getAttribute('aria-level')")
    return found


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_summaries_and_communities_are_shown(
    with_hierarchy: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{with_hierarchy.url}/#/spaceflight/hierarchy", size, scheme)
    expect(page.get_by_text("These texts are extractive")).to_be_visible()
    seen(f"hierarchy-{size[0]}-{scheme}", page)
    item = page.get_by_role("tree", name="Summaries").get_by_role("treeitem").first
    name = item.locator(".tree-name").first.inner_text()
    item.locator(".tree-row").first.click()
    shown = page.get_by_role("region", name="Summary", exact=True)
    expect(shown.get_by_role("heading", name=name, exact=True)).to_be_visible()
    expect(shown.get_by_text(re.compile("covers [0-9]+ members"))).to_be_visible()
    page.get_by_role("tab", name=re.compile("^Communities")).click()
    page.get_by_role("tree", name="Communities").locator(".tree-row").first.click()
    shown = page.get_by_role("region", name="Community", exact=True)
    expect(shown.get_by_role("heading", name=re.compile("^[0-9]+ findings?$"))).to_be_visible()
    expect(shown.get_by_text(re.compile("rated [0-9.]+ of 10"))).to_be_visible()
    seen(f"hierarchy-community-{size[0]}-{scheme}", page)
    shown.locator(".finding button.place").first.click()
    expect(page.get_by_role("region", name="Fact", exact=True).get_by_role("heading").first).to_be_visible()


def test_tree_works_by_keyboard(with_hierarchy: Running, opened: Opened) -> None:
    page = opened(f"{with_hierarchy.url}/#/spaceflight/hierarchy")
    tree = page.get_by_role("tree", name="Summaries")
    expect(tree.get_by_role("treeitem").nth(3)).to_be_visible()
    names = tree.get_by_role("treeitem").locator(".tree-name").all_inner_texts()
    assert tree.locator("[tabindex='0']").count() == 1
    page.get_by_role("tab", name=re.compile("^Summaries")).focus()
    page.keyboard.press("Tab")
    assert focused(page) == names[0]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert focused(page) == names[1]
    page.keyboard.press("End")
    assert focused(page) == names[-1]
    page.keyboard.press("Home")
    assert focused(page) == names[0]
    first = tree.get_by_role("treeitem").first
    expect(first).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowRight")
    expect(first).to_have_attribute("aria-expanded", "true")
    expect(first.get_by_role("group").first.get_by_role("treeitem").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    assert level(page) == "2"
    below = focused(page)
    page.keyboard.press("Enter")
    expect(
        page.get_by_role("region", name="Summary", exact=True).get_by_role("heading", name=below, exact=True)
    ).to_be_visible()
    assert focused(page) == below
    page.keyboard.press("ArrowLeft")
    assert (focused(page), level(page)) == (names[0], "1")
    page.keyboard.press("ArrowLeft")
    expect(first).to_have_attribute("aria-expanded", "false")
    page.keyboard.press(names[3][0])
    assert focused(page).lower().startswith(names[3][0].lower()) and focused(page) != names[0]


def test_tree_leads_down_to_entities(with_hierarchy: Running, opened: Opened) -> None:
    page = opened(f"{with_hierarchy.url}/#/spaceflight/hierarchy")
    tree = page.get_by_role("tree", name="Summaries")
    tree.get_by_role("treeitem").first.focus()
    # One level after the other, as far as there are any.
    while page.evaluate("document.activeElement.hasAttribute('aria-expanded')"):
        depth = int(level(page))
        page.keyboard.press("ArrowRight")
        expect(tree.locator(f"[aria-level='{depth + 1}']").first).to_be_visible()
        page.keyboard.press("ArrowRight")
        assert int(level(page)) == depth + 1
    name = focused(page)
    page.keyboard.press("Enter")
    shown = page.get_by_role("region", name="Summary", exact=True)
    expect(shown.get_by_role("button", name="Open in Browse")).to_be_visible()
    expect(shown.get_by_role("heading", name=name, exact=True)).to_be_visible()


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_hierarchy_is_built_and_updated(
    tmp_path: Path, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    with served(tmp_path / "own") as server:
        read_in(server, "space", *sorted(EXAMPLES.glob("*.md"))[:3])
        page = opened(f"{server.url}/#/space/hierarchy", size, scheme)
        state = page.get_by_role("region", name="State of the hierarchy")
        expect(state).to_contain_text("Not built")
        expect(page.get_by_role("heading", name="No hierarchy yet")).to_be_visible()
        seen(f"hierarchy-none-{size[0]}", page)
        state.get_by_role("button", name="Build hierarchy").press("Enter")
        job = page.locator("article.job")
        expect(job.get_by_role("heading")).to_have_text(re.compile("^(Waiting to build|Building) the hierarchy$"))
        expect(job.get_by_role("heading")).to_have_text(
            re.compile("^Done: [1-9][0-9]* clusters summarized, [0-9]+ reports? written"), timeout=120_000
        )
        expect(state).to_contain_text("Up to date")
        expect(page.get_by_role("tree", name="Summaries")).to_be_visible()
        state.get_by_text("Options").click()
        expect(state.get_by_label("Cluster everything again")).to_be_checked()
        seen(f"hierarchy-built-{size[0]}", page)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        with server.client() as client:
            path = "/v1/workspaces/space/documents"
            client.delete(f"{path}/{client.get(path).json()['documents'][0]['id']}")
        page.reload()
        expect(state).to_contain_text("Not included until the hierarchy is updated")
        expect(state.get_by_role("button", name="Update hierarchy")).to_be_enabled()
        seen(f"hierarchy-outdated-{size[0]}", page)


def test_build_by_a_model_has_options_and_a_limit(answering: Running, opened: Opened, seen: Seen) -> None:
    page = opened(f"{answering.url}/#/spaceflight/hierarchy")
    state = page.get_by_role("region", name="State of the hierarchy")
    state.get_by_text("Options").click()
    expect(state.get_by_role("radio", name="Language model", exact=True)).to_be_checked()
    state.get_by_label("Token limit").fill("1")
    seen("hierarchy-options", page)
    with page.expect_request(re.compile(r"/hierarchy\?by=model&rebuild=false&spend_tokens=1$")):
        state.get_by_role("button", name="Build hierarchy").click()
    job = page.locator("article.job")
    expect(job.get_by_role("heading")).to_contain_text("the hierarchy is unchanged", timeout=120_000)
    expect(job.get_by_role("button", name="Try again")).to_be_visible()
    expect(state).to_contain_text("Not built")
    state.get_by_role("radio", name="Extractive").check()
    expect(state.get_by_label("Token limit")).to_be_hidden()


def test_read_only_key_cannot_build(tmp_path: Path, opened: Opened, watch: Watch) -> None:
    watch.allowed.append("status of 401")
    folder = tmp_path / "keyed"
    writes, reads = add_key(folder, "write", "*"), add_key(folder, "read", "letters")
    (folder / "polyadic.toml").write_text('[embedding]\nmodel = "hashing"\n')
    with running(folder, keyed=True) as server, server.client(writes) as client:
        make(client, "letters", ADA, BABBAGE)
        page = opened(f"{server.url}/#/letters/hierarchy")
        page.get_by_label("Key", exact=True).fill(reads)
        page.keyboard.press("Enter")
        expect(page.get_by_text("requires a key with write access")).to_be_visible()
        expect(page.get_by_role("button", name="Build hierarchy")).to_have_count(0)
