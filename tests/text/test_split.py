"""Cutting long texts."""

from hypothesis import given
from hypothesis import strategies as st

from polyadic.text.split import split_text

TEXTS = st.text(st.sampled_from("ab9 \n\t,.ß東 "))


@given(TEXTS, st.integers(1, 20))
def test_pieces_cover_the_text_within_the_limit(text: str, size: int) -> None:
    found = list(split_text(text, size))
    assert "".join(found) == text
    assert all(len(piece) <= size for piece in found)
    assert text == "" or all(found)


@given(st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=9), min_size=1))
def test_words_are_not_split_if_they_fit(words: list[str]) -> None:
    found = list(split_text(" ".join(words), 10))
    assert [word for piece in found for word in piece.split(" ") if word] == words
