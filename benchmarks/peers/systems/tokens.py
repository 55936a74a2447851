"""Tokens for systems that would fetch their vocabulary when first used: the same vocabulary, out of a package."""

from collections.abc import Sequence

import bpe_openai

_ENCODING = bpe_openai.get_encoding("o200k_base")


class Tokens:
    """What the systems need of a tokenizer; it holds nothing, so it may be copied and used by several threads."""

    def encode(self, text: str) -> list[int]:
        return list(_ENCODING.encode_ordinary(text))

    def decode(self, tokens: Sequence[int]) -> str:
        return str(_ENCODING.decode(list(tokens)))

    def encode_batch(self, texts: Sequence[str], num_threads: int = 1) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    def decode_batch(self, batch: Sequence[Sequence[int]]) -> list[str]:
        return [self.decode(tokens) for tokens in batch]
