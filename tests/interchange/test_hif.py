"""HIF: what its schema asks for, what any hypergraph becomes here, and what others make of ours."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from polyadic.interchange.export import export_file
from polyadic.interchange.hif_reader import parse_hif
from polyadic.interchange.import_file import import_file
from polyadic.interchange.validation import InvalidFile
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.interchange.workspaces import ADA, canonical_text, contents, workspace

DATA = Path(os.environ.get("POLYADIC_DATA", ""), "hif")
HAS_DATA = "POLYADIC_DATA" in os.environ
WHAT_IS_WRONG = {
    "bad_edge_field": "edges[0].test: this field is not part of the format",
    "bad_edge_without_id": "edges[0].edge: field required",
    "bad_incidence_field": "incidences[0].test: this field",
    "bad_network_type": "network-type: input should be 'undirected', 'directed' or 'asc'",
    "bad_node_field": "nodes[0].test: this field",
    "bad_node_float": "nodes[0].node: an identifier must be a string or a whole number",
    "bad_node_without_id": "nodes[0].node: field required",
    "bad_top_level_field": "test: this field",
    "empty": "incidences: field required",
    "extra_fields_with_direction": "incidences[0].extra_field: this field",
    "invalid_direction_value": "incidences[0].direction: input should be 'head' or 'tail'",
    "metadata_as_list": "metadata: input should be an object",
    "missing_required_field_incidence": "incidences[0].node: field required",
    "missing_required_fields_with_direction": "incidences[0].edge: field required",
    "single_incidence_with_direction_not_in_enum": "incidences[0].direction: input should be",
    "single_incidence_with_weight_as_string": "incidences[0].weight: input should be a valid number",
}
needs_data = pytest.mark.skipif(not HAS_DATA, reason="POLYADIC_DATA is not set")


def write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path


@pytest.mark.data
@needs_data
def test_compliant_files_are_imported(tmp_path: Path) -> None:
    files = sorted((DATA / "HIF-compliant").iterdir())
    assert len(files) == 15
    for file in files:
        with workspace(tmp_path / file.stem) as kb:
            report = import_file(kb, file)
            given = json.loads(file.read_text())
            edges = {json.dumps(e["edge"]) for e in (*given["incidences"], *given.get("edges", []))}
            nodes = {json.dumps(n["node"]) for n in given.get("nodes", [])}
            nodes -= {json.dumps(i["node"]) for i in given["incidences"]}
            # Every edge and every isolated node is counted evidence; a node with attributes may be evidence besides.
            assert report.evidence >= len(edges) + len(nodes)
            assert report.added == report.evidence == report.without_fact


@pytest.mark.data
@needs_data
def test_other_files_are_refused_with_a_reason(tmp_path: Path) -> None:
    files = sorted((DATA / "HIF-non-compliant").iterdir())
    assert {file.stem for file in files} == WHAT_IS_WRONG.keys()
    for file in files:
        with workspace(tmp_path / "kb") as kb, pytest.raises(InvalidFile) as refusal:
            import_file(kb, file)
        assert WHAT_IS_WRONG[file.stem] in str(refusal.value)
        assert "\n" not in str(refusal.value)
    assert not (tmp_path / "kb").exists()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "EOF while parsing"),
        (b"[]", "input should be an object"),
        (b"\xff", "invalid JSON"),
        (b'{"incidences": ' + b"[" * 100_000, "recursion limit"),
        (b'{"incidences": [], "metadata": {"a": ' + b"[" * 5_000 + b"]" * 5_000 + b"}}", "recursion limit"),
        (b'{"incidences": [{"edge": ' + b"9" * 6_000 + b', "node": 1}]}', "out of range"),
        (b'{"incidences": [{"edge": ' + b"9" * 200 + b', "node": 1}]}', "so many digits"),
        (b'{"incidences": [{"edge": 1, "node": true}]}', "incidences[0].node"),
        (b'{"incidences": [{"edge": 1, "node": 1, "weight": NaN}]}', "finite"),
        (b'{"incidences": [{"edge": 1, "node": 1, "weight": null}]}', "incidences[0].weight"),
        (b'{"incidences": [{"edge": 1, "node": 1, "attrs": null}]}', "incidences[0].attrs"),
    ],
)
def test_untrusted_content_is_validated(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidFile) as refusal:
        parse_hif(data, "x.json")
    assert reason in str(refusal.value)


def test_byte_order_mark_is_accepted() -> None:
    assert parse_hif(b'\xef\xbb\xbf{"incidences": []}', "x.json").incidences == []


def test_foreign_edge_becomes_a_document_with_its_attributes(tmp_path: Path) -> None:
    file = write(
        tmp_path / "chemistry.json",
        {
            "network-type": "directed",
            "metadata": {"creator": "somebody"},
            "nodes": [
                {"node": 1, "weight": 3, "attrs": {"name": "water", "type": "compound", "score": 80}},
                {"node": 2, "attrs": {"name": "oxygen", "color": "blue"}},
                {"node": "alone", "attrs": {"description": "in no edge"}},
            ],
            "edges": [
                {"edge": "r", "weight": -2.5, "attrs": {"text": "Water gives oxygen.", "score": 9, "n": {"a": 1}}}
            ],
            "incidences": [
                {"edge": "r", "node": 1, "weight": 2, "direction": "tail", "attrs": {"role": "reactant"}},
                {"edge": "r", "node": 2, "direction": "head"},
                {"edge": "single", "node": 2},
            ],
        },
    )
    with workspace(tmp_path / "kb") as kb:
        report = import_file(kb, file)
        by_source = {t.document.source.removeprefix(f"{file}#"): t for t in contents(kb)}
        reaction = by_source["edge/r"]
        assert reaction.document.text == "Water gives oxygen."
        assert reaction.document.metadata == {
            "weight": "-2.5",
            "attrs.n": '{"a": 1}',
            "incidence 1": '{"weight": 2.0, "attrs": {"role": "reactant"}, "direction": "tail"}',
            "incidence 2": '{"direction": "head"}',
        }
        (said,) = reaction.chunk_exports[0].evidence
        assert [(p.name, p.type, p.score) for p in said.participants] == [("water", "compound", 80), ("oxygen", "", 50)]
        assert said.score == 9
        assert by_source["edge/single"].document.text == "single: oxygen"
        assert by_source["node/1"].document.metadata == {"weight": "3.0"}
        assert by_source["node/2"].document.metadata == {"attrs.color": "blue"}
        assert by_source["node/alone"].document.text == "alone: in no edge"
        assert (report.added, report.evidence_with_fact, report.without_fact) == (5, 1, 4)
        assert report.problems == {"file metadata not kept: creator": 1}
        assert import_file(kb, file).unchanged == 5


def test_unusable_scores_are_kept_as_metadata(tmp_path: Path) -> None:
    nodes = [{"node": "a", "attrs": {"score": 900}}, {"node": "b", "attrs": {"score": True, "name": 7}}]
    edges = [{"edge": "e", "attrs": {"score": -1, "text": ["no", "text"]}}]
    incidences = [{"edge": "e", "node": "a"}, {"edge": "e", "node": "b"}]
    with workspace(tmp_path / "kb") as kb:
        import_file(kb, write(tmp_path / "x.json", {"nodes": nodes, "edges": edges, "incidences": incidences}))
        said = {content.document.source.partition("#")[2]: content.document.metadata for content in contents(kb)}
        assert said == {
            "edge/e": {"attrs.score": "-1", "attrs.text": '["no", "text"]'},
            "node/a": {"attrs.score": "900"},
            "node/b": {"attrs.score": "true", "attrs.name": "7"},
        }
        (fact,) = kb.facts_containing(["a", "b"])
        assert (fact.text, fact.score) == ("e: a, b", 5.0)


def test_numeric_and_string_ids_stay_distinct(tmp_path: Path) -> None:
    incidences = [{"edge": edge, "node": node} for edge in (1, "1", '"1"', "a\nb") for node in ("x", "y")]
    with workspace(tmp_path / "kb") as kb:
        report = import_file(kb, write(tmp_path / "x.json", {"incidences": incidences}))
        names = [content.document.source.partition("#")[2] for content in contents(kb)]
        assert sorted(names) == sorted(["edge/1", 'edge/"1"', r'edge/"\"1\""', r'edge/"a\nb"'])
        assert report.evidence_with_fact == 4


def test_nodes_of_one_name_are_reported(tmp_path: Path) -> None:
    nodes = [{"node": "Ada"}, {"node": "ada"}, {"node": "b"}]
    incidences = [{"edge": "e", "node": n["node"]} for n in nodes]
    with workspace(tmp_path / "kb") as kb:
        report = import_file(kb, write(tmp_path / "x.json", {"nodes": nodes, "incidences": incidences}))
        assert report.problems == {"nodes merged into the entity of another with the same name": 1}


def exported_ada(kb: Workspace, file: Path) -> dict[str, Any]:
    kb.add([Document("memory:ada", "Ada", ADA)])
    export_file(kb, "hif", file)
    value: dict[str, Any] = json.loads(file.read_text())
    return value


def test_an_export_that_was_changed_is_refused(tmp_path: Path) -> None:
    with workspace(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        value = exported_ada(first, tmp_path / "kb.json")
        del value["incidences"][0]
        with pytest.raises(InvalidFile, match="does not match its documents"):
            import_file(second, write(tmp_path / "kb.json", value))
        del value["metadata"]["polyadic"]
        report = import_file(second, write(tmp_path / "kb.json", value))
        assert report.evidence >= len(value["edges"])


@pytest.mark.parametrize(
    ("path", "bad", "reason"),
    [
        (("chunks", 0, "end"), 10_000, "chunk 0 lies outside the text"),
        (("chunks", 0, "start"), -1, "documents[0].chunks[0].start"),
        (("chunks", 0, "evidence", 0, "spans"), [[5, 2]], "evidence outside the text"),
        (("chunks", 0, "evidence", 0, "spans"), [[5]], "evidence outside the text"),
        (("chunks", 0, "evidence", 0, "score"), 0.0, "documents[0].chunks[0].evidence[0].score"),
        (("chunks", 0, "failure"), "no reply", "has failed and has evidence"),
        (("pipeline_config",), "no JSON", "a pipeline_config must be a JSON object"),
        (("pages",), [3, 1], "page offsets must increase"),
        (("source",), " ", "documents[0].source: it is blank"),
        (("text",), "\0", "NUL"),
        (("metadata",), {"year": 1843}, "documents[0].metadata.year: input should be a valid string"),
    ],
)
def test_documents_are_checked(tmp_path: Path, path: tuple[str | int, ...], bad: object, reason: str) -> None:
    with workspace(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        value = exported_ada(first, tmp_path / "kb.json")
        place: Any = value["metadata"]["polyadic"]["documents"][0]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = bad
        with pytest.raises(InvalidFile, match=r"damaged .*, at metadata\.polyadic") as refusal:
            import_file(second, write(tmp_path / "kb.json", value))
        assert reason in str(refusal.value)
        assert not (tmp_path / "second").exists()


def test_duplicate_documents_are_refused(tmp_path: Path) -> None:
    with workspace(tmp_path / "first") as first:
        value = exported_ada(first, tmp_path / "kb.json")
        value["metadata"]["polyadic"]["documents"] *= 2
        with pytest.raises(InvalidFile, match="a document occurs twice"):
            import_file(first, write(tmp_path / "kb.json", value))


@pytest.mark.slow
def test_xgi_reads_and_writes_the_export(tmp_path: Path) -> None:
    xgi = pytest.importorskip("xgi", reason="xgi is not installed (pip install xgi)")
    with workspace(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        first.add([Document("memory:ada", "Ada", ADA)])
        export_file(first, "hif", tmp_path / "kb.json")
        hypergraph = xgi.read_hif(tmp_path / "kb.json")
        counts = first.status().counts
        assert (hypergraph.num_nodes, hypergraph.num_edges) == (counts.entities, counts.facts)
        (fact,) = first.facts_containing(["Ada Lovelace", "Charles Babbage"])
        assert hypergraph.edges[fact.id]["text"] == fact.text
        assert hypergraph.edges.members(fact.id) == {entity.key for entity in first.entities_of(fact.id)}
        xgi.write_hif(hypergraph, tmp_path / "back.json")
        import_file(second, tmp_path / "back.json")
        assert canonical_text(second) == canonical_text(first)
