"""Tell English words from misspelled ones, by the word lists of SCOWL (Spell Checker Oriented Word Lists).

``scowl/words.txt.gz`` has the American and British words of SCOWL up to size 60, in lower case, that have at least six
letters and are no frequent token of o200k (see :mod:`polyadic.text.spelling`). Larger sizes of SCOWL have rare words
that are mostly misspellings of others ("astroid", "sherif").
"""

import gzip
from functools import cache
from importlib.resources import files


def is_rare_english_word(word: str) -> bool:
    """Return whether a word in lower case is English, though not frequent.

    The first call reads the list, which takes some 50 ms.

    >>> [is_rare_english_word(word) for word in ("causal", "carnal", "recieve")]
    [True, True, False]
    """
    return word in _words()


@cache
def _words() -> frozenset[str]:
    packed = files(__package__).joinpath("scowl", "words.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode("ascii").split("\n"))
