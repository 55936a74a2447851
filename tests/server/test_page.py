"""The files of the page: to be had by anybody, and nothing else by that way."""

import gzip
import http.client
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2
import pytest

from polyadic.loaders.loader import READERS
from polyadic.loaders.pages.page_rendering import PICTURE_SUFFIXES
from polyadic.server.page.routes import FILES, POLICY
from tests.server.running_server import Running, add_key, running

NAMES = sorted(path.name for path in FILES.iterdir())
SCRIPTS = {name: (FILES / name).read_text() for name in NAMES if name.endswith(".js")}
OUTSIDE = [
    "/page/nowhere.js",
    "/page/",
    "/page",
    "/page/../page/main.js",
    "/page/../../routes.py",
    "/page/..%2froutes.py",
    "/page/%2e%2e/routes.py",
    "/page/..%5croutes.py",
    "/page/%2fetc%2fpasswd",
    "/page//main.js",
    "/page/main.js%00.css",
    "/page/MAIN.JS",
    "/page/.",
    "/page/..",
]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that asks for keys."""
    folder = tmp_path_factory.mktemp("guarded")
    add_key(folder, "read", "*")
    with running(folder, keyed=True) as server:
        yield server


@pytest.fixture
def stranger(guarded: Running) -> Iterator[httpx2.Client]:
    """Somebody without a key."""
    with guarded.client() as client:
        yield client


def test_page_files_need_no_key_and_have_a_strict_policy(stranger: httpx2.Client) -> None:
    for path in ("/", *(f"/page/{name}" for name in NAMES)):
        reply = stranger.get(path)
        assert (path, reply.status_code) == (path, 200)
        assert reply.headers["content-security-policy"] == POLICY
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["x-frame-options"] == "DENY"
        assert reply.headers["cache-control"] == "no-cache"


def test_content_security_policy_allows_this_server_only() -> None:
    rules = dict(rule.strip().split(" ", 1) for rule in POLICY.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == rules["frame-ancestors"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert "unsafe" not in POLICY and "*" not in POLICY and "http" not in POLICY


def test_the_api_still_asks_for_a_key(stranger: httpx2.Client) -> None:
    assert stranger.get("/v1/workspaces").status_code == 401


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_other_files_are_served(guarded: Running, path: str) -> None:
    # Sent as it stands: other clients would tidy such addresses up.
    connection = http.client.HTTPConnection(urlsplit(guarded.url).netloc, timeout=20)
    connection.request("GET", path)
    reply = connection.getresponse()
    assert reply.status in (401, 404) and reply.headers["content-type"] == "application/problem+json"
    assert b"import" not in reply.read()
    connection.close()


def test_unknown_file_returns_404(stranger: httpx2.Client) -> None:
    assert stranger.get("/page/nowhere.js").status_code == 404


@pytest.mark.parametrize(
    ("name", "kind"),
    [("main.js", "text/javascript"), ("style.css", "text/css"), ("index.html", "text/html"), ("mark.svg", "image/svg")],
)
def test_files_have_correct_media_types(stranger: httpx2.Client, name: str, kind: str) -> None:
    assert stranger.get(f"/page/{name}").headers["content-type"].startswith(kind)


def test_cached_file_returns_304(stranger: httpx2.Client) -> None:
    tag = stranger.get("/page/main.js").headers["etag"]
    again = stranger.get("/page/main.js", headers={"If-None-Match": tag})
    other = stranger.get("/page/main.js", headers={"If-None-Match": '"another"'})
    assert (again.status_code, again.content, again.headers["content-security-policy"]) == (304, b"", POLICY)
    assert (other.status_code, other.headers["etag"]) == (200, tag)
    assert tag != stranger.get("/page/dom.js").headers["etag"]


def test_cross_site_navigation_is_limited(stranger: httpx2.Client) -> None:
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    assert stranger.get("/", headers=elsewhere).status_code == 200
    assert stranger.get("/v1/workspaces", headers=elsewhere).status_code == 403
    assert stranger.get("/", headers=elsewhere | {"Origin": "https://elsewhere.example"}).status_code == 403


def test_scripts_insert_data_as_text_only() -> None:
    markup = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc")
    assert [name for name, script in SCRIPTS.items() if markup.search(script)] == []


def test_page_references_existing_files() -> None:
    page = (FILES / "index.html").read_text()
    loaded = re.findall(r'(?:href|src)="/page/([^"]+)"', page)
    assert set(loaded) <= set(NAMES) and "main.js" in loaded
    assert not re.search(r'\sstyle="|\son\w+="|<style', page)


def test_modules_import_existing_names() -> None:
    for name, script in SCRIPTS.items():
        found = re.findall(r'(?:from|import\()\s*"(\./[^"]+)"', script)
        assert {one.removeprefix("./") for one in found} <= set(NAMES), name


def test_modules_of_the_first_view_are_preloaded() -> None:
    needed, found = ["main.js", "ask.js"], set[str]()
    while needed:
        name = needed.pop()
        if name not in found:
            found.add(name)
            needed += re.findall(r'from\s*"\./([^"]+)"', SCRIPTS[name])
    preloaded = re.findall(r'rel="modulepreload" href="/page/([^"]+)"', (FILES / "index.html").read_text())
    assert sorted(preloaded) == preloaded and set(preloaded) == found - {"main.js"}


def test_files_are_compressed(guarded: Running) -> None:
    with guarded.client() as client:
        plain = client.get("/page/style.css", headers={"Accept-Encoding": "identity"})
        with client.stream("GET", "/page/style.css", headers={"Accept-Encoding": "gzip"}) as small:
            raw = b"".join(small.iter_raw())
            assert small.headers["content-encoding"] == "gzip"
            assert "accept-encoding" in small.headers["vary"].lower()
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(raw) == plain.content and len(raw) < len(plain.content) / 3


def test_files_are_small() -> None:
    assert [name for name, script in SCRIPTS.items() if len(script.splitlines()) > 300] == []


def tokens(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


STYLE = (FILES / "style.css").read_text()
LIGHT, CHOSEN_DARK, DARK_SYSTEM = (tokens(block) for block in re.findall(r":root[^{]*\{([^}]*--ground[^}]*)\}", STYLE))
READ = [
    *((ink, ground) for ink in ("ink", "quiet") for ground in ("ground", "raised", "sunk", "accent-wash")),
    *((ink, ground) for ink in ("accent", "good", "warn", "bad") for ground in ("ground", "raised")),
    ("accent", "accent-wash"),
    ("accent-ink", "accent"),
    ("ink", "mark"),
]


@pytest.mark.parametrize("theme", [LIGHT, CHOSEN_DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), READ)
def test_text_contrast_is_sufficient(theme: dict[str, str], ink: str, ground: str) -> None:
    darker, lighter = sorted((luminance(theme[ink]), luminance(theme[ground])))
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def test_dark_theme_is_the_same_by_system_or_choice() -> None:
    assert CHOSEN_DARK == DARK_SYSTEM != LIGHT


def test_the_page_uploads_every_file_type_that_the_server_reads() -> None:
    block = SCRIPTS["upload_files.js"].split("const KINDS = [")[1].split("]")[0]
    kinds = {kind for line in re.findall(r'"([^"]+)"', block) for kind in line.split()}
    assert kinds == {suffix.removeprefix(".") for suffix in READERS}
    pictures = SCRIPTS["upload_files.js"].split('const PICTURES = "')[1].split('"')[0].split()
    assert {f".{suffix}" for suffix in pictures} == set(PICTURE_SUFFIXES)
