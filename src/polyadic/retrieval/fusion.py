"""Combine the rankings of passages by BM25, vectors and walk into one.

A linear model scores each passage. Its weights depend on the question: every feature of a passage is multiplied by
every feature of the question, so that a question with rare exact words trusts BM25, and one that names entities trusts
the walk. The weights are learned by ``python -m benchmarks.learn_ranking`` (softmax over the passages of a question).
"""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.retrieval.relevance.linear_model import learned
from polyadic.storage.protocol import Vectors
from polyadic.text.language import detect_language

PASSAGE_FEATURES = (
    "bm25", "bm25_rank", "bm25_slow_rank", "cosine_gap", "cosine_rank", "cosine_slow_rank",
    "walk", "walk_rank", "walk_slow_rank", "fact_gap", "fact_rank", "mass",
)  # fmt: skip
QUESTION_FEATURES = (
    "bias", "names", "nameless", "rarest_name", "bm25_and_walk_agree", "walk_and_cosine_agree",
    "bm25_and_walk_same_first", "bm25_and_cosine_same_first", "bm25_margin",
    "length", "capitals", "best_cosine", "not_english",
)  # fmt: skip
_WORD = re.compile(r"\w+")
_SLOWLY = 10
_FIRST = 5
_MOST_WORDS, _MOST_NAMES = 25, 3


@dataclass(frozen=True, slots=True)
class FusionSignals:
    """Signals about the passages around a question, shape (passages,) each, and about the names it mentions.

    ``bm25`` is 0 for passages that do not match; ``cosines`` are similarities to the question; ``walk`` is the score
    that method ``walk`` ranks by; ``facts`` is the highest cosine among the facts stated in each passage; ``mass`` is
    the square root of the PageRank mass relative to the greatest, in [0, 1]; ``names`` is the number of names that the
    question mentions; ``name_frequencies`` are the numbers of passages in which each known name occurs.
    """

    question: str
    bm25: Vectors
    cosines: Vectors
    walk: Vectors
    facts: Vectors
    mass: Vectors
    names: int
    name_frequencies: NDArray[np.int64]


def fuse(signals: FusionSignals) -> Vectors:
    """Return the score of each passage; scores are comparable only between passages of one question."""
    weights = learned("passages")
    table = np.array([[weights[row].get(column, 0.0) for column in QUESTION_FEATURES] for row in PASSAGE_FEATURES])
    return np.asarray(passage_features(signals) @ (table @ question_features(signals)), dtype=np.float32)


def passage_features(signals: FusionSignals) -> NDArray[np.float64]:
    """Return the features of each passage, shape (passages, features), in the order of ``PASSAGE_FEATURES``.

    ``rank`` features are reciprocal ranks 1 / (1 + n), where n passages score higher; ``slow_rank`` features are
    10 / (10 + n). ``gap`` features are differences to the best passage.
    """
    bm25, cosines, walk, facts = signals.bm25, signals.cosines, signals.walk, signals.facts
    hit = bm25 > 0
    by_bm25, by_cosine, by_walk, by_fact = (_ranks(values) for values in (bm25, cosines, walk, facts))
    columns = (
        bm25 / max(_highest(bm25), 1e-9),
        hit / (1 + by_bm25),
        hit * _SLOWLY / (_SLOWLY + by_bm25),
        cosines - _highest(cosines),
        1 / (1 + by_cosine),
        _SLOWLY / (_SLOWLY + by_cosine),
        walk / max(_highest(walk), 1e-9),
        1 / (1 + by_walk),
        _SLOWLY / (_SLOWLY + by_walk),
        facts - _highest(facts),
        1 / (1 + by_fact),
        signals.mass,
    )
    return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)


def question_features(signals: FusionSignals) -> NDArray[np.float64]:
    """Return the features of the question, shape (features,), in the order of ``QUESTION_FEATURES``."""
    best = {name: np.argsort(-getattr(signals, name), kind="stable") for name in ("bm25", "cosines", "walk")}
    first = {name: set(order[:_FIRST].tolist()) for name, order in best.items()}
    same = {name: int(order[0]) if len(order) else -1 for name, order in best.items()}
    highest = np.sort(signals.bm25)[::-1]
    words = _WORD.findall(signals.question)
    return np.array(
        [
            1.0,
            min(signals.names, _MOST_NAMES) / _MOST_NAMES,
            float(not signals.names),
            1 / np.sqrt(max(int(signals.name_frequencies.min()), 1)) if len(signals.name_frequencies) else 0.0,
            len(first["walk"] & first["bm25"]) / _FIRST,
            len(first["walk"] & first["cosines"]) / _FIRST,
            float(same["walk"] == same["bm25"]),
            float(same["bm25"] == same["cosines"]),
            float((highest[0] - highest[1]) / max(highest[0], 1e-9)) if len(highest) > 1 else 0.0,
            min(len(words), _MOST_WORDS) / _MOST_WORDS,
            sum(word[:1].isupper() for word in words[1:]) / max(len(words), 1),
            _highest(signals.cosines),
            float(detect_language(signals.question) != "en"),
        ]
    )


def _ranks(values: Vectors) -> NDArray[np.int64]:
    """Return, for each value, the number of higher values (its rank, from 0)."""
    return len(values) - np.sort(values).searchsorted(values, side="right")


def _highest(values: Vectors) -> float:
    return float(values.max()) if len(values) else 0.0
