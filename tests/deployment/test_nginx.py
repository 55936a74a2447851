"""The configuration for nginx, held against what the server wants of a proxy."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from polyadic.server.server_limits import ServerLimits
from tests.deployment.dockerfile import ROOT
from tests.server.running_server import ADA, QUESTION, add_key, make, running

TEXT = (ROOT / "deploy" / "nginx.conf").read_text()
BARE = re.sub(r"#.*", "", TEXT)
NAME = "kb.example.org:8443"
_UNITS = {"k": 2**10, "m": 2**20, "g": 2**30}


def values_of(directive: str) -> list[str]:
    """What follows each use of a directive."""
    return [" ".join(found.split()) for found in re.findall(rf"^\s*{directive}\s+([^;]+);", BARE, re.MULTILINE)]


def sent(**more: str) -> dict[str, str]:
    """The headers that nginx makes of a browser's request, as the file has them set."""
    variables = {
        "$http_host": NAME,
        "$host": NAME.split(":", maxsplit=1)[0],
        "$request_id": "0123456789abcdef0123456789abcdef",
        "$remote_addr": "203.0.113.7",
        "$scheme": "https",
        '""': "",
    }
    given = (one.split(None, 1) for one in values_of("proxy_set_header"))
    return {name: variables[value] for name, value in given if variables[value]} | more


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYADIC_EMBEDDING__MODEL", "hashing")
        folder: Path = tmp_path_factory.mktemp("proxied") / "kb"
        key = add_key(folder, "write", "*")
        with running(folder, keyed=True) as server, server.client(key) as client:
            make(client, "letters", ADA)
            yield client


def test_nginx_configuration_is_well_formed() -> None:
    assert BARE.count("{") == BARE.count("}")
    for line in BARE.splitlines():
        assert not line.strip() or line.strip()[-1] in ";{}", line


def test_proxied_requests_are_answered_including_the_page(client: httpx2.Client) -> None:
    body = {"question": QUESTION}
    for headers in (sent(), sent(origin=f"https://{NAME}")):
        reply = client.post("/v1/workspaces/letters/query", json=body, headers=headers)
        assert reply.status_code == 200, reply.text
        assert reply.headers["x-request-id"] == headers["X-Request-ID"]
    elsewhere = client.post("/v1/workspaces/letters/query", json=body, headers=sent(origin="https://example.org"))
    assert elsewhere.status_code == 403


def test_requests_without_a_key_are_refused(client: httpx2.Client) -> None:
    for key in ("", "Bearer nonsense"):
        assert client.get("/v1/workspaces", headers=sent(authorization=key)).status_code == 401


def test_server_without_keys_refuses_proxied_requests(tmp_path: Path) -> None:
    with running(tmp_path / "kb") as server, server.client() as client:
        assert client.get("/v1/workspaces").status_code == 200
        for headers in (sent(), sent(Host="localhost")):
            assert client.get("/v1/workspaces", headers=headers).status_code == 403


def test_streamed_answers_are_not_buffered(client: httpx2.Client) -> None:
    assert values_of("proxy_buffering") == ["off"] and values_of("proxy_http_version") == ["1.1"]
    reply = client.post("/v1/workspaces/letters/query/stream", json={"question": QUESTION}, headers=sent())
    # Also where somebody else's configuration buffers.
    assert reply.headers["x-accel-buffering"] == "no"


def test_size_and_time_limits_are_reported_by_the_server() -> None:
    limits = ServerLimits()
    [largest], [longest] = values_of("client_max_body_size"), values_of("proxy_read_timeout")
    assert int(largest[:-1]) * _UNITS[largest[-1]] > limits.upload_bytes
    assert int(longest.removesuffix("s")) > limits.request_seconds
    assert values_of("proxy_request_buffering") == ["off"]
    [slow] = values_of("client_body_timeout")
    assert int(slow.removesuffix("s")) >= limits.idle_seconds
    assert values_of("client_header_timeout")


def test_http_redirects_to_https() -> None:
    assert values_of("ssl_protocols") == ["TLSv1.2 TLSv1.3"] and values_of("return") == [
        "301 https://$host$request_uri"
    ]
    assert values_of("listen") == ["80", "[::]:80", "443 ssl http2", "[::]:443 ssl http2"] and values_of(
        "proxy_pass"
    ) == ["http://polyadic"]
