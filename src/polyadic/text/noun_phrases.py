"""Noun phrases of a text, found by the words that stand around them; no tagger.

What is looked for differs by language. An English phrase is a run of words in lower case between function words and
verbs, whose last word is its head. A Romance one begins after an article or a preposition, and its first word is the
head. A German one is a noun, which its capital gives away. In a language that is not known here only words that
function words delimit are taken. Chinese and Japanese are left to :mod:`polyadic.text.cjk`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from polyadic.text import english_words
from polyadic.text.named_entities import OPENING_MARKS, Vocabulary
from polyadic.text.stopwords import GERMAN_DETERMINERS, function_words, words

LONGEST = 5
"""Words of the longest phrase."""

_TOKEN = re.compile(
    r"""
      (?:https?://|www\.)\S+
    | \d\S*
    | [^\W\d]\w*(?:[-‐'’][^\W_]+)*(?:[/.@\\]+\w[^\s(),;:]*)?       # also a path, a file, an address
    | \n\s*\n
    | [^\w\s]
    """,
    re.VERBOSE,
)
_NOT_OF_A_WORD = re.compile(r"['’/.@\\]")
_SHORTEST = 3
_LONGEST_WORD = 40

_ROMANCE = {
    "es": words("el la los las un una unos unas del al de en con por para su sus sin sobre entre este esta cada"),
    "fr": words(
        "le la les un une des du au aux de en dans par pour sur sans son sa ses leur leurs ce cette ces chaque"
    ),
    "it": words(
        "il lo la i gli le un uno una di del dello della dei degli delle al alla ai alle dal dalla nel nella nei nelle "
        "con per su sul sulla suo sua questo questa ogni"
    ),
    "pt": words("o a os as um uma do da dos das de em no na nos nas ao à com por para pelo pela sem seu sua este cada"),
    "ca": words("el la els les un una del dels al als de en amb per sense seu seva cada"),
}
OF = {
    "es": words("de del"),
    "fr": words("de du des"),
    "it": words("di del della dello dei delle degli"),
    "pt": words("de do da dos das"),
    "ca": words("de del dels"),
}
_ELIDED = re.compile(r"^(?:l|d|un|dell|nell|all|sull|qu)['’](?=\w)")
_ROMANCE_ARTICLES = words("el la los las le les il lo i gli o a os as els")


class _Kind(IntEnum):
    """What a word does to a phrase; from DELIMITER on it ends one."""

    CONTENT = 0
    ACRONYM = 1
    CAPITAL = 2
    DELIMITER = 3
    DETERMINER = 4
    PREPOSITION = 5
    BEFORE_A_VERB = 6
    INFINITIVE = 7
    MARK = 8


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of a text that may be a term, as they are written there; ``start`` counts characters.

    ``determined`` tells that its head is surely a noun.
    """

    words: tuple[str, ...]
    start: int
    determined: bool


def phrases(text: str, known: Vocabulary) -> Iterator[Phrase]:
    """The phrases of a text, in order; words that cannot be part of a term are left out.

    Parameters
    ----------
    text
        Plain text or Markdown.
    known
        The vocabulary of the document that holds the text.

    Examples
    --------
    >>> english = Vocabulary("en", frozenset({"authorization"}))
    >>> [" ".join(phrase.words) for phrase in phrases("The client sends an authorization code to the server.", english)]
    ['client', 'authorization code', 'server']
    >>> [" ".join(phrase.words) for phrase in phrases("Durante el período de prueba no se paga.", Vocabulary("es"))]
    ['período de prueba']
    """
    found: Callable[[str, Vocabulary], Iterator[Phrase]] = _delimited
    if known.language == "en":
        found = _english
    elif known.language == "de":
        found = _german
    elif known.language in _ROMANCE:
        found = _romance
    return found(text, known)


@lru_cache(maxsize=65_536)
def _kind_in_english(word: str) -> _Kind:
    if word in english_words.DETERMINERS:
        return _Kind.DETERMINER
    if word in english_words.BEFORE_A_VERB:
        return _Kind.BEFORE_A_VERB
    if word in english_words.PREPOSITIONS:
        return _Kind.PREPOSITION
    if word == "to":
        return _Kind.INFINITIVE
    if not word.islower():
        return _capital(word)
    is_word = _SHORTEST <= len(word) <= _LONGEST_WORD and _NOT_OF_A_WORD.search(word) is None
    if not is_word or word in english_words.DELIMITERS or word in english_words.VERBS or english_words.is_adverb(word):
        return _Kind.DELIMITER
    return _Kind.CONTENT


def _capital(word: str) -> _Kind:
    if not word[0].isalpha():
        return _Kind.MARK
    if len(word) == 1 or word[1:].islower():
        return _Kind.CAPITAL
    return _Kind.DELIMITER if word.lower() in english_words.DELIMITERS else _Kind.ACRONYM


def _english(text: str, known: Vocabulary) -> Iterator[Phrase]:
    run: list[str] = []
    start = 0
    opener = before = _Kind.MARK
    opens = True
    for match in _TOKEN.finditer(text):
        word = match[0]
        kind = _kind_in_english(word)
        if opens and kind is _Kind.CAPITAL:
            lower = word.lower()
            kind = _kind_in_english(lower) if lower in known.lower else kind
            word = lower
        opens = kind is _Kind.MARK and (word in OPENING_MARKS or word[0] == "\n")
        if kind <= _Kind.ACRONYM:
            if not run:
                start, opener = match.start(), before
            run.append(word)
        elif run:
            yield from _english_phrase(run, start, opener, kind)
            run = []
        before = kind
    if run:
        yield from _english_phrase(run, start, opener, _Kind.MARK)


def _english_phrase(run: list[str], start: int, opener: _Kind, follower: _Kind) -> Iterator[Phrase]:
    """A run without the verb that may begin or end it and the adjectives that begin it."""
    first, last = 0, len(run)
    if opener is _Kind.BEFORE_A_VERB or (opener is _Kind.INFINITIVE and not run[0].endswith("s")):
        first = 1
    if follower is _Kind.DETERMINER:
        last -= 1
    while first < last and run[first] in english_words.ADJECTIVES:
        first += 1
    first = max(first, last - LONGEST)
    if first < last and not all(word[0].isupper() for word in run[first:last]):
        start += sum(map(len, run[:first])) + first
        # "of encryption" shows a noun, "after encrypting" does not.
        is_noun = opener is _Kind.DETERMINER or (opener is _Kind.PREPOSITION and not run[last - 1].endswith("ing"))
        yield Phrase(tuple(run[first:last]), start, is_noun)


def _german(text: str, known: Vocabulary) -> Iterator[Phrase]:
    opens, before = True, ""
    for match in _TOKEN.finditer(text):
        word = match[0]
        is_noun = word[0].isupper() and not word[1:].isupper() and _SHORTEST <= len(word) <= _LONGEST_WORD
        if is_noun and word not in known.named and (not opens or word in known.common):
            yield Phrase((word,), match.start(), before in GERMAN_DETERMINERS)
        opens, before = word in OPENING_MARKS or word[0] == "\n", word.lower()


def _romance(text: str, known: Vocabulary) -> Iterator[Phrase]:
    openers, of, empty = _ROMANCE[known.language], OF[known.language], function_words(known.language)
    run: list[str] = []
    start, is_opened = 0, False
    for match in _TOKEN.finditer(text):
        word = _ELIDED.sub("", match[0])
        lower = word.lower()
        content = word.islower() and _SHORTEST <= len(word) <= _LONGEST_WORD and word not in empty
        if content and (run or is_opened or word != match[0]):
            if not run:
                start = match.end() - len(word)
            run.append(word)
        elif run and _goes_on(run[-1], lower, of):
            run.append(lower)
        elif run:
            yield from _romance_phrase(run, start, of)
            run = []
        is_opened = lower in openers
    if run:
        yield from _romance_phrase(run, start, of)


def _goes_on(last: str, word: str, of: frozenset[str]) -> bool:
    """Whether a phrase goes on with a function word: "período" with "de", "libertad de" with "la"."""
    return word in _ROMANCE_ARTICLES if last in of else word in of and last not in _ROMANCE_ARTICLES


def _romance_phrase(run: list[str], start: int, of: frozenset[str]) -> Iterator[Phrase]:
    """A run without the function words that end it; nothing where it holds no other, as in French "de los"."""
    while run and (run[-1] in of or run[-1] in _ROMANCE_ARTICLES):
        run.pop()
    if run:
        yield Phrase(tuple(run[:LONGEST]), start, determined=True)


def _delimited(text: str, known: Vocabulary) -> Iterator[Phrase]:
    empty = function_words(known.language)
    run: list[str] = []
    start = 0
    for match in _TOKEN.finditer(text):
        word = match[0]
        if word.islower() and _SHORTEST < len(word) <= _LONGEST_WORD and word not in empty:
            if not run:
                start = match.start()
            run.append(word)
        elif run:
            yield Phrase(tuple(run[-LONGEST:]), start, False)
            run = []
    if run:
        yield Phrase(tuple(run[-LONGEST:]), start, False)
