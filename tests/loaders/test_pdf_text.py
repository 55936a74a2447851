"""What the text of PDF files is."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from polyadic.config import ReadingSettings
from polyadic.loaders.loader import read_documents
from polyadic.model.types import page_of
from tests.loaders.test_formats import read
from tests.support import documents

# PDF


def test_pdf_lines_become_paragraphs(tmp_path: Path) -> None:
    lines = [
        "The Engine",
        "The engine was a general-purpose machine, the first of its kind, and it was de-",
        "signed by Charles Babbage, who also designed another machine, not general-",
        "purpose, long before.",
        "Ada Lovelace wrote the first programme for it, and published that in 1843 with",
        "her notes.",
        "1.1 Later years",
        "• It was never built, for reasons that are told in many books about that time.",
        "• Others were.",
    ]
    text = read(tmp_path / "a.pdf", documents.pdf([lines])).text
    assert text == (
        "The Engine\n\nThe engine was a general-purpose machine, the first of its kind, and it was designed by Charles"
        " Babbage, who also designed another machine, not general-purpose, long before.\n\nAda Lovelace wrote the first"
        " programme for it, and published that in 1843 with her notes.\n\n1.1 Later years\n\n• It was never built, for"
        " reasons that are told in many books about that time.\n\n• Others were."
    )


def test_pdf_marks_of_footnotes_that_stand_alone_are_left_out(tmp_path: Path) -> None:
    lines = ["The engine was never built.", "#" * 40, "See the letters of Ada Lovelace.", "7", "More."]
    data = documents.pdf([lines])
    raised = b"/F1 6 Tf (1) Tj /F1 12 Tf 0 -4 Td"
    assert data.count(b"(" + b"#" * 40 + b") Tj T*") == 1
    data = data.replace(b"(" + b"#" * 40 + b") Tj T*", raised.ljust(48))
    found = read(tmp_path / "a.pdf", data).text.split()
    assert "1" not in found
    assert "7" in found


def test_pdf_page_offsets_are_exact(tmp_path: Path) -> None:
    document = read(tmp_path / "a.pdf", documents.pdf([["One."], [], ["Two goes"], ["on here."], ["Café."]]))
    assert document.text == "One.\n\nTwo goes on here.\n\nCafé."
    words = ["One", "Two", "on here", "Café"]
    assert [page_of(document.pages, document.text.index(word)) for word in words] == [1, 3, 4, 5]
    assert len(document.pages) == 5


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("Notes on Engines", "Notes on Engines"),
        ("Microsoft Word - foo.doc", "The First Line"),
        ("a", "The First Line"),
        ("report-final.pdf", "The First Line"),
        ("Untitled-1", "The First Line"),
        ("", "The First Line"),
        ("Microsoft and the Web", "Microsoft and the Web"),
        ("Printing in Europe", "Printing in Europe"),
    ],
)
def test_pdf_titles(tmp_path: Path, given: str, title: str) -> None:
    lines = ["The First Line", "The text begins here with a sentence."]
    assert read(tmp_path / "a.pdf", documents.pdf([lines], {"Title": given})).title == title


def test_pdf_metadata(tmp_path: Path) -> None:
    said = {"Author": "Ada Lovelace", "CreationDate": "D:18431001120000Z", "Subject": "(unspecified)", "Keywords": ""}
    assert read(tmp_path / "a.pdf", documents.pdf([["Text."]], said)).metadata == {
        "author": "Ada Lovelace",
        "date": "1843-10-01",
    }


def test_pdfs_with_an_owner_password_are_read(tmp_path: Path) -> None:
    for data in (documents.RC4_PDF, documents.AES_PDF):
        assert read(tmp_path / "a.pdf", data).text == "Some text."


def test_pdf_running_heads_and_page_numbers_are_left_out(tmp_path: Path) -> None:
    bodies = [
        [f"Engine {number} was built.", "It ran.", "Steam moved it.", "It was loud.", "Ada saw it."]
        for number in range(9)
    ]
    pages = [["On Engines", "", *body, "", f"- {number} -"] for number, body in enumerate(bodies, start=1)]
    pages[0] = ["On Engines", *bodies[0], "", "- 1 -"]
    text = read(tmp_path / "a.pdf", documents.pdf(pages)).text
    assert text.count("On Engines") == 1
    assert not re.search(r"- \d -", text)
    assert all(line in text for body in bodies for line in body)
    assert text.count("Steam moved it.") == 9


def test_pdf_lines_that_recur_without_a_gap_before_the_text_are_kept(tmp_path: Path) -> None:
    verse = [
        "And the wheel turned round.",
        "The mill was old,",
        "and the store was full,",
        "and nobody knew",
        "when it began.",
    ]
    text = read(tmp_path / "a.pdf", documents.pdf([verse] * 5)).text
    assert text.count("And the wheel turned round.") == 5


@pytest.mark.parametrize("numbers", [[1734, 1802, 2091, 2210, 2300], [1001, 1002, 1003, 1004, 1005]])
def test_pdf_numbers_that_are_no_page_numbers_are_kept(tmp_path: Path, numbers: list[int]) -> None:
    body = ["A mill was sold.", "It was paid for.", "It came by ship.", "It was old.", "It still works."]
    text = read(tmp_path / "a.pdf", documents.pdf([[f"Invoice {number}", "", *body] for number in numbers])).text
    assert [str(number) in text for number in numbers] == [True] * 5


def test_pdf_contents_are_left_out(tmp_path: Path) -> None:
    contents = ["Contents", "1 The Mill . . . . . . 2", "2 The Store . . . . . 2", "3 The Wheels . . . . 3"]
    mill = [
        "1 The Mill",
        "The mill reckons with the numbers that it is given.",
        "2 The Store",
        "The store keeps numbers until the mill asks for them again.",
    ]
    pages = [contents, mill, ["3 The Wheels", "They turn, and so does all that hangs on them."]]
    assert read(tmp_path / "a.pdf", documents.pdf(pages)).text == (
        "1 The Mill\n\nThe mill reckons with the numbers that it is given.\n\n2 The Store\n\nThe store keeps"
        " numbers until the mill asks for them again.\n\n3 The Wheels\n\nThey turn, and so does all that hangs on them."
    )


def test_pdf_indexes_are_left_out_though_entries_name_several_pages(tmp_path: Path) -> None:
    index = ["Function Index", "A", "add . . . . . . . . 43, 45", "axle . . . . . . . . 1, 2,", "7, 9", "M"]
    index += ["mend . . . . . . . xi", "mill . . . . . . . 2-3", "wheel . . . . . . . 4"]
    text = read(tmp_path / "a.pdf", documents.pdf([["The mill reckons with the numbers."], index])).text
    assert text == "The mill reckons with the numbers."


def test_pdf_lists_with_leaders_that_are_no_contents_are_kept(tmp_path: Path) -> None:
    prices = ["Prices", "Garden hose . . . . . . 25", "Rake . . . . . . . . 30", "Spade . . . . . . . 35"]
    text = read(tmp_path / "a.pdf", documents.pdf([prices, ["Orders are shipped at once."]])).text
    assert all(line.split(" .")[0] in text for line in prices)
    assert "25" in text


def test_pdf_words_hyphenated_across_pages_are_joined(tmp_path: Path) -> None:
    pages = [
        ["The engine that Charles Babbage planned was never fin-"],
        [
            "ished by him, but it was described at length and de-",
            "signed to the last wheel, in the years of the pre- and",
        ],
        ["post-war governments, as he called them, by a man de-", "voted to it."],
    ]
    text = read(tmp_path / "a.pdf", documents.pdf(pages)).text
    assert text == (
        "The engine that Charles Babbage planned was never finished by him, but it was described at length and designed"
        " to the last wheel, in the years of the pre- and post-war governments, as he called them, by a man devoted"
        " to it."
    )


def test_pdf_table_rows_are_separate_lines(tmp_path: Path) -> None:
    rows = ["Part Use", "mill reckons", "store keeps", "bell rings", "barrel says what the mill does next"]
    assert read(tmp_path / "a.pdf", documents.pdf([rows])).text.split("\n\n") == rows


def test_pdfs_are_read_in_several_threads(tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"{number}.pdf").write_bytes(documents.pdf([[f"Engine {number} was built."]] * 20))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda path: list(read_documents([path], ReadingSettings())), sorted(tmp_path.iterdir())))
    assert all(f"Engine {number} was built." in str(documents) for number, documents in enumerate(found))
