"""What files of other formats say: HTML, e-mail, books, PDF and Office files."""

import datetime
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.config import ReadingSettings
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document, page_of
from tests.support import documents

ENGINE = "The Analytical Engine was designed by Charles Babbage."


def read(path: Path, data: bytes | str, **settings: Any) -> Document:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    (item,) = read_documents([path], ReadingSettings(**settings))
    assert isinstance(item, Document), item
    return item


def test_each_format_is_read_deterministically(tmp_path: Path) -> None:
    for suffix, data in documents.samples(ENGINE):
        first = read(tmp_path / f"a{suffix}", data)
        assert ENGINE in first.text, suffix
        assert first == read(tmp_path / f"a{suffix}", data)


# HTML


def html(tmp_path: Path, body: str) -> str:
    return read(tmp_path / "a.html", f'<!doctype html><html><head><meta charset="utf-8"></head><body>{body}').text


def test_html_text_follows_the_page(tmp_path: Path) -> None:
    body = "<h1>The <i>first</i>\nengine</h1>Words<br>below.<p>Caf&eacute; &amp;\n bar<p>Next.<h2>More</h2>"
    assert (
        html(tmp_path, f"{body}<pre>a\n  b</pre>")
        == "# The first engine\n\nWords\nbelow.\n\nCafé & bar\n\nNext.\n\n## More\n\n```text\na\n  b\n```"
    )


def test_html_lists_keep_their_marks(tmp_path: Path) -> None:
    body = "<p>Two:<ul><li>one<li>two<ol><li>a</li><li>b</li></ol></ul>After."
    assert html(tmp_path, body) == "Two:\n\n- one\n- two\n  1. a\n  2. b\n\nAfter."


def test_html_items_of_several_blocks_stay_together(tmp_path: Path) -> None:
    body = "<ul><li><p>one</p><p>more of one</p><pre>a</pre></li><li>two</li></ul><p>After."
    assert html(tmp_path, body) == "- one\n\n  more of one\n\n  ```text\n  a\n  ```\n\n- two\n\nAfter."


def test_html_terms_are_kept_with_their_definitions(tmp_path: Path) -> None:
    body = "<dl><dt>mill</dt><dd>It computes.<p>With wheels.</dd><dt>-v<dt>--verbose:<dd>Say more.<dt>Why?<dd>Fun.</dl>"
    assert html(tmp_path, body) == ("- mill: It computes.\n\n  With wheels.\n\n- -v, --verbose: Say more.\n- Why? Fun.")
    assert (
        html(tmp_path, "<dl><dt>Sizes<dd><ul><li>one<li>two</ul><dt>none</dl>") == "- Sizes:\n  - one\n  - two\n- none"
    )


def test_html_code_is_fenced_and_nothing_in_it_is_a_heading(tmp_path: Path) -> None:
    body = '<p># no heading<pre><code class="language-sh"># apt update\n\n<b># apt</b> upgrade<br>ls</code></pre>'
    assert html(tmp_path, body) == "#\xa0no heading\n\n```sh\n# apt update\n\n# apt upgrade\nls\n```"
    assert html(tmp_path, "<pre><div>a = 1</div><div>```</div></pre>") == "````text\na = 1\n```\n````"
    two = "<pre><code>require(a)</code><code>import a</code></pre>"
    assert html(tmp_path, two) == "```text\nrequire(a)\nimport a\n```"
    assert html(tmp_path, "<table><tr><td><pre>1\n2</pre><td><pre>a\nb</pre></table>") == "```text\na\nb\n```"
    assert html(tmp_path, "<table><tr><td><pre>ls</pre><td>lists</table>") == "| ls | lists |"


