"""How much of a question a sentence says in the question's own words.

An embedder may know little of a language; the words that two texts have in common tell in any.
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence

from polyadic.text.stopwords import function_words

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
# Characters of grammar and of asking, which no name or term holds.
_EMPTY = re.compile("[的了是在和与及之而于以也把被吗呢啊么我你他她它们这那谁谁什哪几怎何誰甚幾麼嗎]+")
# A word in another form begins alike: "entwarf" and "entworfen", "fundó" and "fundada".
_SHORTEST_STEM = 4
_LEAST_OF_A_WORD = 0.5
# A question that goes on and on is known by its beginning.
_MOST_PARTS = 100


def shares_in_common(question: str, sentences: Sequence[str], language: str) -> list[float]:
    """For each sentence the share of the question's words that it has, in [0, 1]; a word that few have counts more.

    Words of grammar count nothing. A word also counts as part of another ("Brücke" in "Steinbrücke"), and in part if
    only its beginning is there. In Chinese and Japanese each pair of neighbouring characters is taken for a word.

    >>> shares_in_common("Wer baute die Brücke?", ["Die Steinbrücke hat er gebaut.", "Es regnete."], "de")
    [0.9, 0.0]
    >>> shares_in_common("谁设计了清水桥？", ["清水桥由林若川设计。", "清水桥很长。", "下雨了。"], "zh")[::2]
    [1.0, 0.0]
    """
    parts = _parts(question, language)
    said = [_folded(sentence) for sentence in sentences]
    found = {part: [_found(part, sentence) for sentence in said] for part in parts}
    has = {part: sum(shares) for part, shares in found.items()}
    weights = {part: math.log1p(len(said) / max(1.0, has[part])) for part in parts if not _straddles(part, has)}
    total = sum(weights.values())
    return [sum(weights[part] * found[part][i] for part in weights) / total if total else 0.0 for i in range(len(said))]


def _straddles(part: str, has: Mapping[str, float]) -> bool:
    """Whether a pair of characters that no sentence has is the end of one word and the beginning of the next."""
    if has[part] or not _IDEOGRAPHS.match(part):
        return False
    return any(count and (other[0] == part[-1] or other[-1] == part[0]) for other, count in has.items())


def _folded(text: str) -> str:
    """Without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _parts(question: str, language: str) -> list[str]:
    """The words of a question that say something, each once."""
    parts: dict[str, None] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", question.casefold())):
        if _IDEOGRAPHS.match(word):
            runs = _EMPTY.split(word)
            parts.update(dict.fromkeys(run[i : i + 2] for run in runs for i in range(len(run) - 1)))
        elif word not in function_words(language):
            parts[_folded(word)] = None
    return list(parts)[:_MOST_PARTS]


def _found(part: str, sentence: str) -> float:
    """How much of a word a sentence has: all, or its beginning."""
    if len(part) < _SHORTEST_STEM and not _IDEOGRAPHS.match(part):
        return float(re.search(rf"\b{re.escape(part)}\b", sentence) is not None)
    shortest = max(_SHORTEST_STEM, math.ceil(_LEAST_OF_A_WORD * len(part)))
    lengths = [len(part), *range(len(part) - 1, shortest - 1, -1)]
    return next((length / len(part) for length in lengths if part[:length] in sentence), 0.0)
