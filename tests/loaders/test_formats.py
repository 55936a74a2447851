"""What files of other formats say: HTML, e-mail, books, PDF and Office files."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.config import ReadingSettings
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document
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
