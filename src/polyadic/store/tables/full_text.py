"""Words for the full-text index: what is indexed, and how a question becomes a legal query."""

import re
from collections.abc import Iterator
from typing import Protocol

# FTS5's tokenizer takes a run of Han, kana or Hangul for one word; set apart, each character is one.
_UNSPACED = re.compile(
    r"([\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])"
)
_WORD = re.compile(r"\w+")
_MOST_WORDS = 64


class WordIndex(Protocol):
    """Finds chunks (keys of the table) by words; staged and withdrawn ones are not found."""

    def matching(self, words: str) -> Iterator[tuple[int, float]]:
        """Chunks that hold any of these words, the best first, with a number that is higher for better ones."""

    def holding(self, word: str) -> Iterator[int]:
        """Chunks that hold this word."""


def searchable(text: str) -> str:
    """Text as it enters the full-text index.

    >>> searchable("月球 1969")
    ' 月  球  1969'
    """
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)


def any_of(text: str) -> str:
    """An FTS5 query for any of the words in a text; empty where there are none. No text is an illegal query.

    >>> any_of('who "wrote" it?')
    '"who" OR "wrote" OR "it"'
    """
    return " OR ".join(f'"{word}"' for word in words_of(text))


def words_of(text: str) -> list[str]:
    """The words to look for, each once, the first few of very many.

    >>> words_of('who "wrote" it, who?')
    ['who', 'wrote', 'it']
    """
    return list(dict.fromkeys(_WORD.findall(searchable(text))))[:_MOST_WORDS]
