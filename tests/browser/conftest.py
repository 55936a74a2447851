"""A browser on a page that a server gives it: the articles of examples/, read without a model and answered with one.

Whatever goes wrong in the page without anybody seeing it, an error, a line in the console, something that the page's
policy refused, fails the test in which it happened.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.browser.graph_view import few, many, put_in
from tests.model_server import Asked, ModelServer, ready
from tests.model_server.reading import question
from tests.server.running_server import Running, finished, make, running

EXAMPLES = Path(__file__).parents[2] / "examples" / "spaceflight"
WIDE = (1280, 800)
PHONE = (390, 844)
_WITHOUT_WEIGHTS = '[embedding]\nmodel = "hashing"\n'
_SECONDS = 60.0


class Seen(Protocol):
    """Writes what a page looks like to the folder in POLYADIC_SCREENSHOTS, where that is set."""

    def __call__(self, name: str, page: Page | None = None) -> None: ...


class Opened(Protocol):
    """Opens an address in a window of its own."""

    def __call__(self, url: str, size: tuple[int, int] = WIDE, scheme: str = "light") -> Page: ...


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all of these tests as needing a browser."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium; where it is lacking these tests are skipped, but not where everything is to be tested.

    It goes with the last test of this folder: as long as Playwright is there, no other test can run an event loop.
    """
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None and not os.environ.get("CI"):
        pytest.skip("there is no chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


def read_in(server: Running, workspace: str, *files: Path) -> None:
    """Make a workspace on a server and have it read files."""
    with server.client() as client:
        assert client.post("/v1/workspaces", json={"name": workspace}).status_code == 201
        given = [("files", (file.name, file.read_bytes())) for file in files]
        job = client.post(f"/v1/workspaces/{workspace}/documents/files", files=given).json()
        assert finished(client, workspace, job["id"])["state"] == "succeeded"


@contextmanager
def served(folder: Path, settings: str = "") -> Iterator[Running]:
    """A server over a folder, whose workspaces are set up as is said."""
    folder.mkdir(exist_ok=True)
    (folder / "polyadic.toml").write_text(_WITHOUT_WEIGHTS + settings)
    with running(folder) as server:
        yield server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Without keys and without a model; the workspace ``spaceflight`` holds the articles of examples/."""
    with served(tmp_path_factory.mktemp("pages")) as server:
        read_in(server, "spaceflight", *sorted(EXAMPLES.iterdir()))
        yield server


def _no_cheese(asked: Asked) -> str | None:
    return "[none] The documents do not speak of cheese." if "cheese" in (question(asked) or "") else None


@pytest.fixture(scope="session")
def model() -> Iterator[ModelServer]:
    """A language model that answers from what it is given, a few words at a time, and knows nothing of cheese."""
    with ModelServer([_no_cheese, *ready()], tokens_per_second=60) as model:
        yield model


@pytest.fixture(scope="session")
def answering(tmp_path_factory: pytest.TempPathFactory, model: ModelServer) -> Iterator[Running]:
    """The same as ``server``, but a model writes the answers."""
    asked = f'[model]\nname = "recorded"\nbase_url = "{model.url}"\nkey_variable = ""\nretries = 0\n'
    with served(tmp_path_factory.mktemp("answering"), f'{asked}[extraction]\nextractor = "sentences"\n') as server:
        read_in(server, "spaceflight", *sorted(EXAMPLES.iterdir()))
        yield server


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Serves ``few``, of which every entity and fact is known here, and ``nothing``."""
    folder = tmp_path_factory.mktemp("drawn")
    put_in(folder, "few", few())
    with served(folder) as server, server.client() as client:
        make(client, "nothing")
        yield server


@pytest.fixture(scope="session")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Serves ``many``."""
    folder = tmp_path_factory.mktemp("crowded")
    put_in(folder, "many", many())
    with served(folder) as server:
        yield server


class Watch:
    """Notes what goes wrong in pages; ``allowed`` are parts of texts that a test brings about itself."""

    def __init__(self) -> None:
        self.allowed: list[str] = []
        self._found: list[str] = []

    def listen(self, page: Page) -> None:
        page.on("pageerror", lambda error: self._found.append(f"error: {error}"))
        page.on("console", self._heard)

    def _heard(self, said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            self._found.append(said.text)

    @property
    def wrong(self) -> list[str]:
        return [one for one in self._found if not any(part in one for part in self.allowed)]


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch()
    yield watch
    assert watch.wrong == []


@pytest.fixture
def opened(browser: Browser, watch: Watch) -> Iterator[Opened]:
    """Windows are closed when the test has ended."""
    contexts: list[BrowserContext] = []

    def open_page(url: str, size: tuple[int, int] = WIDE, scheme: str = "light") -> Page:
        width, height = size
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        context.set_default_timeout(_SECONDS * 1000)
        page = context.new_page()
        watch.listen(page)
        page.goto(url)
        return page

    expect.set_options(timeout=_SECONDS * 1000)
    yield open_page
    for context in contexts:
        context.close()


def ask(page: Page, text: str) -> None:
    """Ask in the page, and wait until the answer is whole."""
    box = page.get_by_role("textbox", name="Question")
    box.fill(text)
    # The box may have lost the focus to what opened a dialog before.
    box.press("Enter")
    turn = page.locator("article.turn").last
    expect(turn.get_by_role("heading", level=2)).to_have_text(text)
    expect(turn).to_have_attribute("aria-busy", "false")


def said_in(request: Request) -> dict[str, Any]:
    """The JSON that a page sent."""
    body: dict[str, Any] = request.post_data_json or {}
    return body


@pytest.fixture
def page(server: Running, opened: Opened) -> Page:
    """The workspace ``spaceflight`` in a wide window."""
    return opened(f"{server.url}/#/spaceflight/ask")


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Running]:
    """A server whose workspace ``letters`` is empty."""
    with served(tmp_path / "own") as server, server.client() as client:
        make(client, "letters")
        yield server


@pytest.fixture
def documents(own: Running, opened: Opened) -> Page:
    """The view Documents of this workspace."""
    return opened(f"{own.url}/#/letters/documents")


@pytest.fixture
def seen(request: pytest.FixtureRequest) -> Seen:
    """A picture of a page, by default of the fixture ``page``."""

    def write(name: str, page: Page | None = None) -> None:
        folder = os.environ.get("POLYADIC_SCREENSHOTS")
        if folder:
            shown: Page = page or request.getfixturevalue("page")
            Path(folder).mkdir(parents=True, exist_ok=True)
            shown.screenshot(path=str(Path(folder) / f"{name}.png"))

    return write
