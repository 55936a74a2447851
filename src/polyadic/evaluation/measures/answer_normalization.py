"""Normalize answers as in SQuAD."""

import re
import string

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(text: str) -> str:
    """Lowercase a text, remove ASCII punctuation and English articles, and collapse white space.

    Source: the official evaluation script of SQuAD (Rajpurkar et al., EMNLP 2016). Text without spaces, such as
    Chinese, stays one word.

    >>> normalized("The  Analytical Engine, (1837)!")
    'analytical engine 1837'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())
