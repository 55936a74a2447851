"""What counts as a word where texts are compared word by word."""

import re

WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
"""A run of letters and digits; in Chinese and Japanese, written without spaces, a single character."""


def words(text: str) -> frozenset[str]:
    """The words of a text, without regard to case.

    >>> sorted(words("Ada, ada and 月球"))
    ['ada', 'and', '月', '球']
    """
    return frozenset(WORD.findall(text.lower()))


_LEAST_INFLECTED, _LEAST_BEGINNING = 5, 4
_SHORT_WORD, _SHORT_ENDING, _LONG_ENDING = 8, 2, 3


def beginning(word: str) -> str:
    """What other forms of a word begin with, and German compounds with it; empty for short words and codes.

    >>> beginning("serves"), beginning("served"), beginning("fristen"), beginning("tun"), beginning("utf8")
    ('serv', 'serv', 'frist', '', '')
    """
    if len(word) < _LEAST_INFLECTED or not word.isalpha():
        return ""
    ending = _SHORT_ENDING if len(word) < _SHORT_WORD else _LONG_ENDING
    return word[: max(_LEAST_BEGINNING, len(word) - ending)]
