"""Closed by default: who is turned away, what a request may send, and what an answer tells."""

import json
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from polyadic.errors import SettingsError
from polyadic.server import json_logging
from polyadic.server.server import service_for
from polyadic.server.server_limits import ServerLimits
from tests.server.running_server import QUESTION, Running, add_key, finished, make, running, wait_until

SMALL = ServerLimits(json_bytes=2000, upload_bytes=5000, upload_files=3, idle_seconds=0.5, workspaces=2, jobs_waiting=2)
HTML = "<html><head><title>Ada</title></head><body><script>alert(1)</script><p>Ada met Babbage.</p></body></html>"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("small"), limits=SMALL) as server:
        with server.client() as client:
            make(client, "letters")
        yield server


def test_remote_clients_need_keys(folder: Path) -> None:
    for host in ("0.0.0.0", "192.0.2.1", "::", "example.org"):  # noqa: S104 - that is the point
        with pytest.raises(SettingsError, match="would be open to everyone"):
            service_for(folder, host, None, ServerLimits())
    add_key(folder, "read", "*")
    service = service_for(folder, "0.0.0.0", None, ServerLimits())  # noqa: S104
    assert service.keys is not None
    service.tenants.close()


def test_configured_key_file_must_contain_keys(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there are no keys"):
        service_for(folder, "127.0.0.1", tmp_path / "keys.json", ServerLimits())
    (tmp_path / "keys.json").write_text('{"version": 1, "keys": [{}]}')
    with pytest.raises(SettingsError, match="is not a valid key file"):
        service_for(folder, "127.0.0.1", tmp_path / "keys.json", ServerLimits())


@pytest.mark.slow
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "rebound.example.org"},
        {"Host": "localhost.example.org:80"},
        {"Host": ""},
        {"Host": "[::"},
        {"Origin": "https://example.org"},
        {"Origin": "null"},
        {"Origin": "http://[::"},
        {"Sec-Fetch-Site": "cross-site"},
        {"X-Forwarded-For": "192.0.2.1"},
        {"Forwarded": "for=192.0.2.1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/v1/workspaces", "/health"])
def test_without_keys_only_loopback_is_served(client: httpx2.Client, headers: dict[str, str], path: str) -> None:
    reply = client.get(path, headers=headers)
    assert (reply.status_code, reply.json()["type"]) == (403, "urn:polyadic:problem:not-from-here")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "localhost:1234"])
def test_loopback_names_are_accepted(client: httpx2.Client, host: str) -> None:
    assert client.get("/v1/workspaces", headers={"Host": host}).status_code == 200


def test_same_origin_requests_are_allowed(client: httpx2.Client, server: Running) -> None:
    assert client.get("/v1/workspaces", headers={"Origin": server.url}).status_code == 200


def test_cors_allows_no_origin(client: httpx2.Client) -> None:
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    reply = client.options("/v1/workspaces", headers=asked)
    assert reply.status_code == 403
    assert not [name for name in reply.headers if name.startswith("access-control")]


def test_allowed_origins_may_send_requests(folder: Path) -> None:
    app, key = "https://app.example", add_key(folder, "write", "*")
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    with running(folder, keyed=True, allowed_origins=[app]) as server, server.client() as client:
        preflight = client.options("/v1/workspaces", headers={"Origin": app, **asked})
        assert preflight.status_code == 200 and preflight.headers["access-control-allow-origin"] == app
        sent = {"Origin": app, "Sec-Fetch-Site": "cross-site"}
        refused = client.get("/v1/workspaces", headers=sent)
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, app)
        reply = client.get("/v1/workspaces", headers=sent | {"X-API-Key": key})
        assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (200, app)
        assert "Location" in reply.headers["access-control-expose-headers"]
        for other in ("https://app.example.org", "http://app.example", "https://app.example:444", "null"):
            assert client.options("/v1/workspaces", headers={"Origin": other, **asked}).status_code == 400
            reply = client.get("/v1/workspaces", headers={"Origin": other, "X-API-Key": key})
            assert reply.status_code == 403 and "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize("origin", ["*", "app.example", "https://app.example/", "https://*.example", "null", ""])
def test_invalid_origins_are_refused(folder: Path, origin: str) -> None:
    with pytest.raises(SettingsError, match="is not an origin"):
        service_for(folder, "127.0.0.1", None, ServerLimits(), allowed_origins=[origin])


