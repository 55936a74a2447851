"""Misspelled words and the known words they may stand for."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.text import spelling
from polyadic.text.spelling import (
    MOST,
    edits,
    inflections,
    is_rare_english_word,
    likely_word,
    may_be_typo,
    typo_candidates,
)

WORDS = st.text(alphabet="abcé", max_size=12)
KNOWN = {"debian": 3, "project": 2, "override": 1, "publication": 1, "publications": 1, "roman": 5, "wrote": 1}


@pytest.mark.parametrize(
    ("word", "likely"),
    [
        ("debain", "debian"),
        ("projct", "project"),
        ("overide", "override"),
        ("publicasion", "publication"),
        ("romania", None),
        ("xebian", None),
        ("deb", None),
        ("write", None),  # "wrote" is another form of it, as many short words are that differ by one letter
        ("", None),
    ],
)
def test_misspelled_word_is_corrected_to_the_nearest_known_one(word: str, likely: str | None) -> None:
    assert likely_word(word, KNOWN) == likely


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("folder", "folded"),
        ("storing", "string"),
        ("dessert", "desert"),
        ("latter", "later"),
        ("ordner", "order"),
        ("causal", "casual"),  # rarer than the other, but English
        ("untied", "united"),
        ("deprecation", "depreciation"),
    ],
)
def test_regular_word_is_no_misspelling_of_a_similar_one(word: str, other: str) -> None:
    assert edits(word, other) == 1
    assert not may_be_typo(word, other) and likely_word(word, {other: 9}) is None


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("recieve", "receive"),  # frequent misspellings, which are tokens of their own
        ("sesion", "session"),
        ("adress", "address"),
        ("objekts", "objects"),
        ("minimun", "minimum"),
        ("populaton", "population"),
        ("protokoll", "protocol"),
        ("silbentrenung", "silbentrennung"),
        ("понели", "панели"),
    ],
)
def test_misspelling_is_told_from_a_regular_word(word: str, other: str) -> None:
    assert likely_word(word, {other: 1}) == other


@pytest.mark.parametrize(
    ("word", "language", "form"),
    [("folder", "en", "folders"), ("storing", "en", "stored"), ("ordnern", "de", "ordner"), ("access", "en", None)],
)
def test_inflections_are_other_forms_of_a_word(word: str, language: str, form: str | None) -> None:
    assert form in inflections(word, language) if form else "acces" not in inflections(word, language)


@pytest.mark.parametrize(
    ("word", "language", "form"), [("splitts", "en", "splitting"), ("bessten", "de", "bess"), ("logg", "en", "logging")]
)
def test_misspelling_is_no_inflection(word: str, language: str, form: str) -> None:
    assert form not in inflections(word, language)


def test_correction_ties_prefer_the_most_frequent_word() -> None:
    assert likely_word("overde", {"oversde": 1, "override": 9, "overdue": 7}) == "overdue"


def test_very_long_words_are_not_corrected() -> None:
    word = "ab" * (MOST // 2)
    assert likely_word(word, {f"{word}c": 1}) and typo_candidates(word)
    assert likely_word(f"{word}b", {word: 1}) is None and typo_candidates(f"{word}b") == []


def test_word_list_is_written_as_it_is_read() -> None:
    lines = spelling._english_words()
    words = json.loads(b"{" + b"".join(lines) + b"}")
    assert lines == sorted(lines) and len(words) == len(lines) > 100_000
    assert all(map(is_rare_english_word, list(words)[::100])) and is_rare_english_word("abbé")


@pytest.mark.parametrize("word", ["", "recieve", "zzzzzz", "causa", "конец"])
def test_unlisted_word_is_not_english(word: str) -> None:
    assert not is_rare_english_word(word)


@given(WORDS, WORDS)
def test_edit_distance_is_a_metric(first: str, second: str) -> None:
    distance = edits(first, second)
    assert distance == edits(second, first)
    assert (distance == 0) is (first == second)
    assert abs(len(first) - len(second)) <= distance <= max(len(first), len(second))


@given(WORDS, st.integers(0, 11), st.sampled_from("abcé"))
def test_single_edit_has_distance_one(word: str, place: int, letter: str) -> None:
    place = min(place, len(word))
    assert edits(word, word[:place] + letter + word[place:]) == 1
    assert edits(word, word[:place] + word[place + 1 :]) == (place < len(word))
