"""Tables as Neo4j's import tool takes them."""

import csv
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyadic.interchange.export import export_tables
from polyadic.model.types import Document, Evidence, FactDetails, Participation
from tests.interchange.workspaces import ADA, BABBAGE, collections, contents, drafts, fill, workspace

NODES = ("entities.csv", "facts.csv", "documents.csv", "chunks.csv")
RELATIONSHIPS = ("takes_part_in.csv", "stated_in.csv", "part_of.csv")


def read(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text, strict=True))


def test_files_have_the_headers_of_the_import_tool(tmp_path: Path) -> None:
    with workspace(tmp_path / "kb") as kb:
        kb.add([Document("memory:a", '=HYPERLINK("x")', ADA), Document("memory:b", "", BABBAGE)])
        export_tables(kb, tmp_path / "tables")
        counts = kb.status().counts
    found = {file.name: file for file in (tmp_path / "tables").iterdir()}
    assert sorted(found) == sorted([*NODES, *RELATIONSHIPS])
    heads = {name: found[name].read_text().partition("\n")[0] for name in found}
    assert heads["facts.csv"] == ":ID,text,score:double,support:int,:LABEL"
    assert all(head.startswith(":ID,") and head.endswith(",:LABEL") for name, head in heads.items() if name in NODES)
    assert all(heads[name].startswith(":START_ID,:END_ID,") for name in RELATIONSHIPS)
    assert len(read(found["takes_part_in.csv"])) == counts.participations
    assert {row[":TYPE"] for name in RELATIONSHIPS for row in read(found[name])} == {
        "TAKES_PART_IN",
        "STATED_IN",
        "PART_OF",
    }
    assert [row["title"] for row in read(found["documents.csv"])] == ['=HYPERLINK("x")', ""]
    assert found["documents.csv"].read_text().splitlines()[2].endswith(',"memory:b","","","Document"')


@pytest.mark.slow
@given(collections, st.lists(drafts, min_size=1, max_size=6))
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_round_trips_and_all_endpoints_exist(documents: list[Document], pool: list[Evidence]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with workspace(Path(folder) / "kb") as kb:
            fill(kb, documents, pool)
            export_tables(kb, folder)
            stored = contents(kb)
        rows = {name: read(Path(folder) / name) for name in (*NODES, *RELATIONSHIPS)}
        identifiers = [row[":ID"] for name in NODES for row in rows[name]]
        assert len(set(identifiers)) == len(identifiers)
        ends = {row[end] for name in RELATIONSHIPS for row in rows[name] for end in (":START_ID", ":END_ID")}
        assert ends <= set(identifiers)
        assert [row["text"] for row in rows["chunks.csv"]] == [chunk.text for one in stored for chunk in one.chunks]
        assert [row["title"] for row in rows["documents.csv"]] == [one.document.title for one in stored]
        evidence = [
            s for one in stored for chunk_export in one.chunk_exports for s in chunk_export.evidence if s.fact_id
        ]
        details = {str(FactDetails.of(one) or "") for one in evidence} - {""}
        written = "\n".join(row["details"] for row in rows["stated_in.csv"])
        assert all(line in written for line in details) and bool(details) == bool(written.strip())


def test_dates_of_documents_and_details_of_evidence_are_columns(tmp_path: Path) -> None:
    detailed = Evidence(
        ADA, 5.0, (Participation("Ada", role="author"), Participation("London")), (), "drawn", "", "1843"
    )
    with workspace(tmp_path / "kb") as kb:
        fill(kb, [Document(f"memory:{n}", "", ADA, {"date": "1843-10-02"}) for n in range(9)], [detailed])
        export_tables(kb, tmp_path)
    assert {row["date"] for row in read(tmp_path / "documents.csv")} == {"1843-10-02"}
    assert {row["details"] for row in read(tmp_path / "stated_in.csv")} == {"author: Ada; valid from 1843"}