def test_html_prose_that_is_preformatted_is_no_code(tmp_path: Path) -> None:
    prose = "The engine was designed by Charles Babbage in London.\nIt was never built, for want of money.\n\n" * 6
    assert html(tmp_path, f"<pre>{prose}</pre>") == prose.strip()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            "At most 2<sup>31</sup>-1 octets, 5 m<sup>2</sup>, 10<sup>&minus;3</sup>.",
            "At most 2^31-1 octets, 5 m^2, 10^−3.",
        ),
        ("The 1<sup>st</sup> of May, Java<sup>TM</sup>, H<sub>2</sub>O.", "The 1st of May, Java™, H2O."),
        ('Ada<sup><a href="#fn1">1</a></sup> wrote<a href="#f2"><sup>[2]</sup></a> it.<sup>3</sup>', "Ada wrote it."),
        ('x<sup><a href="power.html">2</a></sup>', "x^2"),
        ('Ada<a epub:type="noteref" href="n.xhtml#n1">1</a> wrote.', "Ada wrote."),
        ('Ada wrote. <a href="#back">↩</a>', "Ada wrote."),
    ],
)
def test_html_raised_characters(tmp_path: Path, body: str, text: str) -> None:
    assert html(tmp_path, f"<p>{body}</p>") == text


def test_html_heading_anchors_are_dropped(tmp_path: Path) -> None:
    assert html(tmp_path, '<h2>Plans<a href="#plans">¶</a></h2>') == "## Plans"


def test_html_table_values_have_column_names(tmp_path: Path) -> None:
    head = "<table><caption>Births</caption><tr><th>Name<th>Born</tr>"
    rows = "<tr><td>Ada<td>1815<tr><td>Charles Babbage<td>1791</table>"
    assert html(tmp_path, head + rows) == "Births\n\n- Name: Ada; Born: 1815.\n- Name: Charles Babbage; Born: 1791."
    facts = "<table><tr><th>Born:<td>1815<tr><th>Died<td>1852</table>"
    assert html(tmp_path, facts) == "- Born: 1815\n- Died: 1852"
    assert html(tmp_path, "<table>" + rows) == "| Ada | 1815 |\n| Charles Babbage | 1791 |"
    spans = head + "<tr><td rowspan=2>Ada<td>1815<tr><td>1816</table>"
    assert html(tmp_path, spans) == "Births\n\n- Name: Ada; Born: 1815.\n- Name: Ada; Born: 1816."


HTML_TABLES = {
    "a cell over several columns": (
        "<tr><th>Day<th>Mon<th>Tue<tr><td>Ulm<td colspan=2>closed<tr><td>Bonn<td>9<td>10",
        "- Day: Ulm; Mon: closed; Tue: closed.\n- Day: Bonn; Mon: 9; Tue: 10.",
    ),
    "two rows of headings": (
        "<tr><th rowspan=2>City<th colspan=2>2023<th>2024<tr><th>Men<th>Women<th>Men<tr><td>Ulm<td>1<td>2<td>3",
        "- City: Ulm; 2023 Men: 1; 2023 Women: 2; 2024 Men: 3.",
    ),
    "headings in the first column": (
        "<tr><th>Name<td>Ada<td>Charles<tr><th>Born<td>1815<td>1791",
        "- Name: Ada; Born: 1815.\n- Name: Charles; Born: 1791.",
    ),
    "headings in both": (
        "<tr><td><th>Free<th>Team<tr><th>Users<td>1<td>25<tr><th>Support<td>no<td>yes",
        "- Users; Free: 1; Team: 25.\n- Support; Free: no; Team: yes.",
    ),
    "sections": (
        "<tr><th>Name<th>Price<tr><th colspan=2>Garden<tr><td>hose<td>19<tr><td colspan=2>House<tr><td>lamp<td>7",
        "Garden\n\n- Name: hose; Price: 19.\n\nHouse\n\n- Name: lamp; Price: 7.",
    ),
    "paragraphs in a cell": (
        "<tr><th>Name<th>Notes<tr><td>hose<td><p>Green.</p><p>New.</p>",
        "- Name: hose; Notes: Green. New.",
    ),
    "names above numbers": (
        "<tr><td>Item<td>Price<tr><td>hose<td>24.90 EUR<tr><td>rake<td>14 EUR",
        "- Item: hose; Price: 24.90 EUR.\n- Item: rake; Price: 14 EUR.",
    ),
    "names in bold": (
        "<tr><td><b>Name</b><td><strong>City</strong><tr><td>Ada<td>Ulm",
        "- Name: Ada; City: Ulm.",
    ),
    "words above words": ("<tr><td>Ada<td>Ulm<tr><td>Bob<td>Bonn", "| Ada | Ulm |\n| Bob | Bonn |"),
    "spans that are no numbers": (
        "<tr><th colspan=x>A<th>B<tr><td rowspan=-1>1<td colspan=999999999>2",
        "- A: 1; B: 2.",
    ),
}


