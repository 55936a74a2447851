"""What a source is called tells nobody what lies on the server's disk, and lets nobody hear more than was named."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.indexing.workspace_roots import record_roots
from polyadic.model.identity import document_id
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.mcp.running_server import over_http
from tests.server.running_server import Running, running

pytestmark = pytest.mark.slow

PATH = "/v1/workspaces/letters"
HASHING = Settings(embedding=EmbeddingSettings(model="hashing"))
PUBLIC = "Ada Lovelace met Charles Babbage in London."
HIDDEN = "Ada Lovelace hid the Difference Letters in Turin."


@pytest.fixture(params=["linked", "missing", "a file"])
def lies(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A path of the server: it leads elsewhere, or nowhere, or to a file of its own."""
    path = tmp_path / "shown"
    if request.param == "linked":
        path.symlink_to(tmp_path / "hidden")
    elif request.param == "a file":
        path.write_text("other words")
    return path


@pytest.fixture
def serving(folder: Path, lies: Path) -> Iterator[Running]:
    """A workspace with a document that is called like this path, one below it, and two of the path it may lead to.

    The folder of the path is a root of the workspace.
    """
    hidden = lies.with_name("hidden")
    documents = [
        Document(str(lies), "", PUBLIC),
        Document(f"{lies}/below.md", "", PUBLIC),
        Document(str(hidden), "", HIDDEN),
        Document(f"{hidden}/below.md", "", HIDDEN),
    ]
    with Workspace(folder / "letters", HASHING) as kb:
        kb.add(documents)
        record_roots(kb.store(), [str(lies.parent)])
    with running(folder) as server:
        yield server


def heard(found: list[dict[str, Any]]) -> set[str]:
    return {place["source"] for item in found for place in item["places"]}


def test_filter_selects_documents_by_identifier_only(serving: Running, lies: Path) -> None:
    only = {"documents": [document_id(str(lies))]}
    asked = {"question": "What of Ada Lovelace?", "method": "chunks", "only": only}
    with serving.client() as client:
        found = client.post(f"{PATH}/retrieve", json=asked).json()
    assert heard(found["items"]) == {"shown"}


def test_agent_filter_matches_names_not_server_paths(serving: Running, lies: Path) -> None:
    asked = {"question": "Ada Lovelace", "method": "chunks", "answer": False, "documents": ["shown"]}
    found = called(serving, "query", **asked).structured_content
    assert heard(found["knowledge"]) == {"shown", "shown/below.md"}
    words = called(serving, "search_facts", words="Ada Lovelace", documents=["shown"]).structured_content
    assert heard(words["facts"]) == {"shown", "shown/below.md"}
    assert called(serving, "query", **asked | {"documents": [str(lies)]}).is_error


def test_unknown_document_response_does_not_reveal_files(serving: Running, lies: Path) -> None:
    for name in (f"{lies.parent}/shown/nothing.md", str(lies.parent / "served"), "/etc/passwd", "/etc/nothing"):
        said = called(serving, "query", question="Who?", documents=[name])
        assert said.is_error and said.content[0].text.startswith(f"no document matches '{name[:40]}")


def test_delete_removes_the_identified_document_only(serving: Running, lies: Path) -> None:
    with serving.client() as client:
        assert client.delete(f"{PATH}/documents/{document_id(str(lies))}").status_code == 204
        assert client.delete(f"{PATH}/documents/{document_id(str(lies))}").status_code == 404
        assert sorted(sources(client)) == ["hidden", "hidden/below.md", "shown/below.md"]


def sources(client: httpx2.Client) -> list[str]:
    return [one["source"] for one in client.get(f"{PATH}/documents").json()["documents"]]


def called(serving: Running, tool: str, **arguments: Any) -> Any:
    async def call() -> Any:
        async with over_http(f"{serving.url}/mcp/letters") as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(call())
