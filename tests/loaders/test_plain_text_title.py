"""Title blocks of text files: the title is the title of the document and a heading, and is never a statement."""

import asyncio
from pathlib import Path

import pytest

from polyadic.chunking.chunker import chunk_document
from polyadic.config import ChunkingSettings, ReadingSettings
from polyadic.extraction.sentence_extractor import SentenceExtractor
from polyadic.loaders.loader import read_documents
from polyadic.loaders.plain_text_title import plain_title
from polyadic.model.types import Document
from polyadic.text.headings import headings

BODY = "The salt mine of Hallstatt was opened in the Bronze Age. It is among the oldest\nmines, Anna Kern says.\n"
CENTRED = "                 Report on the Water Tower\n                        Summer 2023\n"
BLOCKS = [
    ("Rules of the Mine\n=================\n", "Rules of the Mine"),
    ("*****************\nRules of the Mine\n*****************\n", "Rules of the Mine"),
    ("Rules of the Mine\n~~~~~~~~~~~~~~~~~\nby Anna Kern\n", "Rules of the Mine"),
    (CENTRED, "Report on the Water Tower"),
    ("THE HISTORY OF\nTHE SALT MINE\nby Anna Kern\n", "THE HISTORY OF THE SALT MINE"),
    ("        Mine Licence\n   Version 2, June 1991\n", "Mine Licence Version 2, June 1991"),
    ("Meeting of the council\nSchool at the River, 12 March 2024\n", "Meeting of the council"),
    ("History of the Mine\nby Anna Kern\n", "History of the Mine"),
    ("History of the Mine\n", "History of the Mine"),
    ("notes on the mine\n", "notes on the mine"),
]


def read(path: Path, content: str) -> Document:
    path.write_text(content)
    (found,) = read_documents([path], ReadingSettings())
    assert isinstance(found, Document)
    return found


def statements(document: Document) -> list[str]:
    extractor = SentenceExtractor()
    chunks = chunk_document(document, ChunkingSettings())
    found = [asyncio.run(extractor.extract(document, chunk)) for chunk in chunks]
    return [evidence.text for extraction in found for evidence in extraction.evidence]


@pytest.mark.parametrize(("block", "title"), BLOCKS)
def test_title_block_gives_the_title_and_no_statement(tmp_path: Path, block: str, title: str) -> None:
    document = read(tmp_path / "a.txt", f"\n{block}\n{BODY}")
    assert document.title == title
    found = statements(document)
    of_body = [statement for statement in found if "Bronze Age" in statement or "oldest" in statement]
    subtitle = [f"{title}: by Anna Kern"] if "by Anna" in block else []
    assert found == [*subtitle, *of_body] and len(of_body) == 2


def test_title_is_a_heading_above_numbered_ones(tmp_path: Path) -> None:
    sections = "".join(f"{section}\n\n{BODY}\n" for section in ("1. Mill", "2. Store", "3. Cards"))
    document = read(tmp_path / "a.txt", f"{CENTRED}\n{sections}")
    assert document.text.startswith("# Report on the Water Tower\n\nSummer 2023\n\n## 1. Mill\n")
    assert [heading.words for heading in headings(document.text)][:2] == ["Report on the Water Tower", "Mill"]


@pytest.mark.parametrize(
    "beginning",
    [
        "The mine was opened early\nby miners who lived there.\n",
        "Dear Anna,\nthank you for the map of 2019\n",
        "Port: 80\nHost: relay 2024\n",
        "Name        Year\nAnna        2024\n",
        "- the mine of 1900\n- the mill by the river\n",
        "SELECT * FROM MINES;\nCOMMIT;\n",
        "Anna Kern\nMill Street 5\n89073 Ulm\n",
        "The mine in Hallstatt which was opened by miners of the Bronze Age in about\n1500 before the end of it\n",
        "One line\nTwo lines\nThree lines\nFour lines\nFive lines of 2024\n",
    ],
)
def test_other_beginnings_are_no_title(beginning: str) -> None:
    assert plain_title(f"{beginning}\n{BODY}") == ""


def test_title_block_without_a_body_is_text(tmp_path: Path) -> None:
    assert read(tmp_path / "a.txt", CENTRED).text.split() == CENTRED.split()
