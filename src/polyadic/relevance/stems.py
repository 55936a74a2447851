"""Stems: what different forms of a word have in common, in any language."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from polyadic.text.words import beginning

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_UNSPACED}]+|(?:--?)?[^\W{_UNSPACED}]+(?:[-./'’][^\W{_UNSPACED}]+)*")
_PART = re.compile(r"[^\W_]+")
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]")
_MOST_TOKENS = 400


def tokens(text: str) -> list[str]:
    """The words of a text in lower case; of scripts without spaces each pair of neighbouring characters.

    A word that is joined by marks comes whole and in its parts.

    >>> tokens("Use --no-clean, then 月球站")
    ['use', '--no-clean', 'no', 'clean', 'then', '月球', '球站']
    """
    found: list[str] = []
    for token in _TOKEN.findall(text.lower())[:_MOST_TOKENS]:
        if _UNSPACED_RUN.match(token):
            found += [first + second for first, second in pairwise(token)] or [token]
            continue
        parts = _PART.findall(token)
        found += parts if parts == [token] else [token, *parts]
    return found


@lru_cache(maxsize=65_536)
def stem(token: str) -> str:
    """What other forms of a word begin with; short words, numbers and codes are their own.

    >>> stem("serves"), stem("served"), stem("kündigung"), stem("576"), stem("tun")
    ('serv', 'serv', 'kundig', '576', 'tun')
    """
    folded = token if token.isascii() else _folded(token)
    return beginning(folded) or folded


def stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


def _folded(token: str) -> str:
    """Without accents; Hangul and what else would fall apart stays whole."""
    decomposed = unicodedata.normalize("NFKD", token)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not unicodedata.combining(c)))
