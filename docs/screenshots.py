"""Takes the pictures that the README shows: ``python docs/screenshots.py`` (needs the dev extra and Chromium)."""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx2
from playwright.sync_api import Page, ViewportSize, sync_playwright

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
QUESTION = "Which astronaut stayed in the cabin of Shenzhou 7 during the first Chinese spacewalk?"
WIDE = ViewportSize(width=1280, height=800)
POLYADIC = (sys.executable, "-m", "polyadic")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([*POLYADIC, "serve", folder, "--port", "0"], stderr=subprocess.PIPE, text=True)
        try:
            told = server.stderr.readline() if server.stderr else ""
            url = told.split(" at ")[1].split(" ")[0]
            upload(url)
            take(url)
        finally:
            server.terminate()
            server.wait()


def upload(url: str) -> None:
    """Make a workspace of the example articles, and wait until they are read."""
    with httpx2.Client(base_url=f"{url}/v1", timeout=60) as client:
        client.post("/workspaces", json={"name": "spaceflight"}).raise_for_status()
        files = sorted((ROOT / "examples" / "spaceflight").glob("*.md"))
        given = [("files", (file.name, file.read_bytes())) for file in files]
        job = client.post("/workspaces/spaceflight/documents/files", files=given).raise_for_status().json()["id"]
        while client.get(f"/workspaces/spaceflight/jobs/{job}").json()["state"] in ("queued", "running"):
            time.sleep(0.5)
        # The first question loads the embedding model; the picture shows the time of a usual one.
        client.post("/workspaces/spaceflight/query", json={"question": QUESTION}).raise_for_status()


def take(url: str) -> None:
    """All pictures, of the server at this address."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        asked(browser.new_page(viewport=WIDE, color_scheme="light"), url)
        explored(browser.new_page(viewport=WIDE, color_scheme="dark"), url)


def asked(page: Page, url: str) -> None:
    """An answer, and beside it the source of its first citation."""
    page.goto(f"{url}/#/spaceflight/ask")
    box = page.get_by_role("textbox", name="Question")
    box.fill(QUESTION)
    box.press("Enter")
    page.get_by_role("button", name="Source 1:").click()
    page.get_by_role("dialog").locator("mark").wait_for()
    page.wait_for_timeout(600)
    page.screenshot(path=IMAGES / "ask.png")


def explored(page: Page, url: str) -> None:
    """The hypergraph, when it has settled."""
    page.goto(f"{url}/#/spaceflight/explore")
    page.locator("[data-settled='true']").wait_for(timeout=60_000)
    page.wait_for_timeout(600)
    page.screenshot(path=IMAGES / "explore.png")


if __name__ == "__main__":
    main()
