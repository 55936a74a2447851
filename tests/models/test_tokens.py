"""Counting tokens."""

import subprocess
import sys
from itertools import pairwise

from bpe_openai import get_encoding
from hypothesis import assume, given
from hypothesis import strategies as st

from polyadic.models.pieces import pieces
from polyadic.models.tokens import count_tokens


def test_nothing_and_empty_texts() -> None:
    assert count_tokens([]) == []
    assert count_tokens(["", " ", "a"]) == [0, 1, 1]


def test_special_tokens_in_text_are_plain_text() -> None:
    assert count_tokens(["<|endoftext|>", "<|endofprompt|>"]) == [7, 7]


def test_a_text_beyond_the_limits_of_the_library() -> None:
    assert count_tokens(["word and " * 150_000]) == [300_001]
    assert count_tokens(["\U0001f9ec" * 60_000])[0] >= 60_000


def test_half_a_surrogate_pair_is_no_error() -> None:
    assert count_tokens(["broken \ud800 text"])[0] > 2


@given(st.lists(st.text(st.sampled_from("abDE'9.!\n\t\xa0/é東"), min_size=1, max_size=8)), st.integers(18, 40))
def test_the_tokens_of_the_pieces_are_those_of_the_text(words: list[str], size: int) -> None:
    text = " ".join(words)
    cut = list(pieces(text, size))
    # White space at every possible place leaves none to cut at without harm.
    assume(all(after.startswith(" ") and not before[-1].isspace() for before, after in pairwise(cut)))
    encode = get_encoding("o200k_base").encode_ordinary
    assert [token for piece in cut for token in encode(piece)] == encode(text)


def test_the_vocabulary_is_read_when_first_needed() -> None:
    code = "import sys; import polyadic.models.tokens; sys.exit('bpe_openai' in sys.modules)"
    environment = {"PYTHONPATH": ":".join(entry for entry in sys.path if entry)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
