"""Examples for answer sentence selection: questions, sentences that answer them, and sentences that do not.

``documents/`` has invented documents of everyday kinds, with questions; none is of a kind that ``benchmarks.ordinary``
or ``benchmarks.small`` holds out. public_sets.py reads the public data sets.
"""

import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.answer_selection.distractors import Pooled, found_elsewhere
from benchmarks.cached_embedder import CachedEmbedder
from polyadic.config import EmbeddingSettings
from polyadic.embeddings.loading import load_embedder
from polyadic.text.stopwords import function_words

DOCUMENTS = Path(__file__).parent / "documents"
MOST_WRONG = 9
_ELSEWHERE, _SAME_SUBJECT = 12, 800
_NAMED = re.compile(r"\s[A-Z]\w+")
_WORD = re.compile(r"\w+")
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Example:
    """A question, sentences that answer it (none for an unanswerable one), and others; each with its context.

    ``wrong`` are of the same document, ``elsewhere`` of others. ``source`` names the document, and ``place`` is where
    the question's sentence stands in a source that has many.
    """

    question: str
    right: Sequence[Pair]
    wrong: Sequence[Pair]
    source: str
    place: int = 0
    elsewhere: Sequence[Pair] = ()


def own_examples(chance: random.Random) -> Iterator[Example]:
    """Yield the examples of the invented documents."""
    for file in sorted(DOCUMENTS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield from _document(json.loads(line), chance)


def with_distractors(public: Sequence[Example], own: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """Add to each example the sentences of other documents that a search finds for its question.

    For an invented question that names nothing, only public documents are searched, because another invented one may
    answer it.
    """
    everywhere = [*public, *(one for one in own if _NAMED.search(one.question))]
    apart = [one for one in own if not _NAMED.search(one.question)]
    found: dict[int, Example] = {}
    # Public documents are searched twice.
    embedder = CachedEmbedder(load_embedder(EmbeddingSettings()))
    for examples, pool in ((everywhere, _pool([*public, *own])), (apart, _pool(public))):
        asked = [(one.question, one.source, one.place) for one in examples]
        for one, elsewhere in zip(
            examples, found_elsewhere(asked, pool, embedder, _ELSEWHERE, _SAME_SUBJECT), strict=True
        ):
            found[id(one)] = replace(one, elsewhere=elsewhere)
    return [found[id(one)] for one in public], [found[id(one)] for one in own]


def _pool(examples: Sequence[Example]) -> list[Pooled]:
    pooled = {pair: Pooled(pair, one.source, one.place) for one in examples for pair in (*one.right, *one.wrong)}
    return list(pooled.values())


def _document(document: Mapping[str, Any], chance: random.Random) -> Iterator[Example]:
    sentences = [
        (" : ".join(filter(None, (document["title"], section["heading"]))), sentence)
        for section in document["sections"]
        for sentence in section["sentences"]
    ]
    rarity = rarity_of([text for _, text in sentences])
    for asked in document["questions"]:
        right = [sentences[number] for number in asked["answers"]]
        others = [pair for pair in sentences if pair not in right]
        yield Example(asked["q"], right, tempting(asked["q"], others, rarity, chance), document["title"])


def tempting(
    question: str, sentences: Sequence[Pair], rarity: Mapping[str, float], chance: random.Random
) -> list[Pair]:
    """Choose sentences that do not answer: two of three share rare words with the question."""
    asked = _words(question) - function_words("en")

    def shared(pair: Pair) -> float:
        common = sum(rarity.get(word, 0.0) for word in asked & _words(pair[1]))
        return common / (1 + len(pair[1]) / 500) + chance.random() / 2

    ranked = sorted(sentences, key=shared, reverse=True)
    near, rest = ranked[: 2 * MOST_WRONG], ranked[2 * MOST_WRONG :]
    chance.shuffle(near)
    chance.shuffle(rest)
    most_near = max(2 * MOST_WRONG // 3, MOST_WRONG - len(rest))
    return [*near[:most_near], *rest][:MOST_WRONG]


def rarity_of(sentences: Sequence[str]) -> dict[str, float]:
    holding = Counter(word for sentence in sentences for word in _words(sentence))
    return {word: math.log1p(len(sentences) / (count + 1)) for word, count in holding.items()}


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
