"""Requests that start jobs: where the job is found, and what a repeated request does."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests.server.running_server import ADA, BABBAGE, finished, make

pytestmark = pytest.mark.slow

AT = "/v1/workspaces/accepted"
KEY = {"Idempotency-Key": "8e03978e-40d5-43dd-bc93-6894a57f9324"}
TEXTS = {"texts": [{"text": ADA, "source": "memory:ada"}]}


@pytest.fixture(scope="module")
def accepting(client: httpx2.Client) -> httpx2.Client:
    make(client, "accepted")
    return client


def jobs_of(client: httpx2.Client) -> list[str]:
    return [job["id"] for job in client.get(f"{AT}/jobs").json()["jobs"]]


def test_location_names_the_job(accepting: httpx2.Client) -> None:
    added = accepting.post(f"{AT}/documents/texts", json=TEXTS)
    assert added.status_code == 202
    assert accepting.get(added.headers["Location"]).json()["id"] == added.json()["id"]
    finished(accepting, "accepted", added.json()["id"])
    [document] = accepting.get(f"{AT}/documents").json()["documents"]
    retried = accepting.post(f"{AT}/jobs")
    changed = accepting.put(f"{AT}/documents/{document['id']}", json={"text": BABBAGE})
    for reply in (retried, changed):
        assert reply.headers["Location"] == f"{AT}/jobs/{reply.json()['id']}"
        finished(accepting, "accepted", reply.json()["id"])
    created = accepting.post("/v1/workspaces", json={"name": "located"})
    assert created.headers["Location"] == "/v1/workspaces/located"


def test_repeated_request_returns_its_job(accepting: httpx2.Client) -> None:
    file = {"files": ("babbage.txt", BABBAGE.encode() * 10_000)}
    requests: dict[str, dict[str, Any]] = {"documents/texts": {"json": TEXTS}, "documents/files": {"files": file}}
    for path, content in (requests | {"jobs": {}}).items():
        first = accepting.post(f"{AT}/{path}", headers=KEY, **content)
        assert first.status_code == 202, first.text
        known = jobs_of(accepting)
        repeated = accepting.post(f"{AT}/{path}", headers=KEY, **content)
        assert (repeated.status_code, repeated.json()["id"]) == (202, first.json()["id"])
        assert repeated.headers["Location"] == first.headers["Location"]
        assert finished(accepting, "accepted", first.json()["id"])["state"] == "succeeded"
        again = accepting.post(f"{AT}/{path}", headers=KEY, **content)
        assert again.json()["state"] == "succeeded"
        assert jobs_of(accepting) == known
        other = accepting.post(f"{AT}/{path}", headers={"Idempotency-Key": "another"}, **content)
        assert other.json()["id"] not in known
        finished(accepting, "accepted", other.json()["id"])


def test_key_of_another_request_is_refused(accepting: httpx2.Client) -> None:
    def post(path: str, key: str, **content: Any) -> httpx2.Response:
        return accepting.post(f"{AT}/{path}", headers={"Idempotency-Key": key}, **content)

    def file(name: str, text: bytes) -> dict[str, Any]:
        return {"files": {"files": (name, text)}}

    sent = [
        ("documents/texts", "reused-texts", {"json": TEXTS}),
        ("documents/files", "reused-files", file("ada.txt", ADA.encode())),
        ("jobs", "reused-jobs", {}),
    ]
    for path, key, content in sent:
        started = post(path, key, **content)
        assert started.status_code == 202, started.text
        finished(accepting, "accepted", started.json()["id"])
    known = jobs_of(accepting)
    reused = [
        post("documents/texts", "reused-texts", json={"texts": [{"text": BABBAGE, "source": "memory:ada"}]}),
        post("documents/texts?budget=1", "reused-texts", json=TEXTS),
        post("documents/files", "reused-files", **file("ada.txt", BABBAGE.encode())),
        post("documents/files", "reused-files", **file("babbage.txt", ADA.encode())),
        post("jobs?spend_tokens=5", "reused-jobs"),
    ]
    for reply in reused:
        assert reply.status_code == 422
        assert reply.json()["type"] == "urn:polyadic:problem:idempotency-key-reused"
        assert "other content or options: send a new key" in reply.json()["detail"]
    assert jobs_of(accepting) == known
    for path, key, content in sent:
        assert post(path, key, **content).status_code == 202


def test_simultaneous_requests_start_one_job(accepting: httpx2.Client) -> None:
    known, headers = jobs_of(accepting), {"Idempotency-Key": "simultaneous"}

    def send(_: int) -> httpx2.Response:
        return accepting.post(
            f"{AT}/documents/files", files={"files": ("big.txt", b"Ada. " * 400_000)}, headers=headers
        )

    with ThreadPoolExecutor(4) as threads:
        replies = list(threads.map(send, range(4)))
    assert {reply.status_code for reply in replies} <= {202, 409}
    [job] = {reply.json()["id"] for reply in replies if reply.status_code == 202}
    assert jobs_of(accepting) == [job, *known]
    for reply in replies:
        if reply.status_code == 409:
            assert reply.json()["type"] == "urn:polyadic:problem:request-in-progress" and reply.headers["Retry-After"]
    accepting.post(f"{AT}/jobs/{job}/cancel")


def test_refused_request_may_be_repeated(accepting: httpx2.Client) -> None:
    headers = {"Idempotency-Key": "first refused"}
    assert accepting.post(f"{AT}/documents/texts", json=TEXTS, headers=headers).status_code == 422
    headers = {"Idempotency-Key": "first-refused"}
    wrong = {"files": ("program.exe", b"MZ")}
    assert accepting.post(f"{AT}/documents/files", files=wrong, headers=headers).status_code == 415
    right = accepting.post(f"{AT}/documents/files", files={"files": ("a.txt", b"Ada met Babbage.")}, headers=headers)
    assert right.status_code == 202
    finished(accepting, "accepted", right.json()["id"])
