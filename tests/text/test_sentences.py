"""Sentences: exact, disjoint, complete, local."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.knowledge import Span
from polyadic.text.sentences import LONGEST, sentences

TEXTS = st.text(alphabet=st.sampled_from('aB.!? \n\r\t#-|*1é我。\u2028\U0001f600"“”'), max_size=400) | st.text(
    max_size=200
)
LANGUAGES = st.sampled_from(["en", "de", "zh", "xx", "ru"])


def split(text: str, language: str = "en") -> list[str]:
    return [text[s.start : s.end] for s in sentences(text, language)]


@given(TEXTS, LANGUAGES)
def test_spans_are_ordered_disjoint_bounded_and_cover_all_but_white_space(text: str, language: str) -> None:
    spans = sentences(text, language)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(0 <= s.start < s.end <= len(text) and s.end - s.start <= LONGEST for s in spans)
    outside = list(text)
    for s in spans:
        outside[s.start : s.end] = [" "] * (s.end - s.start)
        assert text[s.start : s.end] == text[s.start : s.end].strip()
    assert not "".join(outside).strip()


@given(TEXTS, TEXTS)
def test_a_paragraph_put_in_front_moves_no_boundary_behind_it(front: str, text: str) -> None:
    moved = len(front) + 2
    expected = [Span(s.start + moved, s.end + moved) for s in sentences(text, "en")]
    found = [s for s in sentences(front + "\n\n" + text, "en") if s.start >= moved]
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("J. K. Rowling wrote it. She did.", ["J. K. Rowling wrote it.", "She did."]),
        ("He studied at St. Mary's. Mr. Hyde left.", ["He studied at St. Mary's.", "Mr. Hyde left."]),
        ("A line that is\nwrapped hard. Next\r\none.", ["A line that is\nwrapped hard.", "Next\r\none."]),
        ("# St. Ives. 1\nText one. Two.\n- a\n- b", ["# St. Ives. 1", "Text one.", "Two.", "- a", "- b"]),
        ("1. First. Then.\n2. Second.", ["1. First.", "Then.", "2. Second."]),
        ("| a | b |\n|---|---|\n| 1. | 2 |", ["| a | b |", "|---|---|", "| 1. | 2 |"]),
        ("no full stop\n\nsecond paragraph", ["no full stop", "second paragraph"]),
        ("Title\n=====\nText.", ["Title", "=====", "Text."]),
    ],
)
def test_english(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_chinese() -> None:
    assert split("我爱你。他走了！\n真的吗？", "zh") == ["我爱你。", "他走了！", "真的吗？"]


def test_german_ordinals_and_abbreviations() -> None:
    assert split("Dr. Lang kam am 3. Mai 1843. Er ging.", "de") == ["Dr. Lang kam am 3. Mai 1843.", "Er ging."]


def test_titles_of_persons_in_a_language_whose_rules_lack_them() -> None:
    assert split("M. Dupont et Mr. Smith sont là. Oui.", "fr") == ["M. Dupont et Mr. Smith sont là.", "Oui."]


def test_a_long_sentence_is_cut_at_clauses() -> None:
    parts = split("one clause of many words, " * 100)
    assert all(len(part) <= LONGEST for part in parts)
    assert all(part.endswith(",") for part in parts)


def test_a_long_run_without_white_space_is_cut() -> None:
    assert [len(part) for part in split("x" * 2500)] == [1000, 1000, 500]
