"""Cutting long texts."""

import subprocess
import sys
from itertools import pairwise

import pytest
from bpe_openai import get_encoding
from hypothesis import assume, given
from hypothesis import strategies as st

from polyadic.text.tokens import count_tokens, split_text

TEXTS = st.text(st.sampled_from("ab9 \n\t,.ß東 "))

pytestmark = pytest.mark.slow


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


def test_empty_texts_have_no_tokens() -> None:
    assert count_tokens([]) == []
    assert count_tokens(["", " ", "a"]) == [0, 1, 1]


def test_special_token_text_is_plain_text() -> None:
    assert count_tokens(["<|endoftext|>", "<|endofprompt|>"]) == [7, 7]


def test_text_beyond_the_library_limit_is_counted() -> None:
    assert count_tokens(["word and " * 150_000]) == [300_001]
    assert count_tokens(["\U0001f9ec" * 60_000])[0] >= 60_000


def test_lone_surrogate_is_counted() -> None:
    assert count_tokens(["broken \ud800 text"])[0] > 2


@given(st.lists(st.text(st.sampled_from("abDE'9.!\n\t\xa0/é東"), min_size=1, max_size=8)), st.integers(18, 40))
def test_tokens_of_pieces_join_to_the_text(words: list[str], size: int) -> None:
    text = " ".join(words)
    cut = list(split_text(text, size))
    # White space at every possible place leaves none to cut at without harm.
    assume(all(after.startswith(" ") and not before[-1].isspace() for before, after in pairwise(cut)))
    encode = get_encoding("o200k_base").encode_ordinary
    assert [token for piece in cut for token in encode(piece)] == encode(text)


@given(st.lists(st.text(max_size=60)))
def test_counts_equal_the_library(texts: list[str]) -> None:
    encode = get_encoding("o200k_base").encode_ordinary
    assert count_tokens(texts) == [len(encode(text)) for text in texts]


def test_vocabulary_is_loaded_lazily() -> None:
    assert not _loaded_after("import polyadic.text.tokens", "bpe_openai")


def test_counting_does_not_load_the_decoder() -> None:
    assert not _loaded_after("from polyadic.text.tokens import count_tokens; count_tokens(['Ada'])", "bpe_openai")


def _loaded_after(code: str, module: str) -> bool:
    environment = {"PYTHONPATH": ":".join(entry for entry in sys.path if entry)}
    command = [sys.executable, "-c", f"import sys; {code}; sys.exit({module!r} in sys.modules)"]
    return subprocess.run(command, env=environment, check=False).returncode != 0