@pytest.mark.parametrize(("rows", "text"), HTML_TABLES.values(), ids=HTML_TABLES)
def test_headings_of_html_tables(tmp_path: Path, rows: str, text: str) -> None:
    assert html(tmp_path, f"<table>{rows}</table>") == text


TAGS = ["<table>", "</table>", "<tr>", "</tr>", "<td>", "<th>", "<td colspan=2>", "<td rowspan=3>", "<th colspan=0>"]


@given(st.lists(st.sampled_from([*TAGS, "<caption>x", "a", "b", "<p>", "<li>"]), max_size=40))
def test_malformed_table_tags_are_read(tmp_path_factory: pytest.TempPathFactory, tags: list[str]) -> None:
    text = html(tmp_path_factory.mktemp("tables"), f"<p>Before.<table>{' '.join(tags)}</table><p>After.")
    assert text.startswith("Before.")
    assert "After." in text


def test_huge_cell_spans_are_bounded(tmp_path: Path) -> None:
    row = "<tr>" + "<td colspan=100 rowspan=1000>x" * 100
    assert len(html(tmp_path, f"<table>{row * 100}</table>")) < 1_000_000


def test_html_tables_that_lay_out_a_page_are_read_cell_by_cell(tmp_path: Path) -> None:
    body = "<table><tr><td><h1>News</h1><p>One.</p><td><table><tr><td>a<td>b</table><p>Two.</table>"
    assert html(tmp_path, body) == "# News\n\nOne.\n\n| a | b |\n\nTwo."


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>x</script>",
        "<style>p {x: x}</style>",
        "<nav><ul><li>x</ul></nav>",
        "<div role=navigation>x</div>",
        "<div hidden>x<p>x</p><div>x</div></div>",
        '<p style="color: red; DISPLAY : none">x</p>',
        "<!-- x --><noscript>x</noscript><template><p>x</template><svg><text>x</text></svg>",
        "<select><option>x</select><button>x</button><textarea>x</textarea>",
    ],
)
def test_hidden_html_is_left_out(tmp_path: Path, hidden: str) -> None:
    assert html(tmp_path, f"<p>One.</p>{hidden}<p>Two.</p>") == "One.\n\nTwo."


def test_html_titles_and_metadata(tmp_path: Path) -> None:
    head = '<title>On &lt;Engines&gt;\n</title><meta name="Author" content="Ada"><meta property=og:type content=x>'
    page = read(tmp_path / "a.html", f"{head}<h1>Heading</h1><p>Text.")
    assert (page.title, page.metadata, page.pages) == ("On <Engines>", {"author": "Ada"}, ())
    assert read(tmp_path / "a.html", "<h1>Heading</h1><p>Text.").title == "Heading"


@pytest.mark.parametrize(
    ("head", "encoding", "fallback"),
    [
        ('<meta charset="windows-1251">', "cp1251", ""),
        ('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', "koi8-r", ""),
        ('<?xml version="1.0" encoding="iso-8859-5"?>', "iso-8859-5", "latin-1"),
        ("<meta charset=x-klingon>", "utf-8", ""),
        ("<meta charset=utf-16>", "utf-8", ""),
        ("<meta charset=koi8-r>", "utf-8-sig", ""),
        ("", "utf-16", ""),
        ("", "utf-8", "cp1251"),
        ("", "cp1251", "cp1251"),
    ],
)
def test_html_charsets(tmp_path: Path, head: str, encoding: str, fallback: str) -> None:
    data = f"{head}<p>Привет, мир</p>".encode(encoding)
    assert read(tmp_path / "a.html", data, encoding=fallback).text == "Привет, мир"


def test_html_with_single_bytes_of_another_charset_is_read(tmp_path: Path) -> None:
    assert read(tmp_path / "a.html", b"<meta charset=utf-8><p>caf\xe9 caf\xc3\xa9").text == "caf\ufffd café"


@pytest.mark.slow
def test_long_html_text_is_complete(tmp_path: Path) -> None:
    assert len(read(tmp_path / "a.html", "<p>" + "word " * 2_400_000).text) == 5 * 2_400_000 - 1


