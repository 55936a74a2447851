"""GraphML opens where graphs are opened."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyadic.interchange.export import export_file
from polyadic.model.types import Document, Evidence
from tests.interchange.workspaces import ADA, BABBAGE, collections, drafts, fill, workspace


def test_networkx_opens_it(tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx", reason="networkx is not installed (pip install networkx)")
    with workspace(tmp_path / "kb") as kb:
        kb.add([Document("memory:a", "Ada <&> Co", ADA), Document("memory:b", "", BABBAGE)])
        export_file(kb, "graphml", tmp_path / "kb.graphml")
        graph = networkx.read_graphml(tmp_path / "kb.graphml")
        counts = kb.status().counts
        facts = {node: said for node, said in graph.nodes(data=True) if said["kind"] == "fact"}
        entities = {node: said for node, said in graph.nodes(data=True) if said["kind"] == "entity"}
        assert (len(facts), len(entities), graph.number_of_edges()) == (
            counts.facts,
            counts.entities,
            counts.participations,
        )
        assert networkx.is_bipartite(graph)
        (known,) = kb.facts_containing(["Charles Babbage", "Ada Lovelace"])
        assert facts[known.id] == {"kind": "fact", "text": known.text, "score": known.score, "support": known.support}
        assert {entities[node]["name"] for node in graph[known.id]} == set(known.entities)
        entity = kb.show_entity("Ada Lovelace").entity
        assert entities[entity.id]["score"] == entity.score


@pytest.mark.slow
@given(collections, st.lists(drafts, min_size=1, max_size=6))
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_any_text_can_be_written(
    tmp_path_factory: pytest.TempPathFactory, documents: list[Document], pool: list[Evidence]
) -> None:
    networkx = pytest.importorskip("networkx", reason="networkx is not installed (pip install networkx)")
    folder = tmp_path_factory.mktemp("any")
    with workspace(folder / "kb") as kb:
        fill(kb, documents, pool)
        export_file(kb, "graphml", folder / "kb.graphml")
        graph = networkx.read_graphml(folder / "kb.graphml")
        found = {said["text"] for _, said in graph.nodes(data=True) if said["kind"] == "fact"}
        assert found <= {" ".join(said.text.split()).replace("\x01", "\ufffd") for said in pool}
