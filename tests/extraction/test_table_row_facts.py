"""Rows of tables as facts: what takes part in them, and that each format gives the same ones."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.chunking.chunker import chunk_document
from polyadic.config import ChunkingSettings, EmbeddingSettings, ReadingSettings, Settings
from polyadic.extraction.sentence_extractor import SentenceExtractor
from polyadic.extraction.table_row_facts import row_participants, row_text
from polyadic.loaders.loader import read_documents
from polyadic.loaders.tables.row_lines import row_lines
from polyadic.model.types import Chunk, Document, Evidence, Span
from polyadic.text.table_rows import TextCell
from polyadic.text.vocabulary import Vocabulary
from polyadic.workspace import Workspace
from tests.support import documents

HEADER = ["Article", "Supplier", "Price", "In stock"]
ROWS = [
    ["garden hose", "Gartenwelt GmbH", "19.99", "yes"],
    ["folding ladder", "Steigtechnik AG", "89.00", "no"],
    ["submersible pump", "Aquatec", "149.00", "yes"],
]
EN = Vocabulary("en")


def extracted(document: Document) -> list[Evidence]:
    chunk = Chunk(document.id, Span(0, len(document.text)), document.text, 1, 0)
    return [*asyncio.run(SentenceExtractor("en").extract(document, chunk)).evidence]


def taking_part(cells: Sequence[tuple[str, str]], subject: str = "") -> dict[str, tuple[str, float]]:
    found = row_participants([TextCell(*cell) for cell in cells], subject, EN)
    return {one.name: (one.type, one.score) for one in found}


def formats() -> Iterator[tuple[str, bytes]]:
    """The table in each format that has tables, by suffix."""
    table = [HEADER, *ROWS]
    objects = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    html = "".join(
        "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in row) + "</tr>"
        for tag, row in zip(["th", "td", "td", "td"], table, strict=True)
    )
    yield ".csv", "\n".join(",".join(row) for row in table).encode("utf-8-sig")
    yield ".tsv", "\n".join("\t".join(row) for row in table).encode("utf-16")
    yield ".jsonl", "\n".join(map(json.dumps, objects)).encode()
    yield ".json", json.dumps({"articles": objects}).encode()
    lines = [f"| {' | '.join(row)} |" for row in table]
    yield ".md", "\n".join(["# Articles", "", lines[0], "|---|:-:|--:|---|", *lines[1:]]).encode()
    yield ".html", f"<h1>Articles</h1><table>{html}</table>".encode()
    yield ".epub", documents.epub([f"<h1>Articles</h1><table>{html}</table>"])
    yield ".xlsx", documents.xlsx({"Articles": table})
    word = documents.docx()
    word.add_heading("Articles", 1)
    cells = word.add_table(4, 4)._cells
    for cell, words in zip(cells, [words for row in table for words in row], strict=True):
        cell.text = words
    yield ".docx", documents.saved(word.save)
    deck = documents.pptx()
    shown = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_table(4, 4, 0, 0, 9_000_000, 900_000).table
    for row, words_of_row in enumerate(table):
        for column, words in enumerate(words_of_row):
            shown.cell(row, column).text = words
    yield ".pptx", documents.saved(deck.save)


FORMATS = dict(formats())


@pytest.mark.parametrize("suffix", FORMATS)
def test_row_is_a_fact_with_its_cells_as_participants(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"articles{suffix}"
    path.write_bytes(FORMATS[suffix])
    (document,) = read_documents([path], ReadingSettings())
    assert isinstance(document, Document)
    facts = {e.text.partition("Article: ")[2]: e for e in extracted(document) if "Article: " in e.text}
    assert [*facts] == [
        f"{a}; Supplier: {supplier}; Price: {price}; In stock: {stock}" for a, supplier, price, stock in ROWS
    ]
    hose = next(iter(facts.values()))
    assert {(p.name, p.type) for p in hose.participants} == {
        ("garden hose", "Article"),
        ("Gartenwelt GmbH", "Supplier"),
        ("19.99", "Price"),
        ("In stock", ""),
    }
    (span,) = hose.spans
    assert "garden hose" in document.text[span.start : span.end]
    assert "\n" not in document.text[span.start : span.end]


@pytest.mark.parametrize("suffix", FORMATS)
def test_question_is_answered_with_its_table_row(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"articles{suffix}"
    path.write_bytes(FORMATS[suffix])
    with Workspace(tmp_path / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as kb:
        kb.index([path])
        found = kb.retrieve("What does the folding ladder cost?")
        assert "89.00" in next(fact.text for fact in found.facts)


def test_numbers_participate_only_if_few_other_cells_do() -> None:
    cells = [
        TextCell("City", "Ulm"),
        TextCell("River", "Danube"),
        TextCell("People", "126,949"),
        TextCell("Port", "no"),
    ]
    assert [one.name for one in row_participants(cells, "", EN, is_large=True)] == ["Ulm", "Danube"]
    without_river = cells[:1] + cells[2:]
    assert {one.name for one in row_participants(without_river, "Cities", EN, is_large=True)} == {"Ulm", "Cities"}
    assert [one.name for one in row_participants(without_river, "", EN, is_large=True)] == ["Ulm", "126,949", "Port"]


def test_small_integers_and_letters_participate_only_if_few_others_do() -> None:
    row = [("Code", "E"), ("Article", "garden hose"), ("Price", "24.90"), ("Count", "12"), ("Class", "B")]
    assert [*taking_part(row)] == ["garden hose", "24.90"]
    assert [*taking_part([("Count", "12"), ("Class", "B"), ("Article", "garden hose")])] == ["12", "B", "garden hose"]
    assert [*taking_part([("Count", "12"), ("Article", "garden hose")], "Prices")] == ["garden hose", "Prices"]


def test_row_topic_is_the_first_name_that_is_no_code() -> None:
    row = [("No.", "G-100"), ("Article", "garden hose"), ("Supplier", "Gartenwelt GmbH")]
    assert [score for _, score in taking_part(row).values()] == [60.0, 80.0, 75.0]


def test_numbers_dates_and_flags_score_low() -> None:
    row = [("City", "Ulm"), ("People", "126,949"), ("Founded", "850-07-22"), ("River", "Danube"), ("Port", "no")]
    assert taking_part(row) == {
        "Ulm": ("City", 80.0),
        "126,949": ("People", 15.0),
        "850-07-22": ("Founded", 30.0),
        "Danube": ("River", 60.0),
        "Port": ("", 10.0),
    }


@pytest.mark.parametrize("cell", ["06:10, 07:10", "2 GB", "90 km/h", "12 years", "EUR 5.00", "€19", "-3.5 %", "24/7"])
def test_quantities_are_no_names(cell: str) -> None:
    assert taking_part([("Name", "Ulm"), ("Value", cell)])[cell][1] == 15.0


@pytest.mark.parametrize("cell", ["A 21", "B-100", "Windows 11", "C++", "東京"])
def test_codes_and_names_are_names(cell: str) -> None:
    assert taking_part([("Name", "Ulm"), ("Value", cell)])[cell][1] >= 60.0


@pytest.mark.parametrize("cell", ["-", "n/a", "None", "?", "https://example.org/a", "ada@example.org"])
def test_cells_without_a_name_do_not_participate(cell: str) -> None:
    assert [*taking_part([("Name", "Ulm"), ("Value", cell)], "Cities")] == ["Ulm", "Cities"]


def test_names_in_prose_cells_participate() -> None:
    note = "it was founded by Ada Lovelace in a small house, and people still wonder why the engine was moved there."
    found = taking_part([("Museum", "Engine Hall"), ("Notes", note)])
    assert found == {"Engine Hall": ("Museum", 80.0), "Ada Lovelace": ("", 60.0)}


def test_each_listed_item_of_a_cell_participates() -> None:
    row = [("Film", "Love, Honor, and Obey"), ("Genres", "crime, comedy, drama"), ("Lands", "GB,FR")]
    assert [*taking_part(row)] == ["Love, Honor, and Obey", "crime", "comedy", "drama", "GB", "FR"]


def test_table_topic_participates_only_if_a_row_names_too_little() -> None:
    assert [*taking_part([("City", "Ulm"), ("River", "Danube")], "Cities")] == ["Ulm", "Danube"]
    assert [*taking_part([("City", "Ulm"), ("Twins", "-")], "Cities")] == ["Ulm", "Cities"]


def test_pipe_table_rows_use_their_header_in_every_chunk() -> None:
    rows = "\n".join(f"| hose {i} | Supplier {i} | {i}.99 |" for i in range(400))
    document = Document("memory:1", "Prices", f"| Article | From | Price |\n|---|---|---|\n{rows}\n")
    chunks = chunk_document(document, ChunkingSettings(tokens=100))
    extractor = SentenceExtractor("en")
    found = [e.text for c in chunks for e in asyncio.run(extractor.extract(document, c)).evidence]
    assert found == [f"Prices: Article: hose {i}; From: Supplier {i}; Price: {i}.99" for i in range(400)]


CELL = st.text(alphabet=st.sampled_from("abc XY1.;:!?()é"), max_size=60)


@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=80), st.integers(50, 200))
def test_no_chunk_cuts_a_row(cells: list[tuple[str, str, str]], tokens: int) -> None:
    rows = [[f"k{number}", *(f"v {cell}" for cell in row)] for number, row in enumerate(cells)]
    lines = [*row_lines([["Key", "First", "Second", "Third"], *rows])]
    document = Document("memory:1", "", "\n".join(lines))
    chunks = chunk_document(document, ChunkingSettings(tokens=tokens, overlap=0))
    assert [line for chunk in chunks for line in chunk.text.split("\n")] == lines


@given(st.lists(st.tuples(st.text(max_size=10), st.text(min_size=1, max_size=150)), max_size=12), st.text(max_size=10))
def test_any_cells_make_participants(cells: list[tuple[str, str]], subject: str) -> None:
    row = [TextCell(*cell) for cell in cells]
    found = row_participants(row, subject, EN)
    assert len({p.key for p in found}) == len(found)
    assert all(p.name and 0 < p.score <= 100 for p in found)
    assert isinstance(row_text(row), str)