# E-mail


def test_messages_have_sender_and_recipients(tmp_path: Path) -> None:
    data = documents.eml(ENGINE, html="<p>Other.</p>", subject="Über die Maschine", attachment="plan é.pdf")
    message = read(tmp_path / "a.eml", data)
    assert (message.title, message.text) == ("Über die Maschine", ENGINE)
    assert message.metadata == {
        "from": "Ada Lovelace <ada@example.org>",
        "to": "Charles Babbage <charles@example.org>",
        "date": "2024-05-01 12:00:00+02:00",
        "attachments": "plan é.pdf",
    }


def test_a_message_in_html_marks_what_it_quotes(tmp_path: Path) -> None:
    quoted = (
        '<div class="gmail_quote">On Monday Ada wrote:<br><blockquote type="cite">Ready?<br>Soon?</blockquote></div>'
    )
    message = read(tmp_path / "a.eml", documents.eml(html=f"<p>{ENGINE}</p>{quoted}"))
    assert message.text == f"{ENGINE}\n\n> On Monday Ada wrote:\n\n> Ready?\n> Soon?"


def test_messages_in_html_are_read_as_pages(tmp_path: Path) -> None:
    message = read(tmp_path / "a.eml", documents.eml(html=f"<h1>Plan</h1><style>x</style><p>{ENGINE}"))
    assert message.text == f"# Plan\n\n{ENGINE}"


@pytest.mark.parametrize(
    "raw",
    [
        b"Subject: =?no-such-charset?q?x?=\nDate: never\n\nText.",
        b"Subject: =?utf-8?b?broken!?=\nContent-Type: text/plain; charset=punycode\n\nText.",
        b"From: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nText.\n",
        b"From: x\nContent-Transfer-Encoding: base64\n\nVGV4dC4=!!!",
        b'From: x\nContent-Type: text/html; charset="bad\n\n<p>Text.',
    ],
)
def test_malformed_messages_are_read_partially(tmp_path: Path, raw: bytes) -> None:
    assert read(tmp_path / "a.eml", raw).text == "Text."


def test_messages_in_other_charsets(tmp_path: Path) -> None:
    head = b"From: x\nContent-Type: text/plain; charset=%s\n\n"
    assert read(tmp_path / "a.eml", head % b"koi8-r" + "Привет".encode("koi8-r")).text == "Привет"
    assert read(tmp_path / "a.eml", head % b"latin-1" + b"caf\xe9").text == "café"
    assert read(tmp_path / "a.eml", b"From: x\n\n" + b"caf\xe9", encoding="cp1252").text == "café"


# EPUB


def test_books_are_read_in_the_order_of_their_spine(tmp_path: Path) -> None:
    book = read(tmp_path / "a.epub", documents.epub(["<h1>One</h1><p>First<a id='x'/> page.</p>", "<p>Second.</p>"]))
    assert book.text == "# One\n\nFirst page.\n\nSecond."
    assert (book.title, book.metadata) == ("A Book", {"author": "Ada Lovelace", "date": "1843-10-01"})


def test_books_with_scrambled_fonts_are_read(tmp_path: Path) -> None:
    method = '<EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/>'
    listed = {"META-INF/encryption.xml": f"<encryption><EncryptedData>{method}</EncryptedData></encryption>"}
    assert ENGINE in read(tmp_path / "a.epub", documents.epub([f"<p>{ENGINE}</p>"], listed)).text


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


# Word


def test_word_files_keep_headings_lists_and_tables(tmp_path: Path) -> None:
    made = documents.docx()
    made.add_heading("The Engine", 0)
    made.add_heading("Parts", 2)
    made.add_paragraph("It had a mill\tand a store.")
    made.add_paragraph("mill", style="List Bullet")
    made.add_paragraph("store", style="List Bullet")
    table = made.add_table(2, 3)
    for cell, words in zip(table._cells, ["Part", "Use", "Year", "mill", "reckoning", "1837"], strict=True):
        cell.text = words
    narrow = made.add_table(2, 2)
    for cell, words in zip(narrow._cells, ["Born", "1815", "Died", "1852"], strict=True):
        cell.text = words
    document = read(tmp_path / "a.docx", documents.saved(made.save))
    assert document.text == (
        "# The Engine\n\n## Parts\n\nIt had a mill\tand a store.\n\n- mill\n- store\n\n- Part: mill; Use: reckoning;"
        " Year: 1837.\n\n| Born | 1815 |\n| Died | 1852 |"
    )
    assert document.title == "The Engine"