@pytest.mark.parametrize("path", ["/health", "/v1/workspaces", "/v1/workspaces/letters", "/nowhere"])
def test_security_headers_are_set(client: httpx2.Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'none'; frame-ancestors 'none'")
    assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
    assert (headers["referrer-policy"], headers["cache-control"]) == ("no-referrer", "no-store")
    assert "server" not in headers


@pytest.mark.parametrize(
    ("given", "kept"),
    [("abc-DEF_1.2", True), ("short", False), ("x" * 65, False), ("a b c d e f", False)],
)
def test_a_request_has_an_id(client: httpx2.Client, given: str, kept: bool) -> None:
    returned = client.get("/health", headers={"X-Request-ID": given}).headers["x-request-id"]
    assert (returned == given) is kept and len(returned) >= 8


@pytest.mark.slow
def test_documents_are_served_as_plain_text(client: httpx2.Client) -> None:
    make(client, "pages")
    given = {"texts": [{"text": HTML, "source": "https://example.org/a?<script>", "title": "<b>Ada</b>"}]}
    job = client.post("/v1/workspaces/pages/documents/texts", json=given).json()
    assert finished(client, "pages", job["id"])["state"] == "succeeded"
    [document] = client.get("/v1/workspaces/pages/documents").json()["documents"]
    shown = client.get(f"/v1/workspaces/pages/documents/{document['id']}/text")
    assert (shown.text, shown.headers["content-type"]) == (HTML, "text/plain; charset=utf-8")


@pytest.mark.parametrize(
    "source",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "/etc/passwd",
        "a b:c",
        ":x",
        "é:x",
    ],
)
def test_executable_source_schemes_are_refused(client: httpx2.Client, source: str) -> None:
    given = {"texts": [{"text": "Ada met Babbage.", "source": source}]}
    assert client.post("/v1/workspaces/letters/documents/texts", json=given).status_code == 422


