"""Every route with every wrong key, out of the API's own description: a new route cannot be forgotten here."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from polyadic.server.api_keys import KeyRing, keys_file
from tests.server.operations import OF_NO_WORKSPACE, OPEN, Operation, operations
from tests.server.running_server import ADA, BABBAGE, Running, add_key, make, running, wait_until

OPERATIONS = operations()
CLOSED = [one for one in OPERATIONS if one.path not in OPEN]
OF_A_WORKSPACE = [one for one in CLOSED if str(one) not in OF_NO_WORKSPACE]
ILL_FORMED = [
    ".server",
    "Theirs",
    "theirs.",
    "theirs%20",
    "*",
    "x" * 300,
    "theirs%00",
    "theirs%0a",
    "th%C3%A9irs",
    "%2e%2e",
    "-",
]
each = pytest.mark.parametrize("operation", CLOSED, ids=str)


@dataclass
class Guarded:
    """A server with two workspaces, and keys to them; ``document`` is one of the other's."""

    server: Running
    mine: str
    read_only: str
    everything: str
    document: str


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("guarded")
    everything = add_key(folder, "write", "*")
    mine, read_only = add_key(folder, "write", "mine"), add_key(folder, "read", "mine")
    with running(folder, keyed=True) as server, server.client(everything) as client:
        for name in ("mine", "theirs"):
            make(client, name)
        server.fill("mine", ADA)
        [document] = server.fill("theirs", BABBAGE)
        yield Guarded(server, mine, read_only, everything, document)


@pytest.fixture(scope="module")
def wrong_headers(guarded: Guarded) -> dict[str, dict[str, str]]:
    """What somebody may send who has no key, or thinks that they have."""
    right = guarded.everything
    prefix, identifier, secret = right.split("-", 2)
    other = guarded.mine.split("-")[1]
    ring = KeyRing(keys_file(guarded.server.folder))
    removed, presented = ring.add("gone", "write", ["*"])
    ring.remove(removed.id)
    changed = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    bearers = {
        "empty": "",
        "nonsense": "letmein",
        "no secret": f"{prefix}-{identifier}-",
        "only its id": identifier,
        "one letter changed": f"{prefix}-{identifier}-{changed}",
        "the secret of another": f"{prefix}-{other}-{secret}",
        "another prefix": f"sk-{identifier}-{secret}",
        "removed": presented,
        "longer": f"{right}{right}",
        "twice": f"{right} {right}",
        "huge": "x" * 8000,
        "the digest in the file": keys_file(guarded.server.folder).read_text().split('"digest": "')[1][:64],
    }
    basic = base64.b64encode(f"user:{right}".encode()).decode()
    return {
        "none": {},
        **{name: {"Authorization": f"Bearer {said}".strip()} for name, said in bearers.items()},
        "basic": {"Authorization": f"Basic {basic}"},
        "another scheme": {"Authorization": f"Key {right}"},
        "in a cookie": {"Cookie": f"key={right}"},
        "wrong in the other header": {"X-API-Key": "letmein"},
    }


def without_id(reply: httpx2.Response) -> dict[str, Any]:
    body: dict[str, Any] = reply.json()
    assert body.pop("request_id") == reply.headers["x-request-id"]
    return body


def test_wrong_keys_are_refused(guarded: Guarded, wrong_headers: dict[str, dict[str, str]]) -> None:
    with guarded.server.client() as client:
        for name, headers in wrong_headers.items():
            assert client.get("/v1/workspaces/theirs", headers=headers).status_code == 401, name


@pytest.mark.slow
@each
def test_all_wrong_keys_get_the_same_response(
    guarded: Guarded, wrong_headers: dict[str, dict[str, str]], operation: Operation
) -> None:
    said = []
    for headers in wrong_headers.values():
        with guarded.server.client() as client:
            client.headers.update(headers)
            for workspace in ("theirs", "nobodys"):
                reply = operation.send(client, workspace, guarded.document)
                assert reply.status_code == 401 and reply.headers["www-authenticate"].startswith("Bearer")
                said.append(without_id(reply))
    assert all(one == said[0] for one in said)


@pytest.mark.parametrize("operation", OF_A_WORKSPACE, ids=str)
def test_unauthorized_unknown_and_invalid_names_get_the_same_response(guarded: Guarded, operation: Operation) -> None:
    names = ["theirs", "nobodys"]
    if str(operation) != "POST /v1/workspaces":
        names += [name for name in ILL_FORMED if "{" in operation.path or ("%" not in name and name.strip() == name)]
    said = []
    with guarded.server.client(guarded.mine) as client:
        for name in names:
            reply = operation.send(client, name, guarded.document)
            assert (name, reply.status_code) == (name, 404)
            said.append(without_id(reply))
    assert all(one == said[0] for one in said) and "theirs" not in str(said)


