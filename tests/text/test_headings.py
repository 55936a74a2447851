"""Headings, and the path of headings above a place."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.model.types import Span
from polyadic.text.code_fences import without_headings
from polyadic.text.headings import heading_path, headings, headings_of, is_heading, is_within, marked_headings
from polyadic.text.sentences import sentences

RFC = """\
Network Working Group                                          R. Droms
Request for Comments: 2131                          Bucknell University

                  Dynamic Host Configuration Protocol

Abstract

   The protocol passes configuration information to hosts.

Table of Contents

   1.  Introduction . . . . . . . . . . 2
   1.1  Related Work. . . . . . . . . . 3

1.  Introduction

   DHCP supplies clients with addresses.

1.1.  Related Work
      of Others

   There are several protocols.

   1. The first step is taken.

   2. The second step is taken.

2.  Protocol Summary

   Figure 1: Format of a message

   A message is made of fields.

Appendix A.  Examples

   One example is here.
"""


def path(text: str, words: str) -> tuple[str, ...]:
    return tuple(one.words for one in heading_path(headings(text), text.index(words)))


def test_heading_ends_the_section_before_it() -> None:
    text = "# Ships\n\n## Sails\n\nOld.\n\n## Engines\n\nNew.\n\n### Coal\n\nBlack."
    assert path(text, "## Engines") == ("Ships",)
    assert path(text, "### Coal") == ("Ships", "Engines")


def test_heading_path_in_markdown() -> None:
    text = "Intro.\n\n# Plans\n\nText one.\n\n### Team ###\n\nText two.\n\n## Prices\n\nText three.\n\n"
    text += "# *Terms*\n\nText four."
    assert path(text, "Intro") == ()
    assert path(text, "Text one") == ("Plans",)
    assert path(text, "Text two") == ("Plans", "Team")
    assert path(text, "Text three") == ("Plans", "Prices")
    assert path(text, "Text four") == ("Terms",)
    assert path(text, "Team") == ("Plans",)


def test_heading_path_in_numbered_plain_text() -> None:
    assert path(RFC, "passes configuration") == ("Abstract",)
    assert path(RFC, "DHCP supplies") == ("1. Introduction",)
    assert path(RFC, "several protocols") == ("1. Introduction", "1.1. Related Work of Others")
    assert path(RFC, "second step") == ("1. Introduction", "1.1. Related Work of Others")
    assert path(RFC, "A message is") == ("2. Protocol Summary",)
    assert path(RFC, "One example") == ("Appendix A. Examples",)


def test_heading_path_in_unnumbered_plain_text() -> None:
    text = "STAVE ONE\n\nMarley's Ghost\n\nMarley was dead, to begin with.\n\nSTAVE TWO\n\nScrooge awoke."
    assert path(text, "was dead") == ("STAVE ONE", "Marley's Ghost")
    assert path(text, "awoke") == ("STAVE TWO",)


@pytest.mark.parametrize(
    "text",
    [
        "```sh\n# apt update\n```\n\nDone, and the machine is up to date.",
        "Run this:\n\n    # apt update\n\nThen all is up to date.",
        without_headings("# apt update\n# apt upgrade\nThe machine is up to date."),
        "#apt is no heading.",
        "Milk\n\nEggs\n\nFlour\n\nButter",
        "Subject: The plan\n\nWe meet at noon on the bridge.",
        "Table 2: Plans\n\nWe meet at noon on the bridge.",
        "A short sentence.\n\nAnother one follows here.",
    ],
)
def test_other_lines_are_no_headings(text: str) -> None:
    assert headings(text) == []


def test_marked_headings_exclude_other_lines() -> None:
    assert [h.words for h in headings("# Plans\n\nTeam\n\nThe team plan costs 5 euros.")] == ["Plans"]


def test_underlined_headings_are_found() -> None:
    text = "Engines\n=======\n\nText.\n\nMills\n-----\n\nText.\n\nA paragraph\nof two lines\n---\n\n- item\n---\n"
    assert [(h.level, h.words) for h in headings(text)] == [(1, "Engines"), (2, "Mills")]


def test_a_numbered_title_may_end_in_a_full_stop() -> None:
    text = "  0. Definitions.\n\n  A licence is a grant.\n\n  1. Source Code.\n\n  The source is what one edits."
    assert path(text, "one edits") == ("1. Source Code.",)


@given(st.text(st.sampled_from("#= -.\n\tAb1`:"), max_size=200))
def test_headings_are_ordered_lines(text: str) -> None:
    found = headings(text)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(text[h.start : h.end].strip() and h.words and h.level >= 1 for h in found)
    for place in range(len(text)):
        above = heading_path(found, place)
        assert set(above) <= {h for h in found if h.end <= place}
        assert bool(above) == any(h.end <= place for h in found)
        assert is_within(found, place) == any(h.start <= place < h.end for h in found)


@given(st.text(st.sampled_from("#= -.\n\tAb1`:"), max_size=80), st.data())
def test_headings_of_a_part_are_those_of_its_sections(text: str, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(*2 * [st.integers(0, len(text))])))
    found = headings(text)
    own = headings_of(found, Span(start, end))
    for place in range(start, end):
        assert heading_path(own, place) == heading_path(found, place)
        assert is_within(own, place) == is_within(found, place)


@given(st.text(st.sampled_from("# \nAb."), max_size=80))
def test_a_sentence_that_is_a_heading_is_marked_as_one(text: str) -> None:
    starts = {heading.start for heading in marked_headings(text)}
    for span in sentences(text, "en"):
        if is_heading(text, span.start, span.end) and text[span.start : span.end].strip("# "):
            assert span.start in starts


def test_name_of_the_sender_above_a_quoted_message_is_no_heading() -> None:
    mail = "Hi Ada,\n\nthe mill runs.\n\nDana\n\n> On Monday Ada wrote:\n> Does it run?\n"
    assert headings(mail) == []
    assert [heading.words for heading in headings(mail.replace(">", "Later:"))] == ["Dana"]
