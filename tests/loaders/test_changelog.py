"""Changelogs in plain text: their entries are headings, and none of them is the title."""

from pathlib import Path

import pytest

from polyadic.config import ReadingSettings
from polyadic.loaders.loader import read_documents
from polyadic.loaders.pages.changelog import marked_entries
from polyadic.model.types import Document
from polyadic.text.headings import marked_headings

PANES = """\
CHANGES FROM 3.2 TO 3.3

* Add popups.

CHANGES FROM 1.3 TO 1.4, 27 December 2010

Normal Changes
==============

* Window numbers are reused.
"""
UPLOADS = """\
rsync (3.1.3-7) unstable; urgency=low

  * Fix the build.

 -- Ada Byron <ada@example.org>  Fri, 21 Apr 2023 21:54:48 +0200

rsync (3.1.3-6) unstable; urgency=high

  * Apply patches.
"""
COMMITS = """\
$Id: ChangeLog 5338 2022-02-28 16:34:26Z ada $

2022-02-28  Ada Byron  <ada@example.org>

\tsmartmontools 7.3

2022-02-27  Charles Babbage  <charles@example.org>

\tscsicmds.cpp: route all calls.
"""
NEWS = """\
Date 2022-02-28
Summary: release 7.3
--------------------
- Reads more drives.

Date 2020-12-30
Summary: release 7.2
--------------------
- Reads some drives.
"""
STOPPED = """\
Changes in bc from 1.06 to 1.07.
    Added void functions.
    Bug fixes:
\tremoved a double free.

Changes in dc from 1.3 to 1.4:
    Bug fixes.

Changes in dc 1.2 to 1.3.
    Minor bug fixes.

Changes in dc from 1.1 to 1.2:
    Arrays now stack.
"""
RELEASES = """\
# logrotate change log

## [3.20.1] - 2022-05-25
  - drop permission (#446)

## [3.20.0] - 2022-05-24
  - fix potential denial of service
"""


def read(tmp_path: Path, text: str) -> Document:
    path = tmp_path / "changelog.txt"
    path.write_text(text)
    (document,) = read_documents([path], ReadingSettings())
    assert isinstance(document, Document)
    return document


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        (PANES, ["CHANGES FROM 3.2 TO 3.3", "CHANGES FROM 1.3 TO 1.4, 27 December 2010", "Normal Changes"]),
        (UPLOADS, ["rsync (3.1.3-7) unstable; urgency=low", "rsync (3.1.3-6) unstable; urgency=high"]),
        (COMMITS, ["2022-02-28 Ada Byron", "2022-02-27 Charles Babbage"]),
        (
            STOPPED,
            [
                "Changes in bc from 1.06 to 1.07.",
                "Changes in dc from 1.3 to 1.4:",
                "Changes in dc 1.2 to 1.3.",
                "Changes in dc from 1.1 to 1.2:",
            ],
        ),
        (NEWS, ["Date 2022-02-28 Summary: release 7.3", "Date 2020-12-30 Summary: release 7.2"]),
    ],
)
def test_entries_are_headings_but_not_the_title(tmp_path: Path, text: str, entries: list[str]) -> None:
    document = read(tmp_path, text)
    assert [heading.words for heading in marked_headings(document.text)] == entries
    assert document.title == ""


def test_sentence_that_begins_on_the_line_of_an_entry_is_its_text(tmp_path: Path) -> None:
    entries = [
        f'2016.0{n}.25 - GNU nano 2.5.{n} "Alphys" is released.  This release contains\n          fixes for {n} bugs.'
        for n in (3, 2)
    ]
    document = read(tmp_path, "\n\n".join(entries))
    assert [heading.words for heading in marked_headings(document.text)] == [
        '2016.03.25 - GNU nano 2.5.3 "Alphys" is released.',
        '2016.02.25 - GNU nano 2.5.2 "Alphys" is released.',
    ]
    assert "This release contains\n          fixes for 3 bugs." in document.text


def test_statement_with_a_full_stop_is_the_text_of_an_entry(tmp_path: Path) -> None:
    statement = "2023-01-05: the 1.6 compiler works.\n  It needs a patch.\n"
    found = marked_headings(read(tmp_path, f"{COMMITS}\n{statement}\nAda wrote 1.2.\n  She did.\n").text)
    assert [heading.words for heading in found] == ["2022-02-28 Ada Byron", "2022-02-27 Charles Babbage"]


def test_underlined_text_in_an_entry_is_a_subheading(tmp_path: Path) -> None:
    found = marked_headings(read(tmp_path, PANES).text)
    assert [heading.level for heading in found] == [1, 1, 2]


def test_markdown_in_a_text_file_keeps_its_headings(tmp_path: Path) -> None:
    document = read(tmp_path, RELEASES)
    assert document.title == "logrotate change log"
    found = [heading.words for heading in marked_headings(document.text)]
    assert found == ["logrotate change log", "[3.20.1] - 2022-05-25", "[3.20.0] - 2022-05-24"]


def test_lines_with_number_signs_are_no_headings(tmp_path: Path) -> None:
    text = "Update first:\n\n# apt update\n\n## as root\n# apt upgrade\n\nThen restart.\n"
    assert not marked_headings(read(tmp_path, text).text)


@pytest.mark.parametrize(
    "text",
    [
        "In 1.2 this was added.\n\nIn 1.3 it was removed.",
        "Version 1.2 of the engine\nruns well.\n\nVersion 1.3 of the engine\nruns better.",
        "1.1 Wheels\n\nThey turn.\n\n1.2 Cogs\n\nThey catch.",
        "- 1.2\n\n- 1.3",
        "[1.2]: https://example.org/1.2\n\n[1.1]: https://example.org/1.1",
        "Release 1.2\n\nIt was the only one.",
        "Support for 1.2 ended.\n    Use 1.3.\n\nSupport for 1.1 ended.\n    Use 1.2.",
    ],
)
def test_prose_sections_and_items_are_no_entries(text: str) -> None:
    assert marked_entries(text.split("\n")) == text.split("\n")