@pytest.mark.parametrize("operation", [one for one in OF_A_WORKSPACE if one.writes], ids=str)
def test_read_key_cannot_write(guarded: Guarded, operation: Operation) -> None:
    with guarded.server.client(guarded.read_only) as client:
        reply = operation.send(client, "mine")
    assert (reply.status_code, reply.json()["type"]) == (403, "urn:polyadic:problem:read-only-key")


@pytest.mark.parametrize("operation", [one for one in OF_A_WORKSPACE if not one.writes], ids=str)
def test_read_key_can_read(guarded: Guarded, operation: Operation) -> None:
    with guarded.server.client(guarded.read_only) as client:
        reply = operation.send(client, "mine")
    # What is asked for by an identifier is not there, but that is told to those alone who may look.
    assert reply.status_code == 200 or reply.json()["type"] in (
        "urn:polyadic:problem:not-found",
        "urn:polyadic:problem:no-such-place",
    )


@each
def test_key_in_the_url_is_ignored(guarded: Guarded, operation: Operation) -> None:
    with guarded.server.client(params={"key": guarded.everything, "api_key": guarded.everything}) as client:
        assert operation.send(client, "mine").status_code == 401


@pytest.mark.parametrize("header", ["Authorization", "X-API-Key"])
def test_key_is_accepted_in_either_header(guarded: Guarded, header: str) -> None:
    said = guarded.mine if header == "X-API-Key" else f"bearer {guarded.mine}"
    with guarded.server.client() as client:
        reply = client.get("/v1/workspaces", headers={header: said})
    assert reply.json()["workspaces"] == ["mine"]


@pytest.mark.parametrize("path", sorted(OPEN))
def test_health_needs_no_key(guarded: Guarded, path: str) -> None:
    with guarded.server.client() as client:
        assert client.get(path).status_code == 200


@pytest.mark.parametrize("path", ["/docs/other", "/v1/openapi.json", "/v1/nowhere", "/favicon.ico"])
def test_all_other_routes_need_a_key(guarded: Guarded, path: str) -> None:
    with guarded.server.client() as client:
        assert client.get(path).status_code == 401


def test_metrics_need_a_key_for_all_workspaces(guarded: Guarded) -> None:
    with guarded.server.client(guarded.mine) as client:
        assert client.get("/metrics").status_code == 403
    with guarded.server.client(guarded.everything) as client:
        assert client.get("/metrics").status_code == 200


def test_removed_key_is_refused_immediately(guarded: Guarded) -> None:
    ring = KeyRing(keys_file(guarded.server.folder))
    key, presented = ring.add("for a while", "read", ["mine"])
    with guarded.server.client(presented) as client:
        assert client.get("/v1/workspaces/mine").status_code == 200
        ring.remove(key.id)
        assert client.get("/v1/workspaces/mine").status_code == 401


@pytest.mark.slow
def test_expired_key_is_refused_as_a_wrong_one(guarded: Guarded) -> None:
    ring = KeyRing(keys_file(guarded.server.folder))
    soon = datetime.now(UTC) + timedelta(seconds=8)
    _, presented = ring.add("for a moment", "read", ["mine"], expires=soon)
    with guarded.server.client(presented) as client:
        assert client.get("/v1/workspaces/mine").status_code == 200
        wait_until(lambda: client.get("/v1/workspaces/mine").status_code == 401)
        assert datetime.now(UTC) >= soon - timedelta(seconds=1)
        assert client.get("/v1/workspaces/mine").json()["type"] == "urn:polyadic:problem:key-needed"


def test_key_creates_and_deletes_only_its_workspaces(guarded: Guarded) -> None:
    own = add_key(guarded.server.folder, "write", "sketches")
    with guarded.server.client(own) as client:
        assert client.post("/v1/workspaces", json={"name": "sketches"}).status_code == 201
        assert client.post("/v1/workspaces", json={"name": "sketches-2"}).status_code == 404
        assert client.delete("/v1/workspaces/theirs").status_code == 404
        assert client.delete("/v1/workspaces/sketches").status_code == 204
    with guarded.server.client(guarded.everything) as client:
        assert client.get("/v1/workspaces").json()["workspaces"] == ["mine", "theirs"]
