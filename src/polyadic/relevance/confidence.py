"""How probable it is that documents answer a question, learned on questions that they answer and others."""

import numpy as np
from numpy.typing import NDArray

from polyadic.relevance.asked import AnswerKind, Asked
from polyadic.relevance.logistic import Linear, learned
from polyadic.relevance.sentences import COLUMNS

_TOLD = (
    "cosine",
    "coverage",
    "coverage_with_context",
    "coverage_with_before",
    "codes",
    "pairs",
    "passage_score",
    "strength",
    "novelty",
    "completeness",
    "title_asked",
)
_PLACES = [COLUMNS.index(name) for name in _TOLD]
_HIGHEST = ("cosine", "coverage", "coverage_with_context", "coverage_with_before")
_HIGHEST_PLACES = [COLUMNS.index(name) for name in _HIGHEST]
# What they have to reach is another in other languages, of which the embedder knows little, and another again where
# pairs of characters stand for words.
_SCALED = ("cosine", "coverage", "coverage_with_before")
_SCALED_PLACES = [COLUMNS.index(name) for name in _SCALED]
_UNSPACED = ("zh", "ja")
CONFIDENCE_FEATURES = (
    *_TOLD,
    *(f"highest {name}" for name in _HIGHEST),
    "score",
    "score_gap",
    "signs",
    "words",
    "english",
    "unspaced",
    *(f"highest {name} x english" for name in _SCALED),
    *(f"highest {name} x unspaced" for name in _SCALED),
    "has_codes",
    "other_kind",
)
_SIGNS = [place for place, name in enumerate(COLUMNS) if name.startswith("asks_") and " x " not in name]
_MOST_WORDS = 10


def confidence(asked: Asked, features: NDArray[np.float64], scores: NDArray[np.float64]) -> float:
    """How probable it is that the documents answer, in (0, 1); 0 where there is no sentence.

    Parameters
    ----------
    asked
        The question.
    features
        Of its candidates, shape (sentences, columns), as sentence_features gives them.
    scores
        Of each candidate, shape (sentences,).
    """
    if not len(scores):
        return 0.0
    parts = learned("sentences")
    model = Linear.named(parts["confidence"], CONFIDENCE_FEATURES, parts["confidence"].get("bias", 0.0))
    return float(model.probabilities(confidence_features(asked, features, scores)[None, :])[0])


def least_confidence() -> float:
    """The confidence below which a question is refused; hardly any answerable one of the learned sets is."""
    return learned("sentences")["confidence"]["least"]


def confidence_features(
    asked: Asked, features: NDArray[np.float64], scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What tells whether any candidate answers, shape (confidence features,); there is at least one candidate."""
    best = int(np.argmax(scores))
    english, unspaced = float(asked.language == "en"), float(asked.language in _UNSPACED)
    scaled = features[:, _SCALED_PLACES].max(axis=0)
    ordered = np.sort(scores)[::-1]
    return np.array(
        [
            *features[best, _PLACES],
            *features[:, _HIGHEST_PLACES].max(axis=0),
            ordered[0],
            ordered[0] - ordered[1] if len(ordered) > 1 else 0.0,
            features[best, _SIGNS].sum(),
            min(len(asked.content), _MOST_WORDS) / _MOST_WORDS,
            english,
            unspaced,
            *(scaled * english),
            *(scaled * unspaced),
            float(bool(asked.codes)),
            float(asked.kind is AnswerKind.OTHER),
        ]
    )
