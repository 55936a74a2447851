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
