"""Entity curation over HTTP: merge, rename, split, cannot-link, review and undo."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.server.running_server import finished, running

pytestmark = pytest.mark.slow
HERE = "/v1/workspaces/kb"
LENDING = (
    "The International Monetary Fund (IMF) lends to Argentina. The IMF sits in Washington."
    " São Paulo borrowed from the World Bank, and Sao Paulo paid it back to the World Bank in 2019."
)
PLANETS = "Mercury orbits the Sun. Mercury is smaller than Venus."
GODS = "Mercury carried messages to Jupiter. The Romans prayed to Mercury."
NEIL = "Neil Armstrong commanded Apollo 11.\n\nArmstrong walked on the Moon in 1969.\n\nNASA honoured Armstrong."
LOUIS = "Louis Armstrong played in New Orleans.\n\nArmstrong sang in Chicago.\n\nJoe Oliver taught Armstrong."
DOCUMENTS = [
    Document("memory:lending", "Lending", LENDING),
    Document("memory:planets", "", PLANETS),
    Document("memory:gods", "", GODS),
]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx2.Client]:
    folder = tmp_path / "served"
    with Workspace(folder / "kb") as kb:
        kb.add(DOCUMENTS)
    with running(folder) as server, server.client() as client:
        yield client


def decide(client: httpx2.Client, **decision: Any) -> dict[str, Any]:
    reply = client.post(f"{HERE}/resolution/decisions", json=decision)
    assert reply.status_code == 200, reply.text
    made: dict[str, Any] = reply.json()
    return made


def refused(client: httpx2.Client, status: int, **decision: Any) -> str:
    before = client.get(f"{HERE}/export").content
    reply = client.post(f"{HERE}/resolution/decisions", json=decision)
    assert reply.status_code == status, reply.text
    assert client.get(f"{HERE}/export").content == before
    return str(reply.json().get("detail"))


def facts_of(client: httpx2.Client, entity: str) -> set[str]:
    found = client.get(f"{HERE}/entities/{entity}")
    return {fact["text"] for fact in found.json()["facts"]} if found.status_code == 200 else set()


def named(client: httpx2.Client, name: str) -> dict[str, Any]:
    entity: dict[str, Any] = client.get(f"{HERE}/entities", params={"q": name}).json()["entities"][0]["entity"]
    return entity


def test_review_shows_the_evidence_of_both_entities(client: httpx2.Client) -> None:
    review = client.get(f"{HERE}/resolution/review").json()
    [pair] = [one for one in review["candidates"] if {one["one"]["name"], one["other"]["name"]} >= {"IMF"}]
    assert review["total"] >= 2 and 0.9 < pair["score"] <= 1 and pair["why"]
    for side in (pair["one"], pair["other"]):
        assert side["id"] == named(client, side["name"])["id"]
        assert side["evidence"] and len(side["evidence"]) == min(3, side["facts"])
        for evidence in side["evidence"]:
            assert side["name"] in evidence["fact"]["text"]
            [place] = evidence["places"]
            assert LENDING[place["start"] : place["end"]] == place["quote"] and place["title"] == "Lending"


def test_review_comes_in_pages(client: httpx2.Client) -> None:
    def page(start: int, limit: int) -> dict[str, Any]:
        reply = client.get(f"{HERE}/resolution/review", params={"start": start, "limit": limit})
        found: dict[str, Any] = reply.json()
        return found

    whole, found, start = page(0, 200), [], 0
    assert whole["next"] is None and whole["total"] == len(whole["candidates"]) >= 2
    while start is not None:
        one = page(start, 1)
        assert len(one["candidates"]) == 1 and one["total"] == whole["total"]
        assert one["homonyms"] == ([] if start else whole["homonyms"])
        found += one["candidates"]
        start = one["next"]
    assert found == whole["candidates"]
    assert page(whole["total"], 1)["candidates"] == []


def test_senses_of_an_ambiguous_name_come_with_evidence_from_their_documents(client: httpx2.Client) -> None:
    texts = [{"source": "memory:moon", "text": NEIL}, {"source": "memory:jazz", "text": LOUIS}]
    job = client.post(f"{HERE}/documents/texts", json={"texts": texts}).json()["id"]
    assert finished(client, "kb", job)["state"] == "succeeded"
    [homonym] = client.get(f"{HERE}/resolution/review").json()["homonyms"]
    assert homonym["name"] == "Armstrong" and homonym["why"]
    [kept] = decide(client, kind="keep", name="Armstrong")["decided"]
    review = client.get(f"{HERE}/resolution/review").json()
    assert review["homonyms"] == []
    assert not any("ambiguous" in pair["why"] for pair in review["candidates"])
    assert client.delete(f"{HERE}/resolution/decisions/{kept['id']}").status_code == 204
    assert client.get(f"{HERE}/resolution/review").json()["homonyms"] == [homonym]
    assert refused(client, 404, kind="keep", name="Nobody")
    for sense, name, text in zip(homonym["senses"], ("Louis Armstrong", "Neil Armstrong"), (LOUIS, NEIL), strict=True):
        assert sense["name"] == name
        places = [place for one in sense["evidence"] for place in one["places"]]
        assert len(places) == 2 and [place["document"] for place in places] == sense["documents"] * 2
        assert all("Armstrong" in place["quote"] and place["quote"] in text for place in places)
        split = {"kind": "split", "name": "Armstrong", "into": name, "documents": sense["documents"]}
        assert decide(client, **split)["decided"]
    assert client.get(f"{HERE}/resolution/review").json()["homonyms"] == []


def test_pair_is_merged_and_the_merge_undone(client: httpx2.Client) -> None:
    before = client.get(f"{HERE}/export").content
    one, other = named(client, "IMF"), named(client, "International Monetary Fund")
    facts = facts_of(client, one["id"]) | facts_of(client, other["id"])
    [merged] = decide(client, kind="merge", names=[one["id"], other["id"]], into="The Fund")["decided"]
    assert facts_of(client, merged["entity"]) == facts
    assert named(client, "IMF")["name"] == "The Fund"
    [listed] = client.get(f"{HERE}/resolution/decisions").json()["decisions"]
    assert listed["at"] and listed | {"at": ""} == merged
    assert decide(client, kind="merge", names=["IMF", "International Monetary Fund"])["decided"] == []
    assert client.delete(f"{HERE}/resolution/decisions/{merged['id']}").status_code == 204
    assert client.get(f"{HERE}/export").content == before
    assert client.delete(f"{HERE}/resolution/decisions/{merged['id']}").status_code == 404


def test_entity_is_renamed(client: httpx2.Client) -> None:
    entity = named(client, "IMF")
    facts = facts_of(client, entity["id"])
    [renamed] = decide(client, kind="rename", name=entity["id"], into="Fund of Washington")["decided"]
    assert facts_of(client, renamed["entity"]) == facts and named(client, "IMF")["name"] == "Fund of Washington"
    again = decide(client, kind="rename", name="IMF", into="Fund")
    assert [one["id"] for one in again["undone"]] == [renamed["id"]]
    assert "another entity" in refused(client, 409, kind="rename", name="Fund", into="argentina")


def test_name_is_split_in_one_document(client: httpx2.Client) -> None:
    [planets] = [one.id for one in DOCUMENTS[1:2]]
    [split] = decide(client, kind="split", name="Mercury", into="Mercury (planet)", documents=[planets])["decided"]
    assert facts_of(client, split["entity"]) <= {"Mercury orbits the Sun.", "Mercury is smaller than Venus."}
    assert facts_of(client, split["entity"]) and not facts_of(client, split["entity"]) & {
        "Mercury carried messages to Jupiter."
    }
    assert refused(client, 404, kind="split", name="Mercury", into="X", documents=["0" * 32])
    assert refused(client, 404, kind="split", name="Argentina", into="X", documents=[planets])
    assert refused(client, 422, kind="split", name="Mercury", into="X", documents=["memory:planets"])


def test_rejected_pair_is_not_proposed_again_and_not_merged(client: httpx2.Client) -> None:
    decide(client, kind="cannot-link", names=["IMF", "International Monetary Fund"])
    review = client.get(f"{HERE}/resolution/review").json()
    assert not [one for one in review["candidates"] if "IMF" in (one["one"]["name"], one["other"]["name"])]
    detail = refused(client, 409, kind="merge", names=["IMF", "International Monetary Fund"])
    assert "cannot-link" in detail and "polyadic" not in detail


@pytest.mark.parametrize(
    ("status", "decision"),
    [
        (404, {"kind": "merge", "names": ["IMF", "Nobody at All"]}),
        (404, {"kind": "rename", "name": "Nobody at All", "into": "X"}),
        (409, {"kind": "merge", "names": ["IMF", "imf"]}),
        (422, {"kind": "merge", "names": ["IMF"]}),
        (422, {"kind": "rename", "name": "IMF", "into": " "}),
        (422, {"kind": "cannot-link", "names": ["IMF", "Argentina", "Venus"]}),
        (422, {"kind": "forget", "name": "IMF"}),
    ],
)
def test_wrong_decisions_change_nothing(client: httpx2.Client, status: int, decision: dict[str, Any]) -> None:
    refused(client, status, **decision)
    assert client.get(f"{HERE}/resolution/decisions").json() == {"decisions": []}
