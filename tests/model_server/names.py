"""Names in a sentence of any language, roughly: capitals and numbers, else quotations, else first and last words."""

import re

from polyadic.text.stopwords import words

_CJK = "\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[^\W{_CJK}_]+(?:['’.-][^\W{_CJK}_]+)*")
_QUOTED = re.compile(r"[《「『“\"]([^《》「」『』“”\"]{1,40})[》」』”\"]")
_RUN = re.compile(rf"[{_CJK}]+")
# They begin sentences, and are no names.
_OPENERS = words("""
a an the in on at by of for and but or he she it they we i you his her its their this that these those
who what which when where why how is are was were do does did has have had
""")


def names(sentence: str) -> list[str]:
    """At least two different parts of the sentence where it has that many words.

    >>> names("In 1843 Ada Lovelace wrote to Charles Babbage.")
    ['1843 Ada Lovelace', 'Charles Babbage']
    >>> names("巴贝奇设计了分析机。")
    ['巴贝', '析机']
    """
    found = [*_capitalized(sentence), *_QUOTED.findall(sentence)]
    if len(set(found)) < 2:
        found += _ends(sentence)
    return list(dict.fromkeys(found))


def _capitalized(sentence: str) -> list[str]:
    """Runs of words with a capital or a digit at the beginning, joined by single spaces."""
    runs: list[tuple[int, int]] = []
    for word in _WORD.finditer(sentence):
        first = word.group()[0]
        if not (first.isupper() or first.isdigit()) or word.group().casefold() in _OPENERS:
            continue
        if runs and sentence[runs[-1][1] : word.start()] == " ":
            runs[-1] = (runs[-1][0], word.end())
        else:
            runs.append(word.span())
    return [sentence[start:end] for start, end in runs]


def _ends(sentence: str) -> list[str]:
    spaced = [word for word in _WORD.findall(sentence) if word.casefold() not in _OPENERS]
    if len(spaced) >= 3:
        return [*spaced[:2], spaced[-1]]
    characters = "".join(_RUN.findall(sentence))
    return [part for part in (characters[:2], characters[-2:], *spaced) if part]
