"""Watched folders on the Documents page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from polyadic.server.server_state import ServerState
from polyadic.server.tenants.folders import FolderTenants
from polyadic.server.watched_folders import watched_folders
from tests.browser.conftest import PHONE, Opened, Seen
from tests.server.running_server import ADA, BABBAGE, Running, serving

UNTIL_READ = 60_000.0


@pytest.fixture
def post(tmp_path: Path) -> Path:
    """A folder with one document."""
    folder = tmp_path / "post"
    folder.mkdir()
    (folder / "ada.md").write_text(ADA)
    return folder


@pytest.fixture
def watching(tmp_path: Path, post: Path) -> Iterator[Running]:
    """A server that watches it for the workspace ``letters``."""
    served = tmp_path / "served"
    served.mkdir()
    (served / "polyadic.toml").write_text('[embedding]\nmodel = "hashing"\n')
    service = ServerState(FolderTenants(served), None, watched=watched_folders([f"letters={post}"], served))
    with serving(service, served) as server:
        yield server


def test_state_of_a_watched_folder_is_shown_and_followed(
    watching: Running, post: Path, opened: Opened, seen: Seen
) -> None:
    page = opened(f"{watching.url}/#/letters/documents")
    panel = page.get_by_role("region", name="Watched folders")
    expect(panel.get_by_role("heading", name="post")).to_be_visible()
    expect(panel).to_contain_text(re.compile(r"Watching ?1 document.*last change.*read [0-9]"), timeout=UNTIL_READ)
    (post / "broken.pdf").write_bytes(b"no pdf")
    (post / "babbage.md").write_text(BABBAGE)
    expect(panel.get_by_text("1 file or row could not be read")).to_be_visible(timeout=UNTIL_READ)
    expect(panel).to_contain_text("2 documents")
    expect(panel).to_contain_text("broken.pdf")
    # The list follows, and the jobs of the folder are not shown a second time.
    expect(page.get_by_role("button", name="babbage.md", exact=True)).to_be_visible()
    expect(page.locator(".job")).to_have_count(0)
    expect(page.get_by_text("earlier job")).to_have_count(0)
    seen("documents-watched", page)
    post.rename(post.with_name("elsewhere"))
    expect(panel).to_contain_text("Folder missing, its documents are kept")
    phone = opened(f"{watching.url}/#/letters/documents", PHONE, "dark")
    expect(phone.get_by_role("region", name="Watched folders")).to_contain_text("Folder missing")
    assert phone.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    seen("documents-watched-phone", phone)
