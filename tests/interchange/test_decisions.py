"""Decisions on who is who go out with a workspace, come back, and are checked on the way."""

import json
from pathlib import Path
from typing import Any

import pytest

from polyadic.errors import DecisionRefused
from polyadic.interchange.export import WRITERS, export_file, exported
from polyadic.interchange.import_file import import_file
from polyadic.interchange.validation import InvalidFile
from polyadic.model.resolution import ResolutionDecision
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.interchange.workspaces import ADA, BABBAGE, canonical_text, workspace


def decided(folder: Path) -> Workspace:
    kb = workspace(folder)
    kb.add([Document("memory:a", "Ada", ADA), Document("memory:b", "Babbage", BABBAGE)])
    kb.entities.merge(["Ada Lovelace", "Charles Babbage"], "Ada and Charles")
    kb.entities.split("London", "London (city)", ["memory:b"])
    kb.entities.cannot_link("Analytical Engine", "London")
    kb.entities.keep("Analytical Engine")
    return kb


def held(kb: Workspace) -> set[ResolutionDecision]:
    return {decision for decision, _ in kb.entities.decisions()}


def test_decisions_are_exported_and_imported(tmp_path: Path) -> None:
    with decided(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        export_file(first, "hif", tmp_path / "kb.json")
        report = import_file(second, tmp_path / "kb.json")
        assert (report.added, report.decided, len(held(second))) == (2, 4, 4)
        assert canonical_text(second) == canonical_text(first)
        export_file(second, "hif", tmp_path / "again.json")
        assert (tmp_path / "again.json").read_bytes() == (tmp_path / "kb.json").read_bytes()
        again = import_file(second, tmp_path / "kb.json")
        assert (again.unchanged, again.decided) == (2, 0)
        assert second.store().problems() == []


def test_new_names_are_exported_and_imported(tmp_path: Path) -> None:
    with workspace(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        first.add([Document("memory:a", "Ada", ADA)])
        first.entities.rename("Ada Lovelace", "Countess of Lovelace")
        export_file(first, "hif", tmp_path / "kb.json")
        import_file(second, tmp_path / "kb.json")
        assert held(second) == held(first)
        assert second.show_entity("Ada Lovelace").entity.name == "Countess of Lovelace"
        assert canonical_text(second) == canonical_text(first)
        assert second.store().problems() == []


def test_the_exported_hypergraph_has_the_merged_entity(tmp_path: Path) -> None:
    with decided(tmp_path / "kb") as kb:
        for name in ("hif", "graphml"):
            text = b"".join(exported(kb, name)).decode()
            assert "Ada and Charles" in text
        value = json.loads(b"".join(exported(kb, "hif")))
        assert {"ada and charles", "london", "london (city)"} <= {node["node"] for node in value["nodes"]}
        assert "ada lovelace" not in {node["node"] for node in value["nodes"]}


def test_undoing_restores_every_export_byte_for_byte(tmp_path: Path) -> None:
    with workspace(tmp_path / "kb") as kb:
        kb.add([Document("memory:a", "Ada", ADA), Document("memory:b", "Babbage", BABBAGE)])
        before = {name: b"".join(exported(kb, name)) for name in WRITERS}
        kb.entities.merge(["Ada Lovelace", "Charles Babbage"])
        kb.entities.split("London", "London (city)", ["memory:b"])
        assert b"".join(exported(kb, "hif")) != before["hif"]
        kb.entities.undo(*(decision.id for decision in held(kb)))
        assert {name: b"".join(exported(kb, name)) for name in WRITERS} == before


@pytest.mark.parametrize(
    ("decisions", "reason"),
    [
        ([{"kind": "join", "names": ["a", "b"], "into": "a", "documents": []}], "decisions[0].kind"),
        ([{"kind": "merge", "names": ["a", " "], "into": "a", "documents": []}], "decisions[0].names[1]"),
        ([{"kind": "merge", "names": ["a", "A"], "into": "a", "documents": []}], "not two names"),
        ([{"kind": "split", "names": ["a"], "into": "b", "documents": ["memory:a"]}], "decisions[0].documents[0]"),
        ([{"kind": "split", "names": ["a"], "into": "b", "documents": []}], "has no documents"),
        ([{"kind": "merge", "names": ["a", "b"], "into": "a"}], "decisions[0].documents"),
        ([{"kind": "merge", "names": n, "into": "a", "documents": []} for n in (["a", "b"], ["b", "a"])], "twice"),
        ([{"kind": "merge", "names": ["a", x], "into": "a", "documents": []} for x in "bc"], "is merged already"),
    ],
)
def test_decisions_are_checked(tmp_path: Path, decisions: list[dict[str, Any]], reason: str) -> None:
    with decided(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        value = json.loads(b"".join(exported(first, "hif")))
        value["metadata"]["polyadic"]["decisions"] = decisions
        (tmp_path / "kb.json").write_text(json.dumps(value))
        with pytest.raises(InvalidFile, match=r"damaged .*, at metadata\.polyadic") as refusal:
            import_file(second, tmp_path / "kb.json")
        assert reason in str(refusal.value)
        assert not (tmp_path / "second").exists()


def test_export_without_its_decisions_is_refused(tmp_path: Path) -> None:
    """The hypergraph is no longer the one that documents and decisions make."""
    with decided(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        value = json.loads(b"".join(exported(first, "hif")))
        del value["metadata"]["polyadic"]["decisions"]
        (tmp_path / "kb.json").write_text(json.dumps(value))
        with pytest.raises(InvalidFile, match="does not match its documents"):
            import_file(second, tmp_path / "kb.json")


def test_contradicting_decisions_are_refused_before_import(tmp_path: Path) -> None:
    with decided(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        export_file(first, "hif", tmp_path / "kb.json")
        second.add([Document("memory:a", "Ada", ADA)])
        second.entities.cannot_link("Ada Lovelace", "Charles Babbage")
        before = canonical_text(second)
        with pytest.raises(DecisionRefused):
            import_file(second, tmp_path / "kb.json")
        assert canonical_text(second) == before


def test_export_without_paths_keeps_decisions(tmp_path: Path) -> None:
    documents = [Document("/hidden/here/a.md", "", ADA), Document("/hidden/there/a.md", "", BABBAGE)]
    with workspace(tmp_path / "first") as first, workspace(tmp_path / "second") as second:
        first.add(documents)
        first.entities.split("London", "London (city)", [documents[1].id])
        export_file(first, "hif", tmp_path / "kb.json", hide_paths=True)
        assert "/hidden" not in (tmp_path / "kb.json").read_text()
        assert import_file(second, tmp_path / "kb.json").decided == 1
        assert [one.source for one in second.documents()] == ["a.md", "a.md (2)"]
        assert [fact.text for fact in second.facts_of("London (city)")]
        assert [fact.id for fact in second.facts_of("London (city)")] == [
            fact.id for fact in first.facts_of("London (city)")
        ]
