"""Records of CSV files: where each ends, and what happens to bad ones."""

from pathlib import Path

import pytest

from tests.loaders.test_tables import SMALL, read_all


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_each_csv_record_is_a_document(tmp_path: Path, delimiter: str) -> None:
    header = delimiter.join(["id", "title", "text", "Year"])
    rows = [f'a{delimiter}On, engines; etc.{delimiter}"One, ""two"";\nthree\t."{delimiter}1843']
    content = "\r\n".join([header, *rows]).replace("On, engines; etc.", '"On, engines; etc."') + "\r\n\r\n"
    (document,), skipped = read_all(tmp_path / "a.csv", content)
    assert not skipped
    assert document.source.endswith("a.csv#a")
    assert (document.title, document.text) == ("On, engines; etc.", 'One, "two";\nthree\t.')
    assert document.metadata == {"Year": "1843"}


def test_one_column_needs_no_usual_name(tmp_path: Path) -> None:
    documents, _ = read_all(tmp_path / "a.csv", "remark\nThe engine works well.\nIt does not.\n")
    assert [(d.text, d.source.rpartition("#")[2]) for d in documents] == [
        ("The engine works well.", "1"),
        ("It does not.", "2"),
    ]


def test_quotation_marks_of_the_text_in_a_tab_separated_file(tmp_path: Path) -> None:
    documents, skipped = read_all(tmp_path / "a.tsv", 'id\ttext\n1\t"Hello," he said.\n2\tShe nodded.\n')
    assert not skipped
    assert [document.text for document in documents] == ['"Hello," he said.', "She nodded."]
    quoted = 'id\ttext\n1\t"Hello, ""you""\nthere."\n' + "2\tShe nodded.\n" * 10_000
    documents, _ = read_all(tmp_path / "b.tsv", quoted)
    assert documents[0].text == 'Hello, "you"\nthere.'


def test_bad_records_are_skipped_with_their_lines(tmp_path: Path) -> None:
    content = "id,text\n1,Größe und Höhe.\n2,Two, too many\n3\n4,caf\udce9\n1,Again.\n5,Fünf.\n".encode(
        "utf-8", "surrogateescape"
    )
    documents, skipped = read_all(tmp_path / "a.csv", content)
    assert [document.text for document in documents] == ["Größe und Höhe.", "Fünf."]
    assert [(problem.line, problem.reason) for problem in skipped] == [
        (3, "3 fields where the header has 2"),
        (4, "empty"),
        (5, "not UTF-8 text (byte 0xe9 at 3)"),
        (6, "duplicate id '1'"),
    ]


def test_unclosed_quote_costs_one_record(tmp_path: Path) -> None:
    content = 'id,text\n1,One.\n2,"Two.\n3,Three.\n4,Four.\n'
    documents, (problem,) = read_all(tmp_path / "a.csv", content)
    assert [document.text for document in documents] == ["One.", "Three.", "Four."]
    assert (problem.line, problem.reason) == (3, "a quotation mark is never closed")


def test_mismatched_quotes_cost_only_the_reported_lines(tmp_path: Path) -> None:
    content = 'id,text\n1,"One.\n2,Two.\n3,"Three."\n4,Four.\n'
    documents, (problem,) = read_all(tmp_path / "a.csv", content)
    assert [document.text for document in documents] == ["Four."]
    assert (problem.line, problem.reason) == (2, "quotation marks do not match (lines 2 to 4 are skipped)")


def test_hostile_quotes_take_linear_time(tmp_path: Path) -> None:
    documents, skipped = read_all(tmp_path / "a.csv", "id,text\n" + '1,"x ""\n' * 2_000)
    assert not documents
    assert 0 < len(skipped) <= 2_000


def test_a_record_over_the_limit_is_skipped(tmp_path: Path) -> None:
    long = '2,"' + "many words\n" * 30 + '"\n'
    documents, skipped = read_all(tmp_path / "a.csv", "id,text\n1,One.\n" + long + "3,Three.\n", SMALL)
    assert [documents[0].text, documents[-1].text] == ["One.", "Three."]
    assert "over the limit" in skipped[0].reason
    assert skipped[0].line == 3


def test_fields_beyond_the_default_csv_limit_are_read(tmp_path: Path) -> None:
    (document,), _ = read_all(tmp_path / "a.csv", "id,text\n1," + "x" * 200_000 + "\n")
    assert len(document.text) == 200_000


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "no rows below the header"),
        ("id,text\n", "no rows below the header"),
        ("x" * 300 + "\n1\n", "0.000301 MB is over the limit of 0.0002 MB"),
    ],
)
def test_tables_without_rows_or_header_are_refused(tmp_path: Path, content: str, reason: str) -> None:
    documents, (problem,) = read_all(tmp_path / "a.csv", content, SMALL)
    assert not documents
    assert (problem.reason, problem.line) == (reason, 0)


def test_table_in_a_text_file_is_read_as_a_table(tmp_path: Path) -> None:
    rows = 'route_id,short,"long name"\n1,110,"City - Palm Cove"\n2,111,Kewarra\n3,112,Smithfield\n'
    (document,), _ = read_all(tmp_path / "routes.txt", rows)
    assert "- route_id: 1; short: 110; long name: City - Palm Cove." in document.text


def test_text_file_is_no_table_if_a_line_differs(tmp_path: Path) -> None:
    """Reading it as a table would lose that line."""
    rows = "".join(f"{n},name {n},{n * n}\n" for n in range(60))
    (document,), skipped = read_all(tmp_path / "a.txt", f"id,name,square\n{rows}The end, as they say.\n")
    assert not skipped and document.text.endswith("The end, as they say.\n")


def test_table_in_a_text_file_of_another_encoding_is_read(tmp_path: Path) -> None:
    rows = "id,name,town\n1,Müller,Köln\n2,Jäger,Zürich\n3,Groß,Düren\n"
    (document,), skipped = read_all(tmp_path / "a.txt", rows.encode("latin-1"))
    assert not skipped and "Köln" in document.text


def test_text_with_commas_is_no_table(tmp_path: Path) -> None:
    poem = "It was so, they said, to me.\nThe sun, the sea, the sand\nThe hill, the lane, the land\nDog, cat, mice\n"
    (document,), _ = read_all(tmp_path / "poem.txt", poem)
    assert document.text == poem
