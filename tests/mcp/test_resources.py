"""Documents as resources: pages of them, parts of long ones, and addresses that are none."""

from typing import Any

import pytest
from mcp import Client, MCPError

from tests.mcp.conftest import ADA, DOCUMENTS
from tests.mcp.running_server import Connect, asked, result

ADA_URI = f"polyadic://document/{DOCUMENTS[0].id}"


def contents(connect: Connect, uri: str) -> dict[str, Any]:
    async def work(client: Client) -> dict[str, Any]:
        (read,) = (await client.read_resource(uri)).contents
        return read.model_dump(by_alias=True)

    return asked(connect, work)


def test_part_of_a_document_is_read(main: Connect) -> None:
    read = contents(main, f"{ADA_URI}?start=4&end=12")
    assert read["text"] == "Lovelace"
    assert read["mimeType"] == "text/plain"
    assert read["_meta"]["polyadic/characters"] == len(ADA)
    assert read["_meta"]["polyadic/next"] == f"{ADA_URI}?start=12"
    assert contents(main, f"{ADA_URI}?start=12")["text"] == ADA[12:]


@pytest.mark.slow
def test_a_long_document_is_read_part_by_part(own: Connect) -> None:
    text = "".join(f"Eve Adams sent letter {n} to Noah Webster in Ghent.\n" for n in range(2_100))
    uri: str | None = result(own, "add_document", name="long", text=text)["uri"]
    parts = []
    while uri:
        read = contents(own, uri)
        assert len(read["text"]) <= 50_000
        parts.append(read["text"])
        uri = read["_meta"].get("polyadic/next")
    assert "".join(parts) == text
    assert len(parts) == 3


@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc/passwd",
        "polyadic://document/",
        "polyadic://document/ada.md",
        "polyadic://document/../../etc/passwd",
        "polyadic://other/" + "0" * 32,
        f"{ADA_URI}/..",
        f"{ADA_URI}#part",
        f"{ADA_URI}?start=-1",
        f"{ADA_URI}?start=5&end=4",
        f"{ADA_URI}?start=1&start=2",
        f"{ADA_URI}?start=１",
        f"{ADA_URI}?start={'9' * 5_000}",
        f"{ADA_URI}?from=1",
        f"{ADA_URI}?{'&'.join(['start=1'] * 1_000)}",
        "polyadic://[",
        "",
    ],
)
def test_invalid_resource_uri_is_refused(main: Connect, uri: str) -> None:
    with pytest.raises(MCPError) as raised:
        contents(main, uri)
    assert raised.value.code == -32602
    assert raised.value.message.startswith("there is no such resource: resources are polyadic://document/ID")


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        (f"polyadic://document/{'0' * 32}", "no document matches"),
        (f"{ADA_URI}?start=100000", "so none from 100,000 on"),
    ],
)
def test_missing_resource_is_reported(main: Connect, uri: str, message: str) -> None:
    with pytest.raises(MCPError, match=message) as raised:
        contents(main, uri)
    assert raised.value.code == -32602


@pytest.mark.slow
def test_pagination_is_stable_while_documents_change(own: Connect) -> None:
    def add(name: str) -> None:
        result(own, "add_document", name=name, text=f"Eve Adams wrote letter {name} to Noah Webster.")

    before, seen, cursor = [f"{n}" for n in range(2, 7)], [], None
    for name in before:
        add(name)
    for new in ("1", "31", "9"):
        page = result(own, "list_documents", limit=2, after=cursor)
        assert page["total"] >= len(before)
        seen += [one["source"].removeprefix("mcp:") for one in page["documents"]]
        cursor = page["next"]
        add(new)
    assert seen == ["2", "3", "4", "5", "6", "9"][: len(seen)] and set(before) <= set(seen)
    assert result(own, "list_documents", limit=2, after="mcp:6")["next"] is None


def test_resources_are_paginated(own: Connect) -> None:
    for n in range(3):
        result(own, "add_document", name=f"{n}", text=f"Eve Adams wrote letter {n} to Noah Webster.")

    async def work(client: Client) -> list[str]:
        whole = await client.list_resources()
        rest = await client.list_resources(cursor="mcp:0")
        assert whole.next_cursor is None and rest.next_cursor is None
        return [str(one.name) for one in (*whole.resources, *rest.resources)]

    assert asked(own, work) == ["mcp:0", "mcp:1", "mcp:2", "mcp:1", "mcp:2"]
