"""The word list of pyspellchecker is read as text, which depends on how it is written."""

import json

import pytest

from polyadic.text import known_words
from polyadic.text.known_words import is_rare_english_word


def test_each_listed_word_is_english() -> None:
    lines = known_words._lines()
    words = json.loads(b"{" + b"".join(lines) + b"}")
    assert lines == sorted(lines) and len(words) == len(lines) > 100_000
    assert all(map(is_rare_english_word, list(words)[::100])) and is_rare_english_word("abbé")


@pytest.mark.parametrize("word", ["", "recieve", "zzzzzz", "causa", "aaaaaaa", "конец"])
def test_other_words_are_not(word: str) -> None:
    assert not is_rare_english_word(word)
