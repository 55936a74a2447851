"""Names that the store knows, wherever a text mentions them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.identity import loose_name
from polyadic.knowledge import Span
from polyadic.store.protocol import Reader
from polyadic.text.function_words import function_words
from polyadic.text.words import WORD

_LONGEST_NAME = 8
_MOST_HOMONYMS = 8
_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters of a text that name entities of the store: more than one where it knows homonyms, at most eight."""

    span: Span
    entities: tuple[int, ...]


def known_names(texts: Sequence[str], reader: Reader) -> list[list[Mention]]:
    """The mentions in each text, from left to right: the longest first, each word in at most one.

    A name needs a capital or a digit where the text uses capitals at all; where it does not, a word that is no
    function word. All texts are looked up at once.
    """
    words = [[Span(*match.span()) for match in WORD.finditer(text)] for text in texts]
    candidates = [list(_candidates(text, spans)) for text, spans in zip(texts, words, strict=True)]
    wanted = dict.fromkeys(loose for runs in candidates for _, _, loose in runs)
    known = {name: _foremost(rows, reader) for name, rows in reader.named(list(wanted)).items()}
    return [_longest(spans, runs, known) for spans, runs in zip(words, candidates, strict=True)]


def _foremost(homonyms: Sequence[int], reader: Reader) -> tuple[int, ...]:
    """The homonyms, or of very many those that take part in most facts."""
    if len(homonyms) <= _MOST_HOMONYMS:
        return tuple(homonyms)
    rows = np.array(homonyms, dtype=np.int64)
    most = np.argsort(-reader.degrees("entity", rows), kind="stable")[:_MOST_HOMONYMS]
    return tuple(rows[np.sort(most)].tolist())


def _candidates(text: str, words: Sequence[Span]) -> Iterator[tuple[int, int, str]]:
    """Runs of words that may be a name, with their loose form; longest first, then from the left."""
    telling = _telling(text, words)
    loose_ends = [_is_loose_end(text, word) for word in words]
    for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            last = first + length
            bare = not (loose_ends[first] or loose_ends[last - 1])
            if bare and (telling[first] or telling[last - 1]):
                yield first, last, loose_name(text[words[first].start : words[last - 1].end])


def _is_loose_end(text: str, word: Span) -> bool:
    """Whether a word is an article or what follows a possessive's apostrophe, which loose names lack at their ends."""
    shown = text[word.start : word.end].lower()
    return shown in _ARTICLES or (shown == "s" and text[max(word.start - 1, 0)] in "'’")


def _telling(text: str, words: Sequence[Span]) -> NDArray[np.bool_]:
    """Which words a name may begin or end with."""
    shown = [text[word.start : word.end] for word in words]
    capitals = [any(c.isupper() for c in word) for word in shown]
    cased = any(capitals)
    common = function_words("en")
    told = (not cased or capital or word[0].isdigit() for capital, word in zip(capitals, shown, strict=True))
    # "Who" at the start of a question is not the band.
    return np.array([tells and ((i > 0 and cased) or shown[i].lower() not in common) for i, tells in enumerate(told)])


def _longest(
    words: Sequence[Span], runs: Sequence[tuple[int, int, str]], known: Mapping[str, tuple[int, ...]]
) -> list[Mention]:
    free = np.ones(len(words), dtype=bool)
    found = []
    for first, last, loose in runs:
        if loose in known and free[first:last].all():
            free[first:last] = False
            found.append(Mention(Span(words[first].start, words[last - 1].end), known[loose]))
    return sorted(found, key=lambda mention: mention.span)
