"""Which sentences belong together because one names what the other's document is about."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyadic.retrieval.relevance.question_features import QuestionFeatures
from polyadic.retrieval.relevance.sentence_features import SentenceFeatures, plain_title, spaced


def linked_by_title(asked: QuestionFeatures, sentences: Sequence[SentenceFeatures]) -> NDArray[np.bool_]:
    """Return which sentences are linked, shape (sentences, sentences), symmetric.

    Two sentences are linked if one contains the title of the other's document, and the question does not: such a name
    is a step between what is asked and the answer.
    """
    titles = [plain_title(sentence.title) for sentence in sentences]
    texts = [spaced(sentence.text) for sentence in sentences]
    question = spaced(asked.text)
    linked = np.zeros((len(sentences), len(sentences)), dtype=np.bool_)
    for title in {title for title in titles if title and f" {title} " not in question}:
        about = np.array([other == title for other in titles], dtype=np.bool_)
        names = np.array([f" {title} " in text for text in texts], dtype=np.bool_) & ~about
        linked |= names[:, None] & about[None, :]
    return linked | linked.T
