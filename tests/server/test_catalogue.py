"""Going through all entities and facts, and how a workspace is set up and whether it is well."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from polyadic.config import METHODS
from tests.server.running_server import Running, make, running

WORKSPACE = "/v1/workspaces/letters"


def everything(client: httpx2.Client, path: str, items: str, **query: Any) -> list[dict[str, Any]]:
    """All items of a list, two a page."""
    found: list[dict[str, Any]] = []
    start: int | None = 0
    while start is not None:
        page = client.get(f"{WORKSPACE}/catalogue/{path}", params={"limit": 2, "start": start, **query}).json()
        assert len(page[items]) == 2 or page["next"] is None
        found += page[items]
        start = page["next"]
    return found


@pytest.mark.slow
def test_entity_pages_contain_each_once_by_degree(client: httpx2.Client) -> None:
    entities = everything(client, "entities", "entities")
    counts = client.get(WORKSPACE).json()["counts"]
    assert len({one["id"] for one in entities}) == len(entities) == counts["entities"]
    facts = [one["facts"] for one in entities]
    assert facts == sorted(facts, reverse=True)
    assert client.get(f"{WORKSPACE}/catalogue/entities").json()["total"] == counts["entities"]


@pytest.mark.parametrize("prefix", ["ada", "LOVE", "ada love", "  The Analytical"])
def test_entities_are_filtered_by_word_prefix(client: httpx2.Client, prefix: str) -> None:
    known = {one["id"]: one["key"] for one in everything(client, "entities", "entities")}
    beginning = prefix.lower().strip().removeprefix("the ")
    chosen = {one["id"] for one in everything(client, "entities", "entities", prefix=prefix)}
    assert chosen == {key for key, name in known.items() if f" {beginning}" in f" {name}"} and chosen


def test_types_have_counts_and_filter_entities(client: httpx2.Client) -> None:
    types = client.get(f"{WORKSPACE}/catalogue/types").json()
    assert types["complete"] and sum(one["entities"] for one in types["types"]) == len(
        everything(client, "entities", "entities")
    )
    for one in types["types"]:
        of_type = everything(client, "entities", "entities", type=one["type"])
        assert len(of_type) == one["entities"] and {entity["type"] for entity in of_type} == {one["type"]}
    assert everything(client, "entities", "entities", type="no such type") == []


def test_fact_pages_contain_each_once_and_filter_by_arity(client: httpx2.Client) -> None:
    facts = everything(client, "facts", "facts")
    arities = client.get(WORKSPACE).json()["arities"]
    assert len({one["id"] for one in facts}) == len(facts) == sum(arities.values())
    for arity, count in arities.items():
        chosen = everything(client, "facts", "facts", arity=arity)
        assert len(chosen) == count and {len(one["entities"]) for one in chosen} == {int(arity)}


@pytest.mark.parametrize("query", [{"start": -1}, {"limit": 0}, {"limit": 201}])
def test_invalid_page_is_refused(client: httpx2.Client, query: dict[str, int]) -> None:
    for path in ("entities", "facts"):
        assert client.get(f"{WORKSPACE}/catalogue/{path}", params=query).status_code == 422


def test_healthy_workspace_passes_the_health_check(client: httpx2.Client, server: Running) -> None:
    reply = client.get(f"{WORKSPACE}/check")
    found = {one["what"]: one for one in reply.json()["findings"]}
    assert list(found) == ["disk", "store", "embedding", "model", "hierarchy"]
    assert {one["state"] for name, one in found.items() if name != "disk"} == {"good"}
    assert "consistent: 2 documents" in found["store"]["detail"] and str(server.folder) not in reply.text


@pytest.fixture
def set_up(folder: Path) -> Iterator[httpx2.Client]:
    """A workspace whose settings name endpoints and keys."""
    with running(folder) as server, server.client() as client:
        make(client, "letters")
        (folder / "letters" / "polyadic.toml").write_text(
            '[model]\nname = "speaking"\nbase_url = "http://secret:word@inside.example/v1"\n'
            'key_variable = "HIDDEN_KEY"\n[chunking]\ntokens = 300\n[retrieval]\nmethod = "walk"\n'
        )
        yield client


def test_settings_omit_addresses_and_keys(set_up: httpx2.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDEN_KEY", "the-key-itself")
    reply = set_up.get(f"{WORKSPACE}/settings")
    shown = reply.json()
    assert (shown["model"], shown["extractor"], shown["answers"]) == ("speaking", "model", "model")
    assert (shown["chunk_tokens"], shown["method"], shown["methods"]) == (300, "walk", list(METHODS))
    check = set_up.get(f"{WORKSPACE}/check").text
    for hidden in ("inside.example", "secret:word", "HIDDEN_KEY", "the-key-itself"):
        assert hidden not in reply.text + check


@pytest.mark.parametrize("is_there", [True, False])
def test_missing_model_key_is_detected_without_a_call(
    set_up: httpx2.Client, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    if is_there:
        monkeypatch.setenv("HIDDEN_KEY", "the-key-itself")
    found = {one["what"]: one for one in set_up.get(f"{WORKSPACE}/check").json()["findings"]}
    assert found["model"]["state"] == ("good" if is_there else "bad") and "speaking" in found["model"]["detail"]
    assert bool(found["model"]["next_step"]) is not is_there


@pytest.mark.slow
def test_damaged_store_is_detected(folder: Path) -> None:
    import sqlite3

    with running(folder) as server, server.client() as client:
        make(client, "letters", "Ada Lovelace met Charles Babbage in London.")
    with sqlite3.connect(folder / "letters" / "store.sqlite") as connection:
        connection.execute("UPDATE fact SET score = score + 1")
    shutil.rmtree(folder / "letters" / "derived", ignore_errors=True)
    with running(folder) as server, server.client() as client:
        found = {one["what"]: one for one in client.get(f"{WORKSPACE}/check").json()["findings"]}
    assert (found["store"]["state"], "damaged" in found["store"]["detail"]) == ("bad", True)