def numbering(levels: str, instances: str) -> str:
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    return f'<w:numbering {w}><w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>{instances}</w:numbering>'


def numbered(levels: str, instances: str, paragraphs: str) -> bytes:
    """Return a Word file with these list definitions; each paragraph is "list level text", one per line."""
    made = documents.docx()
    files = documents.unzipped(documents.saved(made.save))
    files["word/numbering.xml"] = numbering(levels, instances)
    body = ""
    for line in paragraphs.splitlines():
        number, level, text = line.split(maxsplit=2)
        properties = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
        body += f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"
    document = bytes(files["word/document.xml"]).decode()  # type: ignore[arg-type]
    files["word/document.xml"] = document.replace("<w:sectPr", body + "<w:sectPr", 1)
    return documents.zipped(files)


def level(depth: int, shape: str, pattern: str, start: int = 1, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="{start}"/><w:numFmt w:val="{shape}"/>{more}'
        f'<w:lvlText w:val="{pattern}"/></w:lvl>'
    )


OUTLINE = (
    level(0, "decimal", "%1.")
    + level(1, "decimal", "%1.%2")
    + level(2, "lowerLetter", "(%3)")
    + level(3, "lowerRoman", "%4.")
)
LIST = '<w:num w:numId="{}"><w:abstractNumId w:val="7"/>{}</w:num>'


def test_word_files_show_the_numbers_that_word_computes(tmp_path: Path) -> None:
    lines = (
        "3 0 Services\n3 1 Fees are due.\n3 1 Customer may:\n3 2 copy\n3 3 once\n3 2 install\n3 0 Term\n3 1 One year."
    )
    document = read(tmp_path / "a.docx", numbered(OUTLINE, LIST.format(3, ""), lines))
    assert document.text == (
        "## 1. Services\n\n1.1 Fees are due.\n\n1.2 Customer may:\n\n(a) copy\n  i. once\n(b) install\n\n## 2. Term"
        "\n\n2.1 One year."
    )


def test_headings_of_word_files_are_numbered_by_their_styles(tmp_path: Path) -> None:
    made = documents.docx()
    for words, depth in (("Fees", 1), ("Invoices", 2), ("Taxes", 2), ("Term", 1), ("Notice", 2)):
        made.add_heading(words, depth)
        made.add_paragraph(f"About {words.lower()}.")
    files = documents.unzipped(documents.saved(made.save))
    patterns = enumerate(("Article %1", "%1.%2"))
    linked = [level(n, "decimal", pattern, more=f'<w:pStyle w:val="Heading{n + 1}"/>') for n, pattern in patterns]
    files["word/numbering.xml"] = numbering("".join(linked), LIST.format(3, ""))
    styles = bytes(files["word/styles.xml"]).decode()  # type: ignore[arg-type]
    numbered_style = '<w:pPr><w:numPr><w:numId w:val="3"/></w:numPr>'
    for name in ("Heading1", "Heading2"):
        before, after = styles.split(f'w:styleId="{name}"', 1)
        styles = f'{before}w:styleId="{name}"{after.replace("<w:pPr>", numbered_style, 1)}'
    files["word/styles.xml"] = styles
    document = read(tmp_path / "a.docx", documents.zipped(files))
    assert [line for line in document.text.splitlines() if line.startswith("#")] == [
        "# Article 1 Fees",
        "## 1.1 Invoices",
        "## 1.2 Taxes",
        "# Article 2 Term",
        "## 2.1 Notice",
    ]


def test_lists_of_word_files_continue_unless_they_restart(tmp_path: Path) -> None:
    restart = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    lists = LIST.format(3, "") + LIST.format(4, "") + LIST.format(5, restart)
    levels = level(0, "upperRoman", "%1.", start=3)
    lines = "3 0 mill\n4 0 store\n5 0 cards\n5 0 wheels\n0 0 outside\n9 0 undefined"
    document = read(tmp_path / "a.docx", numbered(levels, lists, lines))
    assert document.text == ("III. mill\nIV. store\nV. cards\nVI. wheels\n\noutside\n\n- undefined")


