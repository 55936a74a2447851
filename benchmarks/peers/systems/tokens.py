"""Tokenizer for systems that would otherwise download their vocabulary; the same vocabulary comes from a package."""

from collections.abc import Sequence

import bpe_openai

_ENCODING = bpe_openai.get_encoding("o200k_base")


class Tokens:
    """Tokenizer interface that the systems need; it has no state, so it can be copied and shared by threads."""

    def encode(self, text: str) -> list[int]:
        return list(_ENCODING.encode_ordinary(text))

    def decode(self, tokens: Sequence[int]) -> str:
        return str(_ENCODING.decode(list(tokens)))

    def encode_batch(self, texts: Sequence[str], num_threads: int = 1) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    def decode_batch(self, batch: Sequence[Sequence[int]]) -> list[str]:
        return [self.decode(tokens) for tokens in batch]
