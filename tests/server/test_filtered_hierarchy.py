"""A key with a document filter sees nothing of the hierarchy that other documents say."""

from pathlib import Path
from typing import Any

import pytest

from polyadic.model.types import Document
from polyadic.server.api_keys import KeyRing, keys_file
from polyadic.workspace import Workspace
from tests.server.running_server import running
from tests.server.test_filtered_keys import HERE, make_workspace

pytestmark = pytest.mark.slow


def test_hierarchy_shows_nothing_based_on_hidden_documents(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="building a hierarchy needs the extra hierarchy")
    examples = sorted((Path(__file__).parents[2] / "examples" / "spaceflight").glob("*.md"))[:8]
    texts = [file.read_text() for file in examples]
    documents = [Document(f"memory:{n}", "", text, {"half": str(n % 2)}) for n, text in enumerate(texts)]
    folder = tmp_path / "served"
    make_workspace(folder / "kb", documents)
    make_workspace(tmp_path / "other" / "kb", documents[::2])
    with Workspace(folder / "kb") as kb, Workspace(tmp_path / "other" / "kb") as half:
        kb.hierarchy.build(by="extractive")
        known = {fact["id"] for fact in facts_of(half)}
        summaries = [one.id for one in hierarchy_of(kb).summaries]
        communities = [one.id for one in hierarchy_of(kb).communities if one.report]
        names = {entity.name for entity in entities_of(half)}
    key = KeyRing(keys_file(folder)).add("half", "read", ["kb"], {"half": "0"})[1]
    with running(folder, keyed=True) as server, server.client(key) as client:
        shown = 0
        for kind, identifiers in (("summaries", summaries), ("communities", communities)):
            for identifier in identifiers:
                reply = client.get(f"{HERE}/hierarchy/{kind}/{identifier}")
                if reply.status_code == 404:
                    continue
                shown += 1
                body = reply.json()
                assert {one["name"] for one in body.get("entities", [])} <= names
                assert {fact["id"] for finding in body.get("findings", []) for fact in finding["facts"]} <= known
        assert shown < len(summaries) + len(communities)
        for tree in ("summaries", "communities"):
            nodes = client.get(f"{HERE}/hierarchy").json()[tree]["nodes"]
            assert all(client.get(f"{HERE}/hierarchy/{tree}/{node['id']}").status_code == 200 for node in nodes)


def hierarchy_of(kb: Workspace) -> Any:
    with kb.store().read() as reader:
        return reader.records.hierarchy()


def facts_of(kb: Workspace) -> list[dict[str, str]]:
    with kb.store().read() as reader:
        return [{"id": fact.id} for fact in reader.facts(reader.rows("fact"))]


def entities_of(kb: Workspace) -> list[Any]:
    with kb.store().read() as reader:
        return reader.entities(reader.rows("entity"))
