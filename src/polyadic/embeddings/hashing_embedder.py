"""Embedder without weights: feature hashing of words."""

import asyncio
import hashlib
import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polyadic.model.types import Usage

# A longer run of letters (a language without spaces, a hexadecimal key) is split.
_WORD = re.compile(r"\w{1,40}")
# The sign of a feature's contribution is part of its weight.
_FEATURE = np.dtype([("hash", "<u4"), ("weight", "<f4")])
# Weights of a pair of neighbouring words, and of all trigrams of a word, relative to the word itself.
_PAIR, _LETTERS = 0.3, 0.7
# Words of at least this length have full weight; shorter ones are mostly function words.
_FULL_LENGTH = 8
# Distinguishes the pair (a, b) from (b, a).
_ORDER = np.uint32(0x9E3779B1)
_TEXTS_AT_ONCE = 1024


class HashingEmbedder:
    """Embedder that matches words, not meanings: for tests, benchmarks and machines without weights.

    Each word, each pair of neighbouring words and each trigram of a word adds to one component, with the sign given by
    a hash. Texts are similar as far as they share words or parts of words, in any language; "physician" is unrelated
    to "doctor". Vectors are the same on every machine. All texts without words have the same vector.

    ``window`` limits nothing here: all of a text counts. It equals that of the default embedder, so that chunks have
    the same size for both.

    >>> same, other = asyncio.run(HashingEmbedder().embed(["Ada wrote a program", "ADA WROTE A PROGRAM!"]))
    >>> bool((same == other).all())
    True
    """

    window: int = 254
    # Texts that share only function words and syllables rarely exceed it.
    unrelated_below: float = 0.3
    spent: Usage = Usage()

    def __init__(self, dimension: int = 384) -> None:
        self.name: str = f"hashing-{dimension}"
        self.dimension: int = dimension

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, one vector each, in order: shape (n, dimension), each row of length 1."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            part = slice(start, start + _TEXTS_AT_ONCE)
            vectors[part] = await asyncio.to_thread(self._embed, texts[part])
        return vectors

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Return the number of words of each text."""
        return [len(_WORD.findall(text)) for text in texts]

    def take_usage(self) -> tuple[Usage, float]:
        return Usage(), 0.0

    def cost(self, texts: int, tokens: int) -> Usage:
        """Return no cost: no call is made."""
        return Usage()

    async def close(self) -> None:
        """Do nothing: there are no connections."""

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        data, heads = bytearray(), bytearray()
        sizes, words = [], []
        for text in texts:
            before, first = len(data), len(heads)
            for word in _WORD.findall(text.casefold()):
                encoded = _features(word)
                data += encoded
                heads += encoded[: _FEATURE.itemsize]
            sizes.append((len(data) - before) // _FEATURE.itemsize)
            words.append((len(heads) - first) // _FEATURE.itemsize)
        features, word = np.frombuffer(data, _FEATURE), np.frombuffer(heads, _FEATURE)
        owner = np.repeat(np.arange(len(texts)), words)
        pairs = word["hash"][:-1] * _ORDER ^ word["hash"][1:]
        # The last word of a text and the first one of the next are not neighbours.
        neighbours = owner[:-1] == owner[1:]
        pair_weights = np.sign(word["weight"][:-1]) * word["weight"][1:] * (_PAIR * neighbours)
        return self._summed(
            np.concatenate([np.repeat(np.arange(len(texts)), sizes), owner[1:]]),
            np.concatenate([features["hash"], pairs]),
            np.concatenate([features["weight"], pair_weights]),
            len(texts),
        )

    def _summed(
        self, rows: NDArray[np.int64], hashes: NDArray[np.uint32], weights: NDArray[np.float64], count: int
    ) -> NDArray[np.float32]:
        """Return the vectors of ``count`` texts from the text, hash and weight of each feature."""
        places = rows * self.dimension + hashes % np.uint32(self.dimension)
        sums = np.bincount(places, weights, count * self.dimension).reshape(count, self.dimension)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        sums[norms[:, 0] == 0, 0] = 1
        vectors: NDArray[np.float32] = (sums / np.where(norms == 0, 1, norms)).astype(np.float32)
        return vectors


@lru_cache(maxsize=65_536)
def _features(word: str) -> bytes:
    """Return the features of a word and its trigrams, with start and end marks, as the bytes of a _FEATURE array."""
    marked = f"<{word}>"
    # The prefix distinguishes a trigram from a word of three letters.
    parts = [word, *(f"~{marked[start : start + 3]}" for start in range(len(word)))]
    # Python's hash() differs between processes.
    digests = [hashlib.blake2b(part.encode("utf-8", "surrogatepass"), digest_size=5).digest() for part in parts]
    features = np.empty(len(parts), _FEATURE)
    features["hash"] = [int.from_bytes(digest[:4], "little") for digest in digests]
    features["weight"] = [1.0 if digest[4] & 1 else -1.0 for digest in digests]
    features["weight"] *= min(len(word), _FULL_LENGTH) / _FULL_LENGTH
    features["weight"][1:] *= _LETTERS / math.sqrt(len(word))
    return features.tobytes()
