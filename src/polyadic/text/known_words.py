"""Tell English words from misspelled ones, by the word list of pyspellchecker."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spellchecker import WordFrequency


def is_rare_english_word(word: str) -> bool:
    """Return whether a word in lower case is English; the most frequent words need not be listed.

    The first call reads the list of 160,000 words, which takes a fifth of a second.

    >>> [is_rare_english_word(word) for word in ("causal", "deprecation", "recieve")]
    [True, True, False]
    """
    return word in _words()


@cache
def _words() -> "WordFrequency":
    # Imported here, because most questions have no word that the documents lack.
    from spellchecker import SpellChecker

    return SpellChecker(language="en").word_frequency
