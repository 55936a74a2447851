"""Tell English words from misspelled ones, by the word list of pyspellchecker."""

import gzip
from functools import cache
from importlib.resources import files


def is_rare_english_word(word: str) -> bool:
    """Return whether a word in lower case is English; the most frequent words need not be listed.

    The first call reads the list of 160,000 words, which takes a twentieth of a second.

    >>> [is_rare_english_word(word) for word in ("causal", "deprecation", "recieve")]
    [True, True, False]
    """
    return word.encode() in _words()


@cache
def _words() -> frozenset[bytes]:
    # Read here, because the constructor of SpellChecker takes three times as long. The list is a JSON object of words
    # and numbers, so the words are what is between quotation marks; parsing it would take twice as long.
    packed = files("spellchecker").joinpath("resources/en.json.gz").read_bytes()
    return frozenset(gzip.decompress(packed).split(b'"')[1::2])
