"""Names in Chinese and Japanese, which have no capitals.

What the script marks is taken (titles in 《》, katakana, dates), and what a document keeps repeating: a string of
Chinese characters that recurs and holds no function character is a name or a term more often than not. A short
text repeats little, so its facts may have few participants; its passages still count in full.
"""

import re
from collections import Counter

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_KATAKANA = "\u30a1-\u30fa\u30fc"
_MARKED = re.compile(
    rf"""
      [《『「]([^《》『』「」]{{1,30}})[》』」]                                   # titles
    | ([{_KATAKANA}]{{3,}}(?:[・＝=][{_KATAKANA}]{{2,}})*)                       # チャールズ・バベッジ
    | (\d{{1,4}}年(?:\d{{1,2}}月(?:\d{{1,2}}日)?)?|\d{{1,2}}月\d{{1,2}}日)          # 1843年5月12日
    """,
    re.VERBOSE,
)
_IDEOGRAPH = re.compile(f"[{_HAN}{_KATAKANA}]")
_RUN = re.compile(f"[{_HAN}]+(?:·[{_HAN}]+)*")
_FUNCTION_CHARACTERS = re.compile(
    "^·|·$|[的了是在和有我你他她它们这那与及为之而于以等也不就都把被从对由到说要会可能后前上中下里个一二三几年月日者所其但并或因如则又很最更还没]"
)
_LONGEST = 8
_LEAST_COUNT = 3
_READ = 100_000


def has_ideographs(text: str) -> bool:
    return not text.isascii() and _IDEOGRAPH.search(text) is not None


def recurring(text: str) -> frozenset[str]:
    """Strings of 2 to 8 Chinese characters that recur in a text, each as long as it recurs.

    >>> sorted(recurring("巴贝奇设计机器。后来巴贝奇离开。巴贝奇老了。"))
    ['巴贝奇']
    """
    counts: Counter[str] = Counter()
    for run in _RUN.findall(text[:_READ]):
        for size in range(2, _LONGEST + 1):
            counts.update(run[i : i + size] for i in range(len(run) - size + 1))
    frequent = {gram for gram, n in counts.items() if n >= _LEAST_COUNT}
    within = {part for gram in frequent for part in (gram[1:], gram[:-1]) if counts[part] == counts[gram]}
    return frozenset(gram for gram in frequent - within if not _has_function_character(gram))


def _has_function_character(gram: str) -> bool:
    return _FUNCTION_CHARACTERS.search(gram) is not None


def ideographic_names(sentence: str, repeated: frozenset[str]) -> list[tuple[int, str]]:
    """Where each name starts, and the name; of overlapping ones the longer.

    >>> ideographic_names("1843年，巴贝奇写了《机器》。", frozenset({"巴贝奇"}))
    [(0, '1843年'), (6, '巴贝奇'), (12, '机器')]
    """
    marked = [(m.start(m.lastindex or 0), m.group(m.lastindex or 0)) for m in _MARKED.finditer(sentence)]
    return sorted(marked + _longest_matches(_MARKED.sub(lambda m: " " * len(m.group()), sentence), repeated))


def _longest_matches(sentence: str, repeated: frozenset[str]) -> list[tuple[int, str]]:
    found, i = [], 0
    while i < len(sentence):
        grams = (sentence[i : i + size] for size in range(_LONGEST, 1, -1))
        longest = next((gram for gram in grams if gram in repeated), "")
        if longest:
            found.append((i, longest))
        i += len(longest) or 1
    return found