def test_merged_cells_of_word_tables_are_repeated(tmp_path: Path) -> None:
    made = documents.docx()
    table = made.add_table(4, 3)
    cells = ["City", "Day", "Open", "Ulm", "Mon", "9", "", "Tue", "10", "Bonn", "Sun", ""]
    for cell, words in zip(table._cells, cells, strict=True):
        cell.text = words
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(3, 1).merge(table.cell(3, 2))
    document = read(tmp_path / "a.docx", documents.saved(made.save))
    assert document.text.strip() == (
        "- City: Ulm; Day: Mon; Open: 9.\n- City: Ulm; Day: Tue; Open: 10.\n- City: Bonn; Day: Sun; Open: Sun."
    )


def test_word_properties_are_metadata(tmp_path: Path) -> None:
    made = documents.docx()
    made.add_paragraph(ENGINE)
    made.core_properties.title, made.core_properties.author = "On Engines", "Ada Lovelace"
    made.core_properties.created = datetime.datetime(1843, 10, 1, tzinfo=datetime.UTC)
    document = read(tmp_path / "a.docx", documents.saved(made.save))
    assert document.title == "On Engines"
    assert (document.metadata["author"], document.metadata["date"]) == ("Ada Lovelace", "1843-10-01")


def test_word_files_with_controls_changes_boxes_and_notes(tmp_path: Path) -> None:
    made = documents.docx()
    made.add_paragraph(ENGINE)
    files = documents.unzipped(documents.saved(made.save))
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    run = "<w:r><w:t>{}</w:t></w:r>"
    more = (
        f"<w:sdt><w:sdtContent><w:p>{run.format('In a control.')}</w:p></w:sdtContent></w:sdt>"
        f"<w:p><w:del>{run.format('Gone.')}</w:del><w:ins>{run.format('Added.')}</w:ins>"
        f"<w:r><w:pict><w:txbxContent><w:p>{run.format('Boxed.')}</w:p></w:txbxContent></w:pict></w:r></w:p>"
    )
    body = bytes(files["word/document.xml"]).decode()  # type: ignore[arg-type]
    files["word/document.xml"] = body.replace("<w:sectPr", more + "<w:sectPr", 1)
    line, note = f'<w:footnote w:type="separator"><w:p>{run.format("x")}</w:p></w:footnote>', run.format("A note.")
    files["word/footnotes.xml"] = f"<w:footnotes {w}>{line}<w:footnote><w:p>{note}</w:p></w:footnote></w:footnotes>"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    relations = bytes(files["word/_rels/document.xml.rels"]).decode()  # type: ignore[arg-type]
    link = f'<Relationship Id="rId99" Type="{kind}" Target="footnotes.xml"/></Relationships>'
    files["word/_rels/document.xml.rels"] = relations.replace("</Relationships>", link)
    text = read(tmp_path / "a.docx", documents.zipped(files)).text
    assert text == f"{ENGINE}\n\nIn a control.\n\nAdded.\n\nBoxed.\n\nA note."


# PowerPoint


def test_slides_are_pages(tmp_path: Path) -> None:
    deck = documents.pptx()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "The Engine"
    first.placeholders[1].text = "mill\nstore"
    first.notes_slide.notes_text_frame.text = "Say who built it."
    second = deck.slides.add_slide(deck.slide_layouts[6])
    table = second.shapes.add_table(2, 3, 0, 0, 9_000_000, 900_000).table
    for place, words in enumerate(["Part", "Use", "Year", "mill", "reckoning", "1837"]):
        table.cell(place // 3, place % 3).text = words
    group = second.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 900_000, 900_000).text_frame.text = "In a group."
    document = read(tmp_path / "a.pptx", documents.saved(deck.save))
    assert document.text == (
        "# The Engine\n\n- mill\n- store\n\nSay who built it.\n\n- Part: mill; Use: reckoning; Year: 1837."
        "\n\nIn a group."
    )
    assert (document.title, page_of(document.pages, document.text.index("Part"))) == ("The Engine", 2)


