"""Full-text queries: what is indexed of a text, and how a question becomes a query."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from polyadic.text.language import detect_language
from polyadic.text.stopwords import function_words
from polyadic.text.words import beginning

# FTS5's tokenizer takes a run of Han, kana or Hangul for one word; set apart, each character is one.
_UNSPACED = r"\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_UNSPACED_CHARACTER = re.compile(f"([{_UNSPACED}])")
_TOKEN = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_WORD = re.compile(r"\w+")
_MOST_TERMS = 64
DIGITS = 10
"""To which scores by BM25 are rounded: engines add their parts in different orders, and equal ones are to be equal."""


@dataclass(frozen=True, slots=True)
class FullTextTerm:
    """Words next to each other; with ``is_prefix`` the last one may go on.

    >>> FullTextTerm(("mün",), is_prefix=True).words
    ('mün',)
    """

    words: tuple[str, ...]
    is_prefix: bool = False


class WordIndex(Protocol):
    """Finds chunks (keys of the table) by words; staged and withdrawn ones are not found."""

    def matching(self, text: str) -> Iterator[tuple[int, float]]:
        """Chunks that hold any term of a text, the best first, with their BM25 scores (higher is better)."""

    def holding(self, word: str) -> Iterator[int]:
        """Chunks that hold this word."""


def searchable(text: str) -> str:
    """Text as it enters the full-text index.

    >>> searchable("月球 1969")
    ' 月  球  1969'
    """
    return text if text.isascii() else _UNSPACED_CHARACTER.sub(r" \1 ", text)


def words_of(text: str) -> list[str]:
    """The words of a text, each once, the first few of very many.

    >>> words_of('who "wrote" it, who?')
    ['who', 'wrote', 'it']
    """
    return list(dict.fromkeys(_WORD.findall(searchable(text))))[:_MOST_TERMS]


def terms_of(text: str) -> list[FullTextTerm]:
    """The terms to search for: content words, what they begin with, and pairs of characters where no spaces are.

    A text of function words alone is searched for as it stands. No text makes an illegal query.

    >>> [(*term.words, term.is_prefix) for term in terms_of("Who serves as 月球站?")]
    [('serves', False), ('月', '球', False), ('球', '站', False), ('serv', True)]
    """
    language = detect_language(text)
    # The language of a few words may be mistaken; then it is English, most of all.
    empty = function_words(language) | function_words("en")
    tokens = dict.fromkeys(_TOKEN.findall(text.lower()))
    telling = [token for token in tokens if token not in empty] or list(tokens)
    exact = [term for token in telling for term in _exact(token)]
    prefixes = [FullTextTerm((stem,), is_prefix=True) for token in telling if (stem := _stem(token))]
    return list(dict.fromkeys([*exact, *prefixes]))[:_MOST_TERMS]


def _exact(token: str) -> list[FullTextTerm]:
    if len(token) == 1 or not _UNSPACED_RUN.match(token):
        return [FullTextTerm((token,))]
    return [FullTextTerm(pair) for pair in pairwise(token)]


def _stem(token: str) -> str:
    """What other forms of a word begin with; empty where it is too short, or no word."""
    return "" if _UNSPACED_RUN.match(token) else beginning(token)


def fts5_query(terms: Sequence[FullTextTerm]) -> str:
    """An FTS5 query for any of the terms; empty where there are none.

    >>> fts5_query([FullTextTerm(("月", "球")), FullTextTerm(("serv",), is_prefix=True)])
    '"月 球" OR "serv"*'
    """
    return " OR ".join(f'"{" ".join(term.words)}"{"*" if term.is_prefix else ""}' for term in terms)
