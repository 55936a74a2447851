"""Tell English words from misspelled ones, by the word list of pyspellchecker."""

import gzip
from bisect import bisect_left
from functools import cache
from importlib.resources import files


def is_rare_english_word(word: str) -> bool:
    """Return whether a word in lower case is English; the most frequent words need not be listed.

    The first call reads the list of 160,000 words, which takes a fiftieth of a second.

    >>> [is_rare_english_word(word) for word in ("causal", "deprecation", "recieve")]
    [True, True, False]
    """
    lines, start = _lines(), f'"{word}":'.encode()
    place = bisect_left(lines, start)
    return place < len(lines) and lines[place].startswith(start)


@cache
def _lines() -> list[bytes]:
    """Return the sorted lines of the list, a JSON object with a word and a number in each line."""
    # Parsing the JSON takes four times as long, and the constructor of SpellChecker eight times.
    packed = files("spellchecker").joinpath("resources/en.json.gz").read_bytes()
    return gzip.decompress(packed).splitlines()[1:-1]
