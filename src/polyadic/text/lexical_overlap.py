"""Lexical overlap of a question and sentences.

An embedder may be weak in a language; word overlap works in every language.
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence

from polyadic.text.accents import folded
from polyadic.text.stopwords import function_words

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
# Function and question characters, which do not occur in names or terms.
_FUNCTION_CHARACTERS = re.compile("[的了是在和与及之而于以也把被吗呢啊么我你他她它们这那谁谁什哪几怎何誰甚幾麼嗎]+")
# Inflected forms share a prefix: "entwarf" and "entworfen", "fundó" and "fundada".
_MIN_STEM = 4
_MIN_PREFIX_SHARE = 0.5
# Only the beginning of a long question is used.
_MAX_WORDS = 100


def shares_in_common(question: str, sentences: Sequence[str], language: str) -> list[float]:
    """Compute for each sentence the weighted share of the question's words that it contains, in [0, 1].

    Words that occur in few sentences weigh more; function words are ignored. A word also matches within another one
    ("Brücke" in "Steinbrücke"), and counts in part if only its prefix matches. In Chinese and Japanese each pair of
    neighbouring characters counts as a word.

    >>> shares_in_common("Wer baute die Brücke?", ["Die Steinbrücke hat er gebaut.", "Es regnete."], "de")
    [0.9, 0.0]
    >>> shares_in_common("谁设计了清水桥？", ["清水桥由林若川设计。", "清水桥很长。", "下雨了。"], "zh")[::2]
    [1.0, 0.0]
    """
    parts = _parts(question, language)
    texts = [folded(sentence) for sentence in sentences]
    found = {part: [_match_share(part, sentence) for sentence in texts] for part in parts}
    has = {part: sum(shares) for part, shares in found.items()}
    weights = {part: math.log1p(len(texts) / max(1.0, has[part])) for part in parts if not _straddles(part, has)}
    total = sum(weights.values())
    return [
        sum(weights[part] * found[part][i] for part in weights) / total if total else 0.0 for i in range(len(texts))
    ]


def _straddles(part: str, has: Mapping[str, float]) -> bool:
    """Whether an unmatched pair of characters probably crosses a word boundary."""
    if has[part] or not _IDEOGRAPHS.match(part):
        return False
    return any(count and (other[0] == part[-1] or other[-1] == part[0]) for other, count in has.items())


def _parts(question: str, language: str) -> list[str]:
    """Distinct content words of a question."""
    parts: dict[str, None] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", question.casefold())):
        if _IDEOGRAPHS.match(word):
            runs = _FUNCTION_CHARACTERS.split(word)
            parts.update(dict.fromkeys(run[i : i + 2] for run in runs for i in range(len(run) - 1)))
        elif word not in function_words(language):
            parts[folded(word)] = None
    return list(parts)[:_MAX_WORDS]


def _match_share(part: str, sentence: str) -> float:
    """Share of a word that a sentence contains: all of it, or a prefix."""
    if len(part) < _MIN_STEM and not _IDEOGRAPHS.match(part):
        return float(re.search(rf"\b{re.escape(part)}\b", sentence) is not None)
    shortest = max(_MIN_STEM, math.ceil(_MIN_PREFIX_SHARE * len(part)))
    lengths = [len(part), *range(len(part) - 1, shortest - 1, -1)]
    return next((length / len(part) for length in lengths if part[:length] in sentence), 0.0)
