"""Where the words of a search stand in a text."""

import unicodedata
from collections.abc import Iterator

from polyadic.text.stopwords import function_words
from polyadic.text.words import WORD

_MOST_WORDS = 64


def sought_words(query: str) -> frozenset[str]:
    """The words of a query, folded; without English function words, unless it has no others.

    >>> sorted(sought_words("Who wrote the Café?")), sorted(sought_words("to be"))
    (['cafe', 'wrote'], ['be', 'to'])
    """
    words = [_folded(word) for word in WORD.findall(query)][:_MOST_WORDS]
    telling = frozenset(words) - function_words("en")
    return telling or frozenset(words)


def matches(text: str, words: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """The start, end and folded form of each word of a text that is among these.

    >>> list(matches("The Cafés of a CAFÉ", frozenset({"cafe"})))
    [(15, 19, 'cafe')]
    """
    for found in WORD.finditer(text):
        if (word := _folded(found[0])) in words:
            yield found.start(), found.end(), word


def best_window(found: list[tuple[int, int, str]], characters: int) -> tuple[int, int]:
    """From which to which character the most different words stand close together; the first such place.

    Parameters
    ----------
    found
        What :func:`matches` gives, in order.
    characters
        How far the end may be from the start.

    >>> best_window([(0, 3, "ada"), (40, 43, "ada"), (44, 50, "london")], 20)
    (40, 50)
    """
    best, most, first = (0, 0), 0, 0
    for last, (_, end, _) in enumerate(found):
        while first < last and end - found[first][0] > characters:
            first += 1
        different = len({word for _, _, word in found[first : last + 1]})
        if different > most:
            best, most = (found[first][0], end), different
    return best


def _folded(word: str) -> str:
    """The word in lower case and without accents, as the full-text index compares words."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))