def test_validation_errors_do_not_echo_input(client: httpx2.Client) -> None:
    reply = client.post("/v1/workspaces/letters/query", json={"question": QUESTION, "method": "my-secret"})
    returned = reply.json()
    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json")
    assert returned["errors"][0]["where"] == "body/method" and "my-secret" not in reply.text


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\xff", b'{"question": "\\ud800"}', b"[" * 1500, b'{"question": ""}']
)
def test_invalid_body_is_refused(small: Running, body: bytes) -> None:
    with small.client() as client:
        reply = client.post("/v1/workspaces/letters/query", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code in (400, 422) and reply.headers["content-type"] == "application/problem+json"


def test_body_with_excessive_content_length_is_not_read(small: Running) -> None:
    with small.client() as client:
        reply = client.post("/v1/workspaces/letters/query", json={"question": "x" * 3000})
    assert (reply.status_code, reply.json()["type"]) == (413, "urn:polyadic:problem:too-long")


def test_chunked_body_is_limited(small: Running) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"question": "'
        for _ in range(100):
            yield b"x" * 100

    with small.client() as client:
        reply = client.post(
            "/v1/workspaces/letters/query", content=pieces(), headers={"Content-Type": "application/json"}
        )
    assert reply.status_code == 413


@pytest.mark.parametrize("length", ["-1", "1e3", "abc", "9" * 400])
def test_invalid_content_length_is_refused(small: Running, length: str) -> None:
    head = f"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
    assert b" 4" in raw_response(small, head.encode())[:14]


def test_stalled_body_times_out(small: Running) -> None:
    said = ["POST /v1/workspaces HTTP/1.1", "Host: localhost", "Content-Type: application/json", "Content-Length: 50"]
    assert raw_response(small, "\r\n".join([*said, "", "{"]).encode()).startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize("files", [0, 4])
def test_number_of_uploaded_files_is_checked(small: Running, files: int) -> None:
    form = [("files", (f"{number}.txt", b"Ada.")) for number in range(files)] or [("other", ("a.txt", b"Ada."))]
    with small.client() as client:
        reply = client.post("/v1/workspaces/letters/documents/files", files=form)
    assert reply.status_code in (400, 422)
    assert nothing_is_left(small)


def test_oversized_upload_is_refused(small: Running) -> None:
    with small.client() as client:
        reply = client.post("/v1/workspaces/letters/documents/files", files={"files": ("a.txt", b"x" * 9000)})
    assert reply.status_code == 413 and nothing_is_left(small)


@pytest.mark.parametrize(
    "content_type", ["application/json", "multipart/form-data", "multipart/form-data; boundary=x", ""]
)
def test_upload_without_a_form_is_refused(small: Running, content_type: str) -> None:
    with small.client() as client:
        reply = client.post(
            "/v1/workspaces/letters/documents/files", content=b"{}", headers={"Content-Type": content_type}
        )
    assert reply.status_code in (400, 415, 422) and nothing_is_left(small)


@pytest.mark.parametrize("name", ["a.exe", "a.png", "../b.bin", "a.txt/b.exe", "", "..", "a.txt/"])
def test_unsupported_file_types_are_refused(small: Running, name: str) -> None:
    disposition = f'Content-Disposition: form-data; name="files"; filename="{name}"'
    form = "\r\n".join(["--boundary", disposition, "", "Ada.", "--boundary--", ""])
    with small.client() as client:
        reply = client.post(
            "/v1/workspaces/letters/documents/files",
            content=form.encode(),
            headers={"Content-Type": "multipart/form-data; boundary=boundary"},
        )
    assert reply.status_code in (400, 415, 422) and nothing_is_left(small)


NAMES = {
    "../../../outside.txt": "outside.txt",
    "/etc/outside.md": "outside.md",
    "C:\\outside.html": "outside.html",
    "..\\..\\outside.htm": "outside.htm",
    "a\u202etxt.md": "a_txt.md",
    "~/outside.markdown": "outside.markdown",
    "$(outside).txt": "$(outside).txt",
    "x" * 400 + ".txt": "x" * 107 + "~c613c72b.txt",
}


@pytest.mark.slow
def test_file_names_are_sanitized(client: httpx2.Client, server: Running) -> None:
    make(client, "named")
    files = [("files", (name, b"<p>Ada met Babbage.")) for name in NAMES]
    job = client.post("/v1/workspaces/named/documents/files", files=files).json()
    assert finished(client, "named", job["id"])["state"] == "succeeded"
    sources = [one["source"] for one in client.get("/v1/workspaces/named/documents").json()["documents"]]
    assert sources == sorted(f"upload:{name}" for name in NAMES.values())
    outside = [path for path in server.folder.parent.rglob("*outside*") if server.folder / "named" not in path.parents]
    assert not outside
    # An upload is deleted after the end of its job is published.
    wait_until(lambda: not list((server.folder / "named" / ".uploads").iterdir()))


@pytest.mark.parametrize(
    "name", ["", "A", "-a", "a-", "a.b", "a/b", "..", ".server", "a" * 64, "a\n", "é", "a b", "con\u0000"]
)
def test_invalid_workspace_names_are_refused(client: httpx2.Client, server: Running, name: str) -> None:
    before = sorted(server.folder.iterdir())
    assert client.post("/v1/workspaces", json={"name": name}).status_code == 422
    assert sorted(server.folder.iterdir()) == before


def test_symlink_out_of_the_folder_is_no_workspace(client: httpx2.Client, server: Running, tmp_path: Path) -> None:
    (tmp_path / "polyadic.toml").write_text("")
    (server.folder / "linked").symlink_to(tmp_path, target_is_directory=True)
    try:
        assert client.get("/v1/workspaces/linked").status_code == 404
        assert "linked" not in client.get("/v1/workspaces").json()["workspaces"]
        assert client.post("/v1/workspaces", json={"name": "linked"}).status_code == 409
        assert client.delete("/v1/workspaces/linked").status_code == 404
        assert (tmp_path / "polyadic.toml").exists()
    finally:
        (server.folder / "linked").unlink()


def test_deleting_a_workspace_keeps_foreign_files(client: httpx2.Client, server: Running) -> None:
    make(client, "shared")
    (server.folder / "shared" / "my-notes.txt").write_text("mine")
    assert client.delete("/v1/workspaces/shared").status_code == 204
    assert [entry.name for entry in (server.folder / "shared").iterdir()] == ["my-notes.txt"]
    assert client.get("/v1/workspaces/shared").status_code == 404


def test_number_of_workspaces_is_limited(small: Running) -> None:
    with small.client() as client:
        assert client.post("/v1/workspaces", json={"name": "second"}).status_code == 201
        reply = client.post("/v1/workspaces", json={"name": "third"})
        assert (reply.status_code, reply.json()["type"]) == (409, "urn:polyadic:problem:too-many-workspaces")
        assert client.delete("/v1/workspaces/second").status_code == 204


@pytest.fixture
def _logs_as_before() -> Iterator[None]:
    """Where the server logs to may be changed, as long as the test lasts."""
    loggers = [logging.getLogger(name) for name in ("polyadic.server", "uvicorn")]
    before = [(logger.handlers[:], logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)


@pytest.mark.slow
def test_log_records_requests_without_keys(
    folder: Path, capfd: pytest.CaptureFixture[str], _logs_as_before: None
) -> None:
    key = add_key(folder, "write", "*")
    json_logging.install()
    with running(folder, keyed=True) as server, server.client(key) as client:
        make(client, "letters")
        client.get("/v1/workspaces/letters", params={"key": key}, headers={"X-Request-ID": "my-request"})
        client.post("/v1/workspaces/letters/query", json={"question": "a secret question"})
        client.get("/v1/workspaces", headers={"Authorization": "Bearer wrong-secret"})
    said = capfd.readouterr().err
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    shown = next(line for line in lines if line.get("request_id") == "my-request")
    assert (shown["route"], shown["status"], shown["key"]) == ("/v1/workspaces/{workspace}", 200, key.split("-")[1])
    assert key.split("-", 2)[2] not in said and "secret" not in said


def nothing_is_left(server: Running) -> bool:
    uploads = server.folder / "letters" / ".uploads"
    return not uploads.exists() or not list(uploads.iterdir())


def raw_response(server: Running, said: bytes) -> bytes:
    """What comes back to a request that no client would make."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(said)
        return connection.recv(4096)
