"""Review of pairs of entities that may be the same, and of ambiguous names: merge, split, keep apart, skip, undo."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, Watch, served
from tests.server.running_server import Running, add_key, make, running

LENDING = (
    "The International Monetary Fund (IMF) lends to Argentina. The IMF sits in Washington."
    " S\u00e3o-Paulo borrowed from the World Bank, and Sao Paulo paid it back to the World Bank in 2019."
)

ARMSTRONGS = (
    "Neil Armstrong commanded Apollo 11.\n\nArmstrong walked on the Moon in 1969.\n\nNASA honoured Armstrong.",
    "Louis Armstrong played in New Orleans.\n\nArmstrong sang in Chicago.\n\nJoe Oliver taught Armstrong.",
)


@pytest.fixture
def reviewed(tmp_path: Path) -> Iterator[Running]:
    with served(tmp_path / "reviewed") as server, server.client() as client:
        make(client, "bank", LENDING)
        yield server


@pytest.fixture
def page(reviewed: Running, opened: Opened) -> Page:
    return opened(f"{reviewed.url}/#/bank/browse?tab=review")


def pairs(page: Page) -> Locator:
    return page.get_by_role("list", name="Pairs").get_by_role("button")


def open_pair(page: Page, name: str) -> Locator:
    pairs(page).filter(has_text=name).click()
    detail = page.get_by_role("region", name="Pair", exact=True)
    expect(detail.get_by_role("heading", level=2)).to_contain_text(name)
    return detail


def names_of(server: Running) -> set[str]:
    with server.client() as client:
        return {one["name"] for one in client.get("/v1/workspaces/bank/catalogue/entities").json()["entities"]}


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_pair_shows_the_evidence_of_both_entities(
    reviewed: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{reviewed.url}/#/bank/browse?tab=review", size, scheme)
    expect(pairs(page)).to_have_count(2)
    seen(f"review-list-{size[0]}", page)
    detail = open_pair(page, "IMF")
    for name, quote in (("IMF", "The IMF sits in Washington."), ("International Monetary Fund", "lends to Argentina")):
        side = detail.get_by_role("region", name=name, exact=True)
        expect(side.get_by_role("list", name="Evidence")).to_contain_text(quote)
        assert set(side.locator("mark").all_inner_texts()) == {name}
    seen(f"review-pair-{size[0]}", page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    detail.get_by_role("region", name="IMF", exact=True).get_by_role("button", name="The IMF sits").click()
    expect(page.get_by_role("dialog")).to_contain_text("sits in Washington")


def test_selected_tab_is_in_view_on_a_narrow_screen(reviewed: Running, opened: Opened) -> None:
    page = opened(f"{reviewed.url}/#/bank/browse?tab=review", (300, 600))
    expect(page.get_by_role("tab", name="Review pairs")).to_be_in_viewport(ratio=0.99)


def test_pair_is_merged_and_the_merge_undone(page: Page, reviewed: Running, seen: Seen) -> None:
    before = names_of(reviewed)
    detail = open_pair(page, "IMF")
    expect(detail.get_by_role("radio", name="International Monetary Fund")).to_be_checked()
    detail.get_by_role("radio", name="IMF", exact=True).check()
    detail.get_by_role("button", name="Merge").press("Enter")
    made = page.get_by_text("are the same entity: IMF.")
    expect(made).to_be_visible()
    # The next pair is open, and the keyboard is there.
    expect(detail.get_by_role("heading", level=2)).to_contain_text("Paulo")
    expect(page.locator("section.detail")).to_be_focused()
    expect(pairs(page)).to_have_count(1)
    assert before - names_of(reviewed) == {"International Monetary Fund"}
    seen("review-merged", page)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(pairs(page)).to_have_count(2)
    expect(made).to_have_count(0)
    assert names_of(reviewed) == before


def test_rejected_pair_is_not_proposed_again_until_undone(page: Page, reviewed: Running) -> None:
    detail = open_pair(page, "IMF")
    detail.get_by_role("button", name="Not the same").click()
    expect(pairs(page)).to_have_count(1)
    page.reload()
    expect(pairs(page)).to_have_count(1)
    page.get_by_text("Decisions (1)").click()
    page.get_by_role("button", name=re.compile("^Undo: .* are different entities$")).click()
    expect(pairs(page)).to_have_count(2)
    with reviewed.client() as client:
        assert client.get("/v1/workspaces/bank/resolution/decisions").json() == {"decisions": []}


def test_skipped_pairs_are_shown_again_on_request(page: Page, reviewed: Running, seen: Seen) -> None:
    detail = open_pair(page, "IMF")
    detail.get_by_role("button", name="Skip").click()
    expect(page.get_by_text("2 pairs, 1 skipped")).to_be_visible()
    expect(detail.get_by_role("heading", level=2)).to_contain_text("Paulo")
    detail.get_by_role("button", name="Skip").click()
    expect(page.get_by_role("heading", name="Nothing to review")).to_be_visible()
    expect(page.get_by_text("All other pairs were skipped.")).to_be_visible()
    seen("review-none", page)
    page.get_by_role("button", name="Show skipped pairs").click()
    expect(pairs(page)).to_have_count(2)
    with reviewed.client() as client:
        assert client.get("/v1/workspaces/bank/resolution/decisions").json() == {"decisions": []}


def test_refused_decision_is_reported_and_the_pair_stays(page: Page, reviewed: Running, watch: Watch) -> None:
    watch.allowed.append("status of 409")
    detail = open_pair(page, "IMF")
    with reviewed.client() as client:
        decision = {"kind": "cannot-link", "names": ["IMF", "International Monetary Fund"]}
        assert client.post("/v1/workspaces/bank/resolution/decisions", json=decision).status_code == 200
    detail.get_by_role("button", name="Merge").click()
    expect(detail.get_by_role("alert")).to_contain_text("cannot-link")
    expect(detail.get_by_role("button", name="Merge")).to_be_enabled()
    expect(pairs(page)).to_have_count(2)


def test_error_of_the_decisions_disappears_once_they_load(page: Page, watch: Watch) -> None:
    watch.allowed.append("ERR_FAILED")
    open_pair(page, "IMF").get_by_role("button", name="Not the same").click()
    expect(pairs(page)).to_have_count(1)
    page.route("**/resolution/decisions", lambda route: route.abort())
    page.reload()
    page.get_by_text("Decisions", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    page.unroute("**/resolution/decisions")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Decisions (1)")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_read_only_key_sees_the_evidence_but_cannot_decide(tmp_path: Path, opened: Opened, watch: Watch) -> None:
    watch.allowed.append("status of 401")
    folder = tmp_path / "keyed"
    writes, reads = add_key(folder, "write", "*"), add_key(folder, "read", "bank")
    (folder / "polyadic.toml").write_text('[embedding]\nmodel = "hashing"\n')
    with running(folder, keyed=True) as server, server.client(writes) as client:
        make(client, "bank", LENDING)
        page = opened(f"{server.url}/#/bank/browse?tab=review")
        page.get_by_label("Key", exact=True).fill(reads)
        page.keyboard.press("Enter")
        detail = open_pair(page, "IMF")
        expect(detail.get_by_text("requires a key with write access")).to_be_visible()
        for name in ("Merge", "Not the same", "Skip"):
            expect(detail.get_by_role("button", name=name)).to_have_count(0)


def test_pairs_beyond_the_first_page_are_reached(tmp_path: Path, opened: Opened) -> None:
    syllables = (
        ("Kal", "Mor", "Ten", "Vis", "Bru"),
        ("ab", "ed", "ol", "ir", "un"),
        ("ari", "esco", "inen", "ovic", "a"),
    )
    names = ["".join(parts) for parts in product(*syllables)]
    visits = " ".join(f"Zo\u00eb {name} visited Rome. Zoe {name} left Rome." for name in names)
    with served(tmp_path / "many") as server, server.client() as client:
        make(client, "visits", visits)
        total = client.get("/v1/workspaces/visits/resolution/review").json()["total"]
        page = opened(f"{server.url}/#/visits/browse?tab=review")
        expect(page.get_by_text(f"Showing 100 of {total} pairs")).to_be_visible()
        # Skipped pairs are not shown a second time, and shift no page.
        for name in pairs(page).all_inner_texts()[:2]:
            open_pair(page, name.splitlines()[0]).get_by_role("button", name="Skip").click()
        page.get_by_role("button", name="Show more pairs").click()
        expect(pairs(page)).to_have_count(total - 2, timeout=60_000)
        expect(page.get_by_role("button", name="Show more pairs")).to_have_count(0)
        assert len(set(pairs(page).all_inner_texts())) == total - 2
        page.close()


@pytest.fixture
def ambiguous(tmp_path: Path) -> Iterator[Running]:
    with served(tmp_path / "ambiguous") as server, server.client() as client:
        make(client, "music", *ARMSTRONGS)
        yield server


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_ambiguous_name_is_split_and_the_split_undone(
    ambiguous: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{ambiguous.url}/#/music/browse?tab=review", size, scheme)
    names = page.get_by_role("list", name="Ambiguous names").get_by_role("button")
    names.filter(has_text="Armstrong").click()
    detail = page.get_by_role("region", name="Pair", exact=True)
    for name, quote in (("Louis Armstrong", "sang in Chicago"), ("Neil Armstrong", "walked on the Moon")):
        side = detail.get_by_role("region", name=name, exact=True)
        expect(side.get_by_role("list", name="Evidence")).to_contain_text(quote)
        assert set(side.locator("mark").all_inner_texts()) == {"Armstrong"}
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    seen(f"review-name-{size[0]}", page)
    # The sense that keeps the name is not split.
    detail.get_by_role("textbox", name="Name of sense 2").fill("Armstrong")
    detail.get_by_role("button", name="Split").click()
    made = page.get_by_text("Armstrong means Louis Armstrong in some documents.")
    expect(made).to_be_visible()
    expect(names).to_have_count(0)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(made).to_have_count(0)
    if size == PHONE:
        page.get_by_role("button", name="Back to the list").click()
    expect(names).to_have_count(1)


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "dark"), (PHONE, "light")], ids=["wide", "phone"])
def test_name_that_is_not_ambiguous_is_not_listed_again_until_undone(
    ambiguous: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{ambiguous.url}/#/music/browse?tab=review", size, scheme)
    names = page.get_by_role("list", name="Ambiguous names").get_by_role("button")
    names.click()
    page.get_by_role("region", name="Pair", exact=True).get_by_role("button", name="Not ambiguous").click()
    expect(page.get_by_text("Armstrong is one entity.")).to_be_visible()
    seen(f"review-kept-{size[0]}", page)
    page.reload()
    page.get_by_text("Decisions (1)").click()
    expect(names).to_have_count(0)
    page.get_by_role("button", name="Undo: Armstrong is one entity").click()
    expect(names).to_have_count(1)


def test_skipped_name_comes_back_when_the_view_is_opened_again(ambiguous: Running, opened: Opened) -> None:
    page = opened(f"{ambiguous.url}/#/music/browse?tab=review")
    names = page.get_by_role("list", name="Ambiguous names").get_by_role("button")
    names.click()
    page.get_by_role("region", name="Pair", exact=True).get_by_role("button", name="Skip").click()
    expect(names).to_have_count(0)
    page.reload()
    expect(names).to_have_count(1)
