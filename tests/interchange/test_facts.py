"""Facts as JSON lines, from anywhere."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from polyadic.config import ChunkingSettings, EmbeddingSettings, Settings
from polyadic.interchange.document_matching import SPANS_OF_NOTHING
from polyadic.interchange.export import export_file
from polyadic.interchange.import_file import import_file
from polyadic.interchange.validation import InvalidFile
from polyadic.model.identity import entity_key, fact_id
from polyadic.model.types import Document, Span
from tests.interchange.workspaces import ADA, BABBAGE, canonical_text, contents, workspace

pytestmark = pytest.mark.slow

DATA = Path(os.environ.get("POLYADIC_DATA", ""), "2wiki-101")
HAS_DATA = "POLYADIC_DATA" in os.environ
MET = "Ada Lovelace met Charles Babbage in London."


def lines(path: Path, *values: Any) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def fact(text: str = MET, *names: str, **more: Any) -> dict[str, Any]:
    return {"text": text, "entities": list(names or ("Ada Lovelace", "Charles Babbage")), **more}


@pytest.mark.data
@pytest.mark.skipif(not HAS_DATA, reason="POLYADIC_DATA is not set")
def test_recorded_facts_are_imported_unchanged(tmp_path: Path) -> None:
    recorded = [json.loads(line) for line in (DATA / "facts.jsonl").read_text().splitlines()]
    stated = {
        fact_id(fact["text"], [entity_key(entity["name"]) for entity in fact["entities"]])
        for document in recorded
        for fact in document["facts"]
    }
    # With the usual length of chunks.
    with workspace(tmp_path / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as kb:
        report = import_file(kb, DATA / "facts.jsonl", [DATA / "corpus.jsonl"])
        assert (report.added, report.evidence, report.without_fact, report.skipped) == (780, 2_020, 0, [])
        counts = kb.status().counts
        # Of 10,247 names two are another form of one in the same fact ("the X" beside "X").
        assert (counts.documents, counts.facts, counts.participations) == (780, 2_020, 10_245)
        export_file(kb, "jsonl", tmp_path / "out.jsonl")
        written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        assert {fact_id(f["text"], [entity_key(e["name"]) for e in f["entities"]]) for f in written} == stated
        assert sum(len(f["entities"]) for f in written) == 10_247
        assert import_file(kb, DATA / "facts.jsonl", [DATA / "corpus.jsonl"]).unchanged == 780
        assert import_file(kb, tmp_path / "out.jsonl", [DATA / "corpus.jsonl"]).changed == 0
        assert kb.index([DATA / "corpus.jsonl"]).outdated == 780


def test_fact_without_a_document_becomes_its_own_document(tmp_path: Path) -> None:
    file = lines(tmp_path / "facts.jsonl", fact(), fact("Only London is named.", "London"), fact())
    with workspace(tmp_path / "kb") as kb:
        report = import_file(kb, file)
        assert (report.added, report.evidence_with_fact, report.without_fact) == (2, 2, 1)
        (found,) = kb.facts_of("Ada Lovelace")
        assert (found.text, found.score, found.support) == (MET, 5.0, 2)
        view = kb.show_fact(found.id)
        assert (view.places[0].quote, view.places[0].extractor) == (MET, "import")
        assert view.places[0].source.startswith(f"{file}#")
        assert import_file(kb, file).unchanged == 2
        kb.delete(str(file))
        assert contents(kb) == []


def test_lines_of_one_document_may_be_scattered(tmp_path: Path) -> None:
    file = lines(
        tmp_path / "facts.jsonl",
        fact("One and two.", "One", "Two", source="x", title="X"),
        {"_id": "y", "facts": [fact("Y has Z.", "Y", "Z")]},
        fact("Three and four.", "Three", "Four", source="x", spans=[[0, 5]]),
    )
    with workspace(tmp_path / "kb") as kb:
        report = import_file(kb, file)
        x, y = contents(kb)
        assert (x.document.source, x.document.title) == (f"{file}#x", "X")
        assert x.document.text == "One and two.\nThree and four."
        assert [said.spans for said in x.chunk_exports[0].evidence] == [(Span(0, 12),), (Span(13, 28),)]
        assert y.document.text == "Y has Z."
        assert report.problems == {SPANS_OF_NOTHING: 1}


def test_spans_refer_to_the_given_documents(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    notes = tmp_path / "notes" / "ada.txt"
    notes.write_text(f"It rained. {ADA}")
    (tmp_path / "notes" / "other.txt").write_text(BABBAGE)
    file = lines(
        tmp_path / "notes" / "facts.jsonl",
        fact(source="ada.txt"),
        fact("Ada wrote for Babbage.", spans=[[0, 10]], document=str(notes), extractor="by hand"),
        fact("Nobody knows whom this is about.", "Nobody", "Whom", _id="gone"),
        fact("Grace Hopper lived in New York.", "Grace Hopper", "New York"),
    )
    with workspace(tmp_path / "kb") as kb:
        report = import_file(kb, file, [tmp_path / "notes"])
        by_source = {t.document.source: t for t in contents(kb)}
        assert len(by_source) == 2
        found = by_source[str(notes)]
        assert [(said.extractor, said.spans) for said in found.chunk_exports[0].evidence] == [
            ("import", (Span(11, 11 + len(MET)),)),
            ("by hand", (Span(0, 10),)),
        ]
        assert found.extractor == "import"
        assert [skipped.source for skipped in report.skipped] == ["gone"]
        skipped = "document skipped: the file contains no facts about it (use polyadic index to index it)"
        assert report.problems == {skipped: 1}


def test_facts_are_aligned_to_chunks(tmp_path: Path) -> None:
    filler = " ".join(f"Sentence number {i} says nothing of interest." for i in range(30))
    (tmp_path / "long.txt").write_text(f"{filler}\n\n{ADA}\n\n{filler}")
    file = lines(
        tmp_path / "facts.jsonl",
        fact(source="long.txt"),
        fact("Lovelace programmed Babbage's machine.", "Ada Lovelace", "Analytical Engine", source="long.txt"),
    )
    with workspace(tmp_path / "kb") as kb:
        import_file(kb, file, [tmp_path / "long.txt"])
        (content,) = contents(kb)
        (chunk_export,) = [chunk_export for chunk_export in content.chunk_exports if chunk_export.evidence]
        assert len(content.chunk_exports) > 3
        assert ADA[:40] in chunk_export.chunk.text
        assert [len(said.spans) for said in chunk_export.evidence] == [1, 0]


def test_facts_with_spans_beyond_the_text_are_dropped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(ADA)
    (tmp_path / "b.txt").write_text(BABBAGE)
    file = lines(tmp_path / "facts.jsonl", fact(source="a.txt", spans=[[5, 5_000]]), fact(source="b.txt"))
    with workspace(tmp_path / "kb") as kb:
        report = import_file(kb, file, [tmp_path / "a.txt", tmp_path / "b.txt"])
        assert report.added == 1
        assert [str(s) for s in report.skipped] == [
            f"{tmp_path / 'a.txt'}: its facts end at character 5,000, but its text has {len(ADA)}"
        ]


def test_unknown_fields_are_counted(tmp_path: Path) -> None:
    entities = [{"name": "Ada", "born": 1815}, {"name": "Babbage", "born": 1791}]
    file = lines(tmp_path / "facts.jsonl", {"text": MET, "entities": entities, "confidence": 0.9})
    with workspace(tmp_path / "kb") as kb:
        assert import_file(kb, file).problems == {"field not kept: born": 2, "field not kept: confidence": 1}


def test_exported_facts_round_trip(tmp_path: Path) -> None:
    (tmp_path / "ada.txt").write_text(ADA)
    settings = Settings(embedding=EmbeddingSettings(model="hashing"), chunking=ChunkingSettings(language="en"))
    with workspace(tmp_path / "first", settings) as first, workspace(tmp_path / "second", settings) as second:
        first.index([tmp_path / "ada.txt"])
        export_file(first, "jsonl", tmp_path / "out.jsonl")
        assert import_file(second, tmp_path / "out.jsonl", [tmp_path / "ada.txt"]).added == 1
        assert canonical_text(second) == canonical_text(first)


def test_optional_fields_are_exported(tmp_path: Path) -> None:
    entities = [{"name": "Ada Lovelace", "role": "guest"}, {"name": "June 1833", "value": "1833-06"}]
    optional = {"valid_from": "1833-06-05", "valid_to": "1833", "qualifiers": {"source": "letter", "page": "7"}}
    with workspace(tmp_path / "kb") as kb:
        import_file(kb, lines(tmp_path / "facts.jsonl", {"text": MET, "entities": entities, **optional}))
        export_file(kb, "jsonl", tmp_path / "out.jsonl")
    written = json.loads((tmp_path / "out.jsonl").read_text())
    assert {name: written[name] for name in optional} == optional
    assert [(entity["name"], entity.get("role"), entity.get("value")) for entity in written["entities"]] == [
        ("Ada Lovelace", "guest", None),
        ("June 1833", None, "1833-06"),
    ]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"not JSON", "line 3: expected"),
        (b"[1]", "line 3: not a JSON object"),
        (b'{"entities": []}', "line 3: text: field required"),
        (b'{"text": " "}', "text: it is blank"),
        (b'{"text": "a", "score": 11}', "score: input should be less than or equal to 10"),
        (b'{"text": "a", "score": "high"}', "score: input should be a valid number"),
        (b'{"text": "a", "score": NaN}', "line 3: expected value"),
        (b'{"text": "a", "entities": [{"name": "b", "score": 0}]}', "entities[0].score"),
        (b'{"text": "a", "entities": [7]}', "entities[0]"),
        (b'{"text": "a", "spans": [[5, 2]]}', "not a span"),
        (b'{"text": "a", "spans": [[5]]}', "spans[0]"),
        (b'{"text": "a", "valid_from": "in May"}', "valid_from: it is no date such as 1843"),
        (b'{"text": "a", "qualifiers": {"page": 7}}', "qualifiers.page"),
        (b'{"text": "a\\u0000"}', "NUL"),
        (b'{"text": "a\\ud800"}', "line 3"),
        (b'{"text": "a", "source": "x\\ny"}', "control characters"),
        (b'{"text": "\xff"}', "line 3"),
        (b'{"facts": ' + b"[" * 50_000, "recursion limit"),
        (b'{"_id": 1, "facts": [{"text": ""}]}', "line 3: facts[0].text: it is blank"),
        (b'{"_id": ' + b"9" * 500 + b', "facts": []}', "so many digits"),
    ],
)
def test_one_invalid_line_imports_nothing(tmp_path: Path, bad: bytes, reason: str) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_bytes(json.dumps(fact()).encode() + b"\n\n" + bad + b"\n")
    with workspace(tmp_path / "kb") as kb, pytest.raises(InvalidFile) as refusal:
        import_file(kb, file)
    assert reason in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not (tmp_path / "kb").exists()


def test_line_length_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyadic.interchange.facts_reader.LONGEST_LINE", 100)
    with workspace(tmp_path / "kb") as kb, pytest.raises(InvalidFile, match="line 1: longer than"):
        import_file(kb, lines(tmp_path / "facts.jsonl", fact("a" * 200)))


@pytest.mark.parametrize("name", ["gone.jsonl", "gone.json", "."])
def test_unreadable_file_is_reported_in_one_line(tmp_path: Path, name: str) -> None:
    with workspace(tmp_path / "kb") as kb, pytest.raises(InvalidFile, match="cannot be imported"):
        import_file(kb, tmp_path / name)


def test_a_file_without_facts_says_so(tmp_path: Path) -> None:
    (tmp_path / "facts.jsonl").write_text("\n \n")
    with workspace(tmp_path / "kb") as kb, pytest.raises(InvalidFile, match="holds no facts"):
        import_file(kb, tmp_path / "facts.jsonl")


def test_existing_documents_are_not_replaced(tmp_path: Path) -> None:
    """Without --documents a fact's document is never one that was indexed, whatever it is called."""
    with workspace(tmp_path / "kb") as kb:
        kb.add([Document("memory:ada", "Ada", ADA)])
        before = contents(kb)
        import_file(kb, lines(tmp_path / "facts.jsonl", fact(source="memory:ada")))
        assert contents(kb)[1:] == before
