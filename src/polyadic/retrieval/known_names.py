"""Names that the store knows, wherever a text mentions them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyadic.identity import loose_name
from polyadic.knowledge import Span
from polyadic.store.protocol import Reader
from polyadic.text.function_words import function_words, without_article
from polyadic.text.language import detect_language
from polyadic.text.words import WORD

_LONGEST_NAME = 8
_MOST_HOMONYMS = 8
_ARTICLES = frozenset({"a", "an", "the"})
# With which titles begin in other languages.
_FOREIGN_ARTICLES = {
    "de": ("der", "die", "das"),
    "es": ("el", "la", "los", "las"),
    "fr": ("le", "la", "les"),
    "it": ("il", "lo", "la", "i", "gli", "le"),
    "pt": ("o", "a", "os", "as"),
    "nl": ("de", "het"),
    "ca": ("el", "la", "els", "les"),
}
# Languages whose genitive adds these to a name without an apostrophe: "Kesslers Zeichnungen".
_GENITIVES = {"de": ("es", "s"), "nl": ("s",), "sv": ("s",), "da": ("s",), "no": ("s",)}


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters of a text that name entities of the store: more than one where it knows homonyms, at most eight."""

    span: Span
    entities: tuple[int, ...]


def known_names(texts: Sequence[str], reader: Reader) -> list[list[Mention]]:
    """The mentions in each text, from left to right: the longest first, each word in at most one.

    A name needs a capital or a digit where the text uses capitals at all; where it does not, a word that is no
    function word of its language. A name is found without the article that a title begins with ("del faro": "El
    faro"), and in a genitive without apostrophe. All texts are looked up at once.
    """
    languages = [detect_language(text) for text in texts]
    words = [[Span(*match.span()) for match in WORD.finditer(text)] for text in texts]
    candidates = [list(_candidates(*each)) for each in zip(texts, words, languages, strict=True)]
    wanted = dict.fromkeys(form for runs in candidates for run in runs for form in run.forms)
    known = {name: _foremost(rows, reader) for name, rows in reader.named(list(wanted)).items()}
    return [_longest(spans, runs, known) for spans, runs in zip(words, candidates, strict=True)]


@dataclass(frozen=True, slots=True)
class _Run:
    """Words from ``first`` to before ``last`` that may be a name, in the loose forms that it may be known by."""

    first: int
    last: int
    forms: tuple[str, ...]


def _foremost(homonyms: Sequence[int], reader: Reader) -> tuple[int, ...]:
    """The homonyms, or of very many those that take part in most facts."""
    if len(homonyms) <= _MOST_HOMONYMS:
        return tuple(homonyms)
    rows = np.array(homonyms, dtype=np.int64)
    most = np.argsort(-reader.degrees("entity", rows), kind="stable")[:_MOST_HOMONYMS]
    return tuple(rows[np.sort(most)].tolist())


def _candidates(text: str, words: Sequence[Span], language: str) -> Iterator[_Run]:
    """Runs of words that may be a name; longest first, then from the left."""
    telling = _telling(text, words, language)
    loose_ends = [_is_loose_end(text, word) for word in words]
    for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            last = first + length
            bare = not (loose_ends[first] or loose_ends[last - 1])
            if bare and (telling[first] or telling[last - 1]):
                yield _Run(first, last, _forms(text[words[first].start : words[last - 1].end], language))


def _forms(name: str, language: str) -> tuple[str, ...]:
    """The loose forms that a name may be known by, as it is said first.

    >>> _forms("Kesslers", "de")[:3], _forms("the Kesslers", "en")
    (('kesslers', 'kessler', 'der kesslers'), ('kesslers',))
    >>> _forms("las Torres", "es")
    ('las torres', 'torres', 'el torres', 'la torres', 'los torres')
    """
    loose = loose_name(name)
    bare = without_article(loose, language)
    has_other_forms = bare != loose or language in _GENITIVES or language in _FOREIGN_ARTICLES
    if not has_other_forms or bare != without_article(bare, language):
        return (loose,)
    stems = [bare, *(bare.removesuffix(ending) for ending in _GENITIVES.get(language, ()) if bare.endswith(ending))]
    titles = (f"{article} {stem}" for stem in stems for article in _FOREIGN_ARTICLES.get(language, ()))
    return tuple(dict.fromkeys([loose, *stems, *titles]))


def _is_loose_end(text: str, word: Span) -> bool:
    """Whether a word is an article or what follows a possessive's apostrophe, which loose names lack at their ends."""
    shown = text[word.start : word.end].lower()
    return shown in _ARTICLES or (shown == "s" and text[max(word.start - 1, 0)] in "'’")


def _telling(text: str, words: Sequence[Span], language: str) -> list[bool]:
    """Which words a name may begin or end with."""
    shown = [text[word.start : word.end] for word in words]
    capitals = [any(c.isupper() for c in word) for word in shown]
    cased = any(capitals)
    # The language of a few words may be mistaken; then it is English, most of all.
    common = function_words(language) | function_words("en")
    told = (not cased or capital or word[0].isdigit() for capital, word in zip(capitals, shown, strict=True))
    # "Who" at the start of a question is not the band.
    return [tells and ((i > 0 and cased) or shown[i].lower() not in common) for i, tells in enumerate(told)]


def _longest(words: Sequence[Span], runs: Sequence[_Run], known: Mapping[str, tuple[int, ...]]) -> list[Mention]:
    free = np.ones(len(words), dtype=bool)
    found = []
    for run in runs:
        entities = tuple(dict.fromkeys(row for form in run.forms for row in known.get(form, ())))[:_MOST_HOMONYMS]
        if entities and free[run.first : run.last].all():
            free[run.first : run.last] = False
            found.append(Mention(Span(words[run.first].start, words[run.last - 1].end), entities))
    return sorted(found, key=lambda mention: mention.span)
