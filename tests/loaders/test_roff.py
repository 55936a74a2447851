"""Manual pages in roff source: the macros of man(7) and mdoc(7), escapes, conditions and tables."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyadic.config import ReadingSettings
from polyadic.loaders.formats.plain_text import read_plain
from polyadic.loaders.roff.renderer import rendered_manual_page
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.support.examples import examples

MAN = r"""'\" t
.\" Copyright of somebody
.de Ex
.B not shown
..
.ds Pg Reel Guide
.TH REEL 1 2021-03-04 "reel 2.1"
.SH NAME
reel \- wind \fItape\fR onto spools
.SH OPTIONS
.TP
.BR \-s ", " \-\-speed =\fIN\fR
Wind at
.I N
metres a second.
The default is 4.
.TQ
.B \-\-fast
Wind at 9 metres a second.
.IP \(bu 2
Spools are checked first.
.PP
See \*(Pg\(em or don\(aqt.
.nf
reel  \-s 2   a.tape
.fi
.if n This is for terminals.
.if t This is for paper.
.ie n \{\
Shown.
.\}
.el \{\
Hidden.
.\}
.TS
l l.
Spool	Length
A	40 m
.TE
"""
MDOC = r""".Dd March 4, 2021
.Dt UNREEL 8
.Os
.Sh NAME
.Nm unreel
.Nd take tape off spools
.Sh DESCRIPTION
The
.Nm
utility reads
.Pa /etc/spools ,
see
.Xr reel 1 .
.Bl -tag -width indent
.It Fl q Ns Ar level
Be quiet.
.It Fl t Op Ar file
Test.
.Pp
Twice.
.El
.Bl -bullet
.It
One thing.
.El
"""


def document(tmp_path: Path, text: str) -> Document:
    path = tmp_path / "reel.1"
    path.write_text(text)
    (found,) = read_plain(path, ReadingSettings())
    assert isinstance(found, Document)
    return found


@pytest.mark.parametrize(
    "line",
    [
        "# OPTIONS",
        "       reel - wind tape onto spools",
        "       -s, --speed=N:",
        "              Wind at N metres a second. The default is 4.",
        "       --fast:",
        "              • Spools are checked first.",
        "       See Reel Guide— or don't.",
        "       reel  -s 2   a.tape",
        "       This is for terminals. Shown.",
        "       A   40 m",
    ],
)
def test_page_of_man_macros(tmp_path: Path, line: str) -> None:
    assert line in document(tmp_path, MAN).text.split("\n")


def test_what_is_not_printed_is_left_out(tmp_path: Path) -> None:
    found = document(tmp_path, MAN)
    assert found.title == "reel"
    assert not [
        word for word in ("Copyright", "not shown", "paper", "Hidden", "\\", "2021", "l l") if word in found.text
    ]


@pytest.mark.parametrize(
    "line",
    [
        "       unreel – take tape off spools",
        "       The unreel utility reads /etc/spools, see reel(1).",
        "       -qlevel:",
        "       -t [file]:",
        "              Twice.",
        "       • One thing.",
    ],
)
def test_page_of_mdoc_macros(tmp_path: Path, line: str) -> None:
    assert line in document(tmp_path, MDOC).text.split("\n")


def test_question_about_an_option_is_answered(tmp_path: Path) -> None:
    (tmp_path / "reel.1").write_text(MAN)
    with Workspace(tmp_path / "kb") as kb:
        kb.index([tmp_path / "reel.1"])
        quoted = kb.query("What does --fast do?").citations[0].place.quote
    assert quoted.split() == ["--fast:", "Wind", "at", "9", "metres", "a", "second."]


@pytest.mark.parametrize("text", [".TH is a request.\nNo page.", "The first line.\n.TH X 1\n", "", ".PP\nNo title."])
def test_other_text_is_no_page(text: str) -> None:
    page = rendered_manual_page(text)
    assert (page is None) == (not text.startswith(".TH"))


def test_nested_conditions_are_bounded() -> None:
    page = rendered_manual_page(f".TH X 1\n.SH A\n{'.if n ' * 50_000}text\nEnd.\n")
    assert page is not None
    assert page.rstrip().endswith("End.")


def test_a_small_page_cannot_become_a_large_one() -> None:
    strings = [f".ds s{n} {chr(92)}*(s{n - 1}{chr(92)}*(s{n - 1}{chr(92)}*(s{n - 1}" for n in range(1, 10)]
    source = "\n".join([".TH X 1", ".ds s0 abc", *strings, *[".RS"] * 2000, *["\\*(s9", ".br"] * 2000])
    page = rendered_manual_page(source)
    assert page is not None
    assert len(page) < 20 * len(source)


@given(st.lists(st.sampled_from(MAN.split("\n") + MDOC.split("\n") + [".RE", ".El", ".if n \\{\\", "\\(", "\\*["])))
@settings(max_examples=examples(100))
def test_any_order_of_lines_is_read(lines: list[str]) -> None:
    page = rendered_manual_page("\n".join([".TH X 1", *lines]))
    assert page is not None
    assert not [line for line in page.split("\n") if line.startswith((".SH", ".TP", ".B "))]
