"""An embedder without weights: words hashed into vectors."""

import asyncio
import hashlib
import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polyadic.model.types import Usage

# A longer run of letters (a language without spaces, a key in hexadecimal) is taken in parts.
_WORD = re.compile(r"\w{1,40}")
# The sign of a feature's contribution is in its weight.
_FEATURE = np.dtype([("hash", "<u4"), ("weight", "<f4")])
# What a pair of neighbours, and the letters of a word together, weigh beside the word itself.
_PAIR, _LETTERS = 0.3, 0.7
# The length from which on a word counts fully; shorter ones are mostly function words.
_FULL_LENGTH = 8
# Tells the pair (a, b) from (b, a).
_ORDER = np.uint32(0x9E3779B1)
_TEXTS_AT_ONCE = 1024


class HashingEmbedder:
    """Finds words, not meanings: for tests, benchmarks and machines without weights.

    Each word, each pair of neighbouring words and each three letters of a word add to one component, up or
    down, as a hash decides. So texts are similar as far as they share words or parts of words, in any
    language, and "physician" has nothing to do with "doctor". The same text has the same vector on every
    machine; all texts without words have one and the same.

    ``window`` limits nothing here, all of a text counts. It is that of the default embedder, so that chunks
    are cut into the same stretches for both.

    >>> same, other = asyncio.run(HashingEmbedder().embed(["Ada wrote a program", "ADA WROTE A PROGRAM!"]))
    >>> bool((same == other).all())
    True
    """

    window: int = 254
    # Texts that share nothing but function words and syllables rarely come above it.
    unrelated_below: float = 0.3
    spent: Usage = Usage()

    def __init__(self, dimension: int = 384) -> None:
        self.name: str = f"hashing-{dimension}"
        self.dimension: int = dimension

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector a text, in their order: shape (n, dimension), each row of length 1."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            part = slice(start, start + _TEXTS_AT_ONCE)
            vectors[part] = await asyncio.to_thread(self._embed, texts[part])
        return vectors

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many words each text has."""
        return [len(_WORD.findall(text)) for text in texts]

    def take_paid(self) -> tuple[Usage, float]:
        return Usage(), 0.0

    def cost(self, texts: int, tokens: int) -> Usage:
        """Nothing: no call is made."""
        return Usage()

    async def close(self) -> None:
        """There is nothing to let go of."""

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found, heads = bytearray(), bytearray()
        sizes, words = [], []
        for text in texts:
            before, first = len(found), len(heads)
            for word in _WORD.findall(text.casefold()):
                mine = _features(word)
                found += mine
                heads += mine[: _FEATURE.itemsize]
            sizes.append((len(found) - before) // _FEATURE.itemsize)
            words.append((len(heads) - first) // _FEATURE.itemsize)
        features, word = np.frombuffer(found, _FEATURE), np.frombuffer(heads, _FEATURE)
        owner = np.repeat(np.arange(len(texts)), words)
        pairs = word["hash"][:-1] * _ORDER ^ word["hash"][1:]
        # The last word of a text and the first one of the next are no neighbours.
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
        """The vectors of ``count`` texts, given the text, hash and weight of each feature."""
        places = rows * self.dimension + hashes % np.uint32(self.dimension)
        sums = np.bincount(places, weights, count * self.dimension).reshape(count, self.dimension)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        sums[norms[:, 0] == 0, 0] = 1
        vectors: NDArray[np.float32] = (sums / np.where(norms == 0, 1, norms)).astype(np.float32)
        return vectors


@lru_cache(maxsize=65_536)
def _features(word: str) -> bytes:
    """A word and then its trigrams, beginning and end marked, as an array of ``_FEATURE``."""
    marked = f"<{word}>"
    # The mark before a trigram keeps it apart from a word of three letters.
    parts = [word, *(f"~{marked[start : start + 3]}" for start in range(len(word)))]
    # Not Python's hash(), which differs from process to process.
    digests = [hashlib.blake2b(part.encode("utf-8", "surrogatepass"), digest_size=5).digest() for part in parts]
    features = np.empty(len(parts), _FEATURE)
    features["hash"] = [int.from_bytes(digest[:4], "little") for digest in digests]
    features["weight"] = [1.0 if digest[4] & 1 else -1.0 for digest in digests]
    features["weight"] *= min(len(word), _FULL_LENGTH) / _FULL_LENGTH
    features["weight"][1:] *= _LETTERS / math.sqrt(len(word))
    return features.tobytes()
