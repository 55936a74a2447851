"""Settings: what holds, what there is, whether it is well, what was paid, export, and how the page looks."""

import re
import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, Watch, served
from tests.model_server import ModelServer, ready
from tests.server.running_server import ADA, Running, add_key, make, running


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_settings_show_the_health_check(
    server: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{server.url}/#/spaceflight/settings", size, scheme)
    check = page.get_by_role("region", name="Health check")
    expect(check.locator(".check")).to_have_count(5)
    expect(check.get_by_text(re.compile("^consistent: [0-9]+ documents"))).to_be_visible()
    works = page.get_by_role("region", name="Configuration")
    expect(works.get_by_text("hashing-384")).to_be_visible()
    expect(page.get_by_role("region", name="Usage and cost", exact=True)).to_contain_text("Nothing so far")
    expect(page.get_by_role("region", name="About")).to_contain_text(re.compile(r"Polyadic [0-9]+\."))
    seen(f"settings-{size[0]}-{scheme}", page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    seen(f"settings-end-{size[0]}-{scheme}", page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_failed_checks_show_next_steps(tmp_path: Path, opened: Opened, seen: Seen) -> None:
    with served(tmp_path / "damaged") as server, server.client() as client:
        make(client, "letters", ADA)
        with sqlite3.connect(server.folder / "letters" / "store.sqlite") as connection:
            connection.execute("UPDATE fact SET score = score + 1")
        page = opened(f"{server.url}/#/letters/settings")
        wrong = page.locator(".check[data-state=bad]")
        expect(wrong).to_contain_text("damaged")
        expect(wrong).to_contain_text("What to do: restore it from a backup")
        expect(page.get_by_text("1 error")).to_be_visible()
        seen("settings-damaged", page)
        with sqlite3.connect(server.folder / "letters" / "store.sqlite") as connection:
            connection.execute("UPDATE fact SET score = score - 1")
        page.get_by_role("button", name="Check again").click()
        expect(page.locator(".check[data-state=bad]")).to_have_count(0)


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_usage_and_cost_are_shown(answering: Running, opened: Opened, seen: Seen, size: tuple[int, int]) -> None:
    with answering.client() as client:
        asked = client.post("/v1/workspaces/spaceflight/query", json={"question": "Who was Yuri Gagarin?"})
        assert asked.json()["usage"]["calls"] == 1
    page = opened(f"{answering.url}/#/spaceflight/settings", size)
    paid = page.get_by_role("region", name="Usage and cost", exact=True)
    expect(paid.get_by_text(re.compile("^[0-9,]+ calls?, [0-9,]+ tokens, cost unknown"))).to_be_visible()
    expect(paid.get_by_role("rowheader", name="Answering")).to_be_visible()
    expect(paid.get_by_role("cell", name="recorded").first).to_be_visible()
    paid.scroll_into_view_if_needed()
    seen(f"settings-paid-{size[0]}", page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_chosen_theme_is_kept(server: Running, opened: Opened) -> None:
    page = opened(f"{server.url}/#/spaceflight/settings")
    page.get_by_role("radio", name="Dark").check()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_role("button", name="Colours: dark")).to_be_visible()
    page.reload()
    expect(page.get_by_role("radio", name="Dark")).to_be_checked()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("radio", name="System").check()
    expect(page.get_by_role("button", name="Colours: system")).to_be_visible()
    assert page.locator("html").get_attribute("data-theme") is None


def test_cost_of_documents_is_shown_with_prices(tmp_path: Path, opened: Opened, seen: Seen) -> None:
    with ModelServer([*ready()]) as model:
        asked = f'[model]\nname = "recorded"\nbase_url = "{model.url}"\nkey_variable = ""\n'
        prices = "prompt_price = 2.0\ncompletion_price = 8.0\n"
        with served(tmp_path / "priced", asked + prices) as server, server.client() as client:
            make(client, "letters", *(f"{ADA} It was letter {n}." for n in range(12)))
            page = opened(f"{server.url}/#/letters/settings")
            paid = page.get_by_role("region", name="Usage and cost", exact=True)
            expect(paid.get_by_text(re.compile(r"^[0-9]+ calls, [0-9,]+ tokens, cost [0-9.]+\.$"))).to_be_visible()
            paid.get_by_text("Most expensive documents").click()
            costs = paid.get_by_role("region", name="Usage and cost by document")
            expect(costs.get_by_role("row")).to_have_count(11)
            paid.get_by_role("button", name="Show more").click()
            expect(costs.get_by_role("row")).to_have_count(13)
            expect(costs.get_by_role("rowheader", name="memory:11")).to_be_visible()
            expect(paid.get_by_role("button", name="Show more")).to_have_count(0)
            paid.scroll_into_view_if_needed()
            seen("settings-costs", page)


@pytest.mark.parametrize(
    ("label", "name", "content"),
    [
        ("HIF (JSON)", "spaceflight.hif.json", '"network-type"'),
        ("GraphML", "spaceflight.graphml", "<graphml"),
        ("JSON Lines", "spaceflight.jsonl", '"text"'),
    ],
)
def test_workspace_is_exported(server: Running, opened: Opened, label: str, name: str, content: str) -> None:
    page = opened(f"{server.url}/#/spaceflight/settings")
    card = page.get_by_role("region", name="Export")
    card.get_by_label("Format").select_option(label)
    with page.expect_download() as download:
        card.get_by_role("button", name="Export").click()
    assert download.value.suggested_filename == name
    file = Path(download.value.path())
    assert content in file.read_text()
    with server.client() as client:
        format = {"HIF (JSON)": "hif", "GraphML": "graphml"}.get(label, "jsonl")
        assert file.read_bytes() == client.get(f"/v1/workspaces/spaceflight/export?format={format}").content
    expect(card.get_by_role("button", name="Export")).to_be_enabled()


def test_export_sends_the_key(tmp_path: Path, opened: Opened, watch: Watch) -> None:
    watch.allowed.append("status of 401")
    folder = tmp_path / "keyed"
    writes, reads = add_key(folder, "write", "*"), add_key(folder, "read", "letters")
    (folder / "polyadic.toml").write_text('[embedding]\nmodel = "hashing"\n')
    with running(folder, keyed=True) as server, server.client(writes) as client:
        make(client, "letters", ADA)
        page = opened(f"{server.url}/#/letters/settings")
        page.get_by_label("Key", exact=True).fill(reads)
        page.keyboard.press("Enter")
        with page.expect_download() as download:
            page.get_by_role("region", name="Export").get_by_role("button", name="Export").click()
        assert "Ada Lovelace" in Path(download.value.path()).read_text()
