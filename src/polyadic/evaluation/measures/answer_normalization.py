"""Answers as SQuAD compares them."""

import re
import string

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Lower case, without ASCII punctuation and English articles, white space folded.

    Source: the official evaluation script of SQuAD (Rajpurkar et al., EMNLP 2016). What is written without spaces, such
    as Chinese, stays one word.

    >>> normalised("The  Analytical Engine, (1837)!")
    'analytical engine 1837'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())
