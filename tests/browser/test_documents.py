"""Documents page: upload, progress, search, deletion."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, Watch, served
from tests.model_server import ModelServer, NotJson, ready
from tests.server.running_server import ADA, BABBAGE, Running, add_key, make, running
from tests.support.with_a_model import story

pytestmark = pytest.mark.usefixtures("_allowing_refusals")

FILE: FilePayload = {"name": "ada.md", "mimeType": "text/markdown", "buffer": f"# Ada Lovelace\n\n{ADA}\n".encode()}
BROKEN: FilePayload = {"name": "broken.pdf", "mimeType": "application/pdf", "buffer": b"no pdf"}
_READ = re.compile("^[1-9][0-9]* of [0-9]+ chunks read")
HOSTILE = '<img src=x onerror="document.title=1">'


def choose(page: Page, *files: FilePayload) -> None:
    page.get_by_label("Files to add").set_input_files(list(files))


def rows(page: Page) -> Locator:
    return page.locator(".row-item")


def test_file_is_uploaded_queried_and_deleted(documents: Page, own: Running, seen: Seen) -> None:
    page = documents
    expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
    seen("documents-none", page)
    choose(page, FILE)
    expect(page.get_by_role("heading", name=re.compile("^Done: 1 added"))).to_be_visible()
    expect(rows(page)).to_have_count(1)
    expect(rows(page).first).to_contain_text("ada.md")
    expect(page.locator("article.job")).to_contain_text("ada.md")
    seen("documents-one", page)
    page.get_by_role("link", name="Ask").click()
    page.get_by_role("textbox", name="Question").fill("Who wrote the first published program?")
    page.keyboard.press("Enter")
    expect(page.locator("article.turn")).to_contain_text("Ada Lovelace wrote the first published program")
    page.get_by_role("link", name="Documents").click()
    page.get_by_role("button", name="Delete Ada Lovelace").click()
    page.get_by_role("button", name="Cancel").click()
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name="Delete Ada Lovelace").click()
    page.get_by_role("button", name="Delete document").click()
    expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
    with own.client() as client:
        assert client.get("/v1/workspaces/letters").json()["counts"]["facts"] == 0


def test_files_can_be_dropped_and_unsupported_types_are_skipped(documents: Page) -> None:
    dropped = documents.evaluate_handle(
        """() => {
            const dropped = new DataTransfer();
            dropped.items.add(new File(["Ada met Charles Babbage."], "ada.txt"));
            dropped.items.add(new File(["Charles Babbage lived in London."], "babbage.txt"));
            dropped.items.add(new File(["?"], "notes.xyz"));
            return dropped;
        }"""
    )
    documents.dispatch_event(".drop", "drop", {"dataTransfer": dropped})
    expect(documents.get_by_text("Skipped: unsupported file type (notes.xyz).")).to_be_visible()
    expect(rows(documents)).to_have_count(2)
    expect(documents.locator(".drop.over")).to_have_count(0)


def test_all_jobs_that_have_ended_are_dismissed_at_once(documents: Page) -> None:
    dismiss = documents.get_by_role("button", name="Dismiss all that have ended")
    done = documents.get_by_role("heading", name=re.compile("^Done: 1 added"))
    choose(documents, FILE)
    expect(done).to_have_count(1, timeout=60_000)
    expect(dismiss).to_be_hidden()
    choose(documents, {**FILE, "name": "lovelace.md"})
    expect(done).to_have_count(2, timeout=60_000)
    dismiss.click()
    expect(documents.locator("article.job")).to_have_count(0)
    expect(dismiss).to_be_hidden()
    expect(documents.get_by_text("2 earlier jobs")).to_be_visible()


def test_unreadable_files_are_reported(documents: Page, seen: Seen) -> None:
    choose(documents, FILE, BROKEN)
    expect(documents.get_by_role("heading", name=re.compile("^Partially done: 1 added"))).to_be_visible()
    expect(documents.get_by_text("broken.pdf", exact=True)).to_be_visible()
    seen("documents-partly", documents)
    documents.get_by_role("button", name="Dismiss").click()
    documents.get_by_text("1 earlier job, 1 incomplete").click()
    documents.get_by_role("button", name="Details").click()
    expect(documents.get_by_text("broken.pdf", exact=True)).to_be_visible()


def test_pasted_text_is_added_as_plain_text(documents: Page, seen: Seen) -> None:
    documents.get_by_role("button", name="Paste text").click()
    expect(documents.get_by_label("Title")).to_be_focused()
    documents.get_by_label("Title").fill(HOSTILE)
    documents.get_by_label("Text", exact=True).fill(f"{ADA} {HOSTILE}")
    documents.get_by_label("Address").fill("not a uri")
    seen("documents-paste", documents)
    documents.get_by_role("button", name="Add").click()
    # The server says what is wrong, and nothing that was typed is lost.
    expect(documents.get_by_role("alert")).to_contain_text("a source must be a URI")
    documents.get_by_label("Address").fill("https://example.org/ada")
    documents.get_by_role("button", name="Add").click()
    expect(rows(documents)).to_have_count(1)
    documents.get_by_role("button", name=HOSTILE, exact=True).click()
    expect(documents.get_by_role("dialog")).to_contain_text(HOSTILE)
    assert documents.title() != "1"


@pytest.fixture
def _allowing_refusals(watch: Watch) -> None:
    # The browser itself notes every refusal.
    watch.allowed += ["status of 422", "status of 409"]


def test_documents_are_searched_and_paged(own: Running, opened: Opened) -> None:
    texts = [{"text": f"Ada met number {n}.", "title": f"Letter {n:03}", "source": f"memory:{n:03}"} for n in range(70)]
    with own.client() as client:
        client.post("/v1/workspaces/letters/documents/texts", json={"texts": texts})
    page = opened(f"{own.url}/#/letters/documents")
    expect(page.get_by_text("70 documents")).to_be_visible()
    expect(rows(page)).to_have_count(50)
    page.get_by_role("button", name="Next").click()
    expect(rows(page)).to_have_count(20)
    expect(rows(page).first).to_contain_text("Letter 050")
    page.get_by_role("button", name="Previous").click()
    expect(rows(page).first).to_contain_text("Letter 000")
    page.get_by_label("Search documents").fill("letter 04")
    expect(page.get_by_text("10 documents found")).to_be_visible()
    page.get_by_label("Search documents").fill("nothing is called so")
    expect(page.get_by_role("heading", name="No matching documents")).to_be_visible()


@pytest.fixture
def slow() -> Iterator[ModelServer]:
    with ModelServer([*ready()], delay=0.25) as model:
        yield model


@pytest.fixture
def by_model(tmp_path: Path, slow: ModelServer) -> Iterator[Running]:
    """Documents are read by a model that takes its time."""
    asked = f'[model]\nname = "recorded"\nbase_url = "{slow.url}"\nkey_variable = ""\nretries = 0\nat_once = 2\n'
    with served(tmp_path / "slow", f"{asked}[chunking]\ntokens = 60\noverlap = 0\nwindow_tokens = 0\n") as server:
        with server.client() as client:
            make(client, "letters")
        yield server


def upload(server: Running, documents: int, sentences: int = 30) -> None:
    """Upload stories; the model takes at least half a second for ten sentences."""
    texts = [{"text": story(n, sentences), "title": f"Story {n}", "source": f"memory:{n}"} for n in range(documents)]
    with server.client() as client:
        assert client.post("/v1/workspaces/letters/documents/texts", json={"texts": texts}).status_code == 202


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_job_is_watched_cancelled_and_resumed(
    by_model: Running, slow: ModelServer, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
    # The job is still running when the page has been opened, on a slow machine too.
    slow.delay = 2.0
    upload(by_model, 3)
    page = opened(f"{by_model.url}/#/letters/documents", size, scheme)
    job = page.locator("article.job")
    expect(job.get_by_role("heading")).to_have_text("Reading 3 documents")
    expect(job.get_by_text(_READ)).to_be_visible()
    bar = job.get_by_role("progressbar", name="Progress")
    assert 0 < float(bar.get_attribute("value") or 0) < float(bar.get_attribute("max") or 0)
    seen(f"documents-reading-{size[0]}-{scheme}", page)
    job.get_by_role("button", name="Cancel").click()
    expect(job.get_by_role("heading")).to_contain_text("Cancelled")
    slow.delay = 0.05
    job.get_by_role("button", name="Resume").click()
    expect(job.get_by_role("heading")).to_contain_text(re.compile("^Done: 3 added"), timeout=60_000)
    expect(rows(page)).to_have_count(3)


def test_deleting_while_a_job_runs_is_refused_with_a_message(by_model: Running, opened: Opened, seen: Seen) -> None:
    upload(by_model, 1)
    page = opened(f"{by_model.url}/#/letters/documents")
    expect(rows(page)).to_have_count(1, timeout=60_000)
    texts = [{"text": story(9, 1000), "source": "memory:9"}]
    with by_model.client() as client:
        client.post("/v1/workspaces/letters/documents/texts", json={"texts": texts})
    page.reload()
    expect(page.locator("article.job").get_by_text(_READ)).to_be_visible()
    page.get_by_role("button", name="Delete Story 0").click()
    page.get_by_role("button", name="Delete document").click()
    expect(page.get_by_text("A job is writing to this workspace")).to_be_visible()
    seen("documents-busy", page)
    page.locator("article.job").get_by_role("button", name="Cancel").click()
    expect(page.locator("article.job").get_by_role("heading")).to_contain_text("Cancelled")
    page.get_by_role("button", name="Try again").click()
    expect(rows(page).filter(has_text="Story 0")).to_have_count(0)


def test_failed_chunks_are_retried(by_model: Running, slow: ModelServer, opened: Opened) -> None:
    slow.misbehave(NotJson(), times=None, on={2, 3})
    upload(by_model, 1)
    page = opened(f"{by_model.url}/#/letters/documents")
    expect(page.get_by_text(re.compile("chunks? of these documents failed"))).to_be_visible(timeout=60_000)
    expect(rows(page).locator(".warned")).to_contain_text("failed")
    page.get_by_role("button", name="Retry failed chunks").click()
    expect(page.get_by_role("heading", name=re.compile("^Done: 1 resumed"))).to_be_visible(timeout=60_000)
    expect(rows(page).locator(".warned")).to_have_count(0)


def test_read_only_key_shows_no_write_controls(tmp_path: Path, opened: Opened, watch: Watch) -> None:
    watch.allowed.append("status of 401")
    folder = tmp_path / "keyed"
    writes, reads = add_key(folder, "write", "*"), add_key(folder, "read", "letters")
    (folder / "polyadic.toml").write_text('[embedding]\nmodel = "hashing"\n')
    with running(folder, keyed=True) as server, server.client(writes) as client:
        make(client, "letters", ADA, BABBAGE)
        page = opened(f"{server.url}/#/letters/documents")
        page.get_by_label("Key", exact=True).fill(reads)
        page.keyboard.press("Enter")
        expect(rows(page)).to_have_count(2)
        expect(page.get_by_text("Your key is read-only")).to_be_visible()
        for name in ("Choose files", "Choose folder", "Paste text", re.compile("^Delete")):
            expect(page.get_by_role("button", name=name)).to_have_count(0)
        expect(page.get_by_role("checkbox")).to_have_count(0)


def test_search_in_another_tab_is_answered_while_many_jobs_wait(by_model: Running, opened: Opened) -> None:
    by_model.fill("letters", ADA)
    # The first job is still running when the page has been opened, on a slow machine too.
    upload(by_model, 1, sentences=1000)
    for _ in range(19):
        upload(by_model, 1)
    page = opened(f"{by_model.url}/#/letters/documents")
    expect(page.locator("article.job")).to_have_count(20)
    expect(page.locator("article.job").first.get_by_role("heading")).to_have_text("Reading Story 0")
    other = page.context.new_page()
    other.goto(f"{by_model.url}/#/letters/documents")
    other.get_by_label("Search documents").fill("nothing is called so", timeout=60_000)
    expect(other.get_by_role("heading", name="No matching documents")).to_be_visible()
    waiting = page.locator("article.job").last
    waiting.get_by_role("button", name="Cancel").click()
    expect(waiting.get_by_role("heading")).to_contain_text("Cancelled")


def letters(number: int) -> list[FilePayload]:
    return [{"name": f"{n}.txt", "mimeType": "text/plain", "buffer": b"Ada met Emil."} for n in range(number)]


def test_renamed_files_and_replaced_documents_are_named(documents: Page) -> None:
    other: FilePayload = {**FILE, "buffer": b"Ada Lovelace met Mary Somerville in London."}
    choose(documents, FILE, other)
    expect(documents.get_by_role("heading", name=re.compile("^Done: 2 added"))).to_be_visible()
    expect(rows(documents)).to_have_count(2)
    expect(rows(documents).filter(has_text="ada (2).md")).to_have_count(1)
    choose(documents, other, {**FILE, "name": "#.md"})
    expect(documents.get_by_text("replaces ada.md")).to_be_visible()
    expect(documents.get_by_text("#.md is stored as ＃.md")).to_be_visible()
    expect(documents.get_by_role("heading", name=re.compile("^Done: 1 added, 1 changed"))).to_be_visible()
