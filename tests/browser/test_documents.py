"""Documents page: upload, progress, search, deletion."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, FilePayload, Locator, Page, Route, expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, Watch, served
from tests.browser.test_shell import SHIFTS
from tests.model_server import ModelServer, NotJson, ready
from tests.server.running_server import ADA, BABBAGE, Running, add_key, make, running
from tests.support.with_a_model import story

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


pytestmark = pytest.mark.usefixtures("_allowing_refusals")


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_job_is_watched_cancelled_and_resumed(
    by_model: Running, opened: Opened, seen: Seen, size: tuple[int, int], scheme: str
) -> None:
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
    job.get_by_role("button", name="Resume").click()
    expect(job.get_by_role("heading")).to_contain_text(re.compile("^Done: 3 added"), timeout=60_000)
    expect(rows(page)).to_have_count(3)


def test_deleting_while_a_job_runs_is_refused_with_a_message(by_model: Running, opened: Opened, seen: Seen) -> None:
    upload(by_model, 1)
    page = opened(f"{by_model.url}/#/letters/documents")
    expect(rows(page)).to_have_count(1, timeout=60_000)
    texts = [{"text": story(9, 200), "source": "memory:9"}]
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


def letters(number: int) -> list[FilePayload]:
    return [{"name": f"{n}.txt", "mimeType": "text/plain", "buffer": b"Ada met Emil."} for n in range(number)]


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
