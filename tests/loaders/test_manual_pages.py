"""Manual pages as text: sections are headings, and an option stays with its description."""

from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.loaders.formats.plain_text import plain_document
from polyadic.loaders.pages.manual_pages import manual_page
from polyadic.text.headings import headings
from polyadic.workspace import Workspace

PAGE = """SIFT(1)\t\t\t\tUser Commands\t\t\t       SIFT(1)

NAME
       sift, siftall - print lines that match

SYNOPSIS
       sift [-i] PATTERN
\t    [FILE...]

OPTIONS
   Matching Control
       -i, --ignore-case
\t      Ignore  the case of letters, so that Harbour and harbour
\t      match each other.
       --no-ignore-case
\t      Respect the case of letters.

       -C    Print two lines around each match, and a rule between
\t     matches.

       The marks before the number are:

       •  a colon after matching lines, with a num‐
\t  ber

AUTHOR
       Written by Ada Smith.

Sift 1.2			 March 2020			       SIFT(1)
"""


def test_sections_are_headings_and_header_and_footer_are_left_out() -> None:
    document = plain_document(Path("sift.txt"), PAGE)
    assert document.title == "sift"
    assert [(h.level, h.words) for h in headings(document.text)] == [
        (1, "NAME"),
        (1, "SYNOPSIS"),
        (1, "OPTIONS"),
        (2, "Matching Control"),
        (1, "AUTHOR"),
    ]
    assert "SIFT(1)" not in document.text and "with a number" in document.text


def test_option_and_description_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "sift.txt").write_text(PAGE)
    with Workspace(tmp_path / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as kb:
        kb.index([tmp_path / "sift.txt"])
        answer = kb.query("Which option of sift makes Harbour and harbour match each other?")
    assert answer.text.splitlines()[0].startswith(
        '"-i, --ignore-case: Ignore the case of letters, so that Harbour and harbour match each other."'
    )
    assert answer.citations[0].place.headings == ("OPTIONS", "Matching Control")


def test_terms_get_a_colon_but_list_items_and_the_synopsis_do_not() -> None:
    page = manual_page(PAGE)
    assert page is not None
    assert "       -C: Print two lines" in page.text
    assert "sift [-i] PATTERN\n" in page.text and "•  a colon after matching lines, with" in page.text


def test_overstruck_characters_are_printed_once() -> None:
    page = manual_page(PAGE.replace("NAME", "N\bNA\bAM\bME\bE"))
    assert page is not None and page.text.startswith("# NAME\n")


@pytest.mark.parametrize("text", ["", "One line.", "SIFT(1) is described\n\n   elsewhere.", PAGE.split("\n", 1)[1]])
def test_other_text_is_no_manual_page(text: str) -> None:
    assert manual_page(text) is None
