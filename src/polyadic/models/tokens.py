"""Counting tokens, to fit text into a budget."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from polyadic.models.pieces import pieces

# bpe-openai refuses to encode more than 200,000 tokens at once, and a character may have four.
_PIECE = 50_000


def count_tokens(texts: Sequence[str]) -> list[int]:
    """How many tokens each text has in o200k, the vocabulary of OpenAI's models since GPT-4o.

    Other models cut text a little differently, so for them this is an estimate. Only the text itself is
    counted, not what a chat endpoint wraps around it; ``<|endoftext|>`` and its like in a text are the
    characters that they are, not one special token. The first call reads the vocabulary, for half a second.

    >>> count_tokens(["Ada Lovelace", ""])
    [4, 0]
    """
    encode = _encoding().encode_ordinary
    return [sum(len(encode(piece)) for piece in pieces(text, _PIECE)) for text in texts]


@cache
def _encoding() -> Any:
    # Imported late: most commands never count.
    import bpe_openai

    return bpe_openai.get_encoding("o200k_base")