# Excel


def test_merged_cells_of_slides_are_repeated(tmp_path: Path) -> None:
    deck = documents.pptx()
    table = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_table(3, 3, 0, 0, 9_000_000, 900_000).table
    for place, words in enumerate(["City", "Mon", "Tue", "Ulm", "closed", "", "", "9", "10"]):
        table.cell(place // 3, place % 3).text = words
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(1, 1).merge(table.cell(1, 2))
    document = read(tmp_path / "a.pptx", documents.saved(deck.save))
    assert document.text == "- City: Ulm; Mon: closed; Tue: closed.\n- City: Ulm; Mon: 9; Tue: 10."


def test_merged_cells_of_sheets_hold_for_the_rows_below(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in [
        ["", "2023", "", "2024", ""],
        ["City", "Men", "Women", "Men", "Women"],
        ["Ulm", 1, 2, 3, 4],
        ["", 5, 6, 7, 8],
    ]:
        book.active.append(row)
    book.active.title = "People"
    book.active.merge_cells("B1:C1")
    book.active.merge_cells("A3:A4")
    document = read(tmp_path / "a.xlsx", documents.saved(book.save))
    assert document.text == (
        "# People\n\n- City: Ulm; 2023 Men: 1; 2023 Women: 2; 2024 Men: 3; 2024 Women: 4.\n"
        "- City: Ulm; 2023 Men: 5; 2023 Women: 6; 2024 Men: 7; 2024 Women: 8."
    )


def test_sheets_are_pages_with_a_line_for_each_row(tmp_path: Path) -> None:
    born = datetime.date(1815, 12, 10)
    people: list[list[object]] = [
        ["People of the engine"],
        [],
        ["Name", "Born", "Score"],
        ["Ada", born, 0.1 + 0.2],
        ["Charles", None, 3.0],
    ]
    sheets: dict[str, list[list[object]]] = {
        "People": people,
        "Empty": [],
        "Numbers": [[1, 2], [True, "#DIV/0!"], [None, "=1+1"]],
    }
    document = read(tmp_path / "a.xlsx", documents.xlsx(sheets))
    assert document.text == (
        "# People\n\nPeople of the engine\n- Name: Ada; Born: 1815-12-10; Score: 0.3.\n- Name: Charles; Score: 3."
        "\n\n# Numbers\n\n| 1 | 2 |\n| true |  |"
    )
    assert [page_of(document.pages, document.text.index(word)) for word in ("Ada", "Numbers")] == [1, 3]


def test_title_of_several_sheets_is_not_the_name_of_the_first(tmp_path: Path) -> None:
    rows: list[list[object]] = [["Name", "Room"], ["Ada", 4]]
    assert read(tmp_path / "choir tour.xlsx", documents.xlsx({"Budget": rows, "Singers": rows})).title == "choir tour"
    assert read(tmp_path / "one.xlsx", documents.xlsx({"Budget": rows})).title == "Budget"


def test_lines_above_the_header_of_a_sheet_are_text(tmp_path: Path) -> None:
    above: list[list[object]] = [["Price list of Acme Ltd"], ["Currency EUR"], ["Valid from", "1 May 2024"]]
    table: list[list[object]] = [["Item", "Price", "Unit", "Stock"], ["hose", 24.9, "m", 3], ["rake", 14, "m", 4]]
    document = read(tmp_path / "a.xlsx", documents.xlsx({"Tools": [*above, *table]}))
    assert document.text == (
        "# Tools\n\nPrice list of Acme Ltd\n\nCurrency EUR\n\nValid from: 1 May 2024\n"
        "- Item: hose; Price: 24.9; Unit: m; Stock: 3.\n- Item: rake; Price: 14; Unit: m; Stock: 4."
    )


def test_hidden_sheets_are_left_out(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.worksheets[0].append(["Shown", "words"])
    for state in ("hidden", "veryHidden"):
        sheet = book.create_sheet(state)
        sheet.append(["Secret"])
        sheet.sheet_state = state
    document = read(tmp_path / "a.xlsx", documents.saved(book.save))
    book.close()
    assert document.text == "# Sheet\n\n| Shown | words |"
