"""Documents page: upload a folder, delete several documents at once."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, Watch
from tests.browser.test_documents import rows
from tests.server.running_server import Running, finished


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files of the same name in two subfolders, hidden files and an unsupported one."""
    top = tmp_path / "letters"
    for name in ("1843/ada.md", "1844/ada.md", ".git/config.txt", "1844/.hidden.md", "1844/engine.xyz"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(f"Ada Lovelace met Charles Babbage in {name[:4]}.")
    return top


def names_in(server: Running) -> list[str]:
    with server.client() as client:
        return [one["source"] for one in client.get("/v1/workspaces/letters/documents").json()["documents"]]


def test_dropped_folder_is_uploaded_with_paths_as_names(
    documents: Page, own: Running, folder: Path, seen: Seen
) -> None:
    zone = documents.get_by_role("region", name="Add documents")
    box = zone.bounding_box()
    assert box is not None
    session = documents.context.new_cdp_session(documents)
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        at = {"type": kind, "x": box["x"] + 20, "y": box["y"] + 20, "data": data}
        session.send("Input.dispatchDragEvent", at)
    expect(documents.get_by_text("Skipped: unsupported file type (letters/1844/engine.xyz).")).to_be_visible()
    expect(documents.get_by_role("heading", name=re.compile("^Done: 2 added"))).to_be_visible()
    expect(rows(documents)).to_have_count(2)
    expect(rows(documents).first).to_contain_text("letters/1843/ada.md")
    seen("documents-folder", documents)
    assert names_in(own) == ["upload:letters/1843/ada.md", "upload:letters/1844/ada.md"]


def test_chosen_folder_is_uploaded_and_replaces_what_was_uploaded_before(
    documents: Page, own: Running, folder: Path
) -> None:
    for added in ("2 added", "1 changed, 1 unchanged"):
        documents.get_by_label("Folder to add").set_input_files(folder)
        expect(documents.get_by_role("heading", name=re.compile(f"^Done: {added}"))).to_be_visible()
        documents.get_by_role("button", name="Dismiss").click()
        (folder / "1844" / "ada.md").write_text("Ada Lovelace met Mary Somerville.")
    assert names_in(own) == ["upload:letters/1843/ada.md", "upload:letters/1844/ada.md"]


@pytest.fixture
def many(own: Running) -> Running:
    """The workspace ``letters`` holds 60 documents."""
    texts = [{"text": f"Ada met number {n}.", "title": f"Letter {n:02}", "source": f"memory:{n:02}"} for n in range(60)]
    with own.client() as client:
        job = client.post("/v1/workspaces/letters/documents/texts", json={"texts": texts}).json()
        assert finished(client, "letters", job["id"])["state"] == "succeeded"
    return own


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_selected_documents_are_deleted_after_confirmation(
    many: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    page = opened(f"{many.url}/#/letters/documents", size, scheme)
    page.get_by_label("Select Letter 03").press("Space")
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Select Letter 55").check()
    expect(page.get_by_label("Select all on this page")).to_have_js_property("indeterminate", True)
    page.get_by_label("Select all on this page").check()
    expect(page.get_by_text("11 documents selected")).to_be_visible()
    page.get_by_label("Select all on this page").scroll_into_view_if_needed()
    seen(f"documents-selected-{size[0]}", page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_role("button", name="Delete selected").click()
    expect(page.get_by_role("dialog")).to_contain_text("Delete 11 documents?")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Delete selected").click()
    page.get_by_role("button", name="Delete 11 documents").press("Enter")
    expect(page.get_by_text("11 documents deleted.")).to_be_visible(timeout=60_000)
    # The page that was shown is empty now.
    expect(page.get_by_text("49 documents", exact=True)).to_be_visible()
    expect(rows(page)).to_have_count(49)
    expect(page.get_by_role("region", name="Documents", exact=True)).to_be_focused()
    expect(page.get_by_role("button", name="Delete selected")).to_be_hidden()
    assert not {"memory:03", "memory:55"} & {*names_in(many)}


def test_documents_that_cannot_be_deleted_are_listed_and_stay_selected(
    many: Running, opened: Opened, seen: Seen, watch: Watch
) -> None:
    watch.allowed.append("net::ERR_FAILED")
    page = opened(f"{many.url}/#/letters/documents")
    for number in range(3):
        page.get_by_label(f"Select Letter 0{number}").check()
    deletions: list[str] = []

    def interrupt(route: Route) -> None:
        deletions.append(route.request.url)
        route.abort() if len(deletions) == 2 else route.continue_()

    page.route(re.compile("/documents/[0-9a-f]{32}$"), interrupt)
    page.get_by_role("button", name="Delete selected").click()
    page.get_by_role("button", name="Delete 3 documents").click()
    expect(page.get_by_text("2 documents deleted, 1 not deleted.")).to_be_visible()
    failed = page.get_by_role("list", name="Documents that were not deleted")
    expect(failed.get_by_role("listitem")).to_have_count(1)
    expect(failed).to_contain_text("Letter 01")
    expect(failed).to_contain_text("The server does not answer")
    expect(page.get_by_text("1 document selected")).to_be_visible()
    expect(page.get_by_label("Select Letter 01")).to_be_checked()
    seen("documents-not-deleted", page)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("57 documents")).to_be_visible()
    expect(failed).to_have_count(0)
    expect(page.get_by_text("1 document selected")).to_have_count(0)
