"""Rank facts by their relevance to a phrase, for questions that need many facts rather than a few passages."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from polyadic.retrieval.items import RetrievedRow
from polyadic.retrieval.relevance.question_features import QuestionFeatures
from polyadic.storage.incidence import distinct
from polyadic.storage.protocol import Reader, Rows, Vectors

_FACTS, _PASSAGES = 1000, 60
# Weight of the share of the question's words, by rarity, that a fact contains; the cosine has weight 1.
_WORDS = 0.5


def candidate_facts(phrase: str, vector: Vectors, reader: Reader) -> Rows:
    """Return the facts nearest to the question, and those of the best passages by BM25; of a small store, all facts."""
    lexical = reader.links("chunk_facts", reader.search(phrase, _PASSAGES).rows).targets
    return distinct(reader.nearest("fact", vector, _FACTS).rows, lexical)


def fact_relevance(
    facts: Rows, texts: Sequence[str], words: QuestionFeatures, vector: Vectors, reader: Reader
) -> Vectors:
    """Return the relevance of each fact: its similarity, and the share of the question's words, weighted by rarity."""
    stems = [words.stems(text) for text in texts]
    frequencies = Counter(stem for found in stems for stem in found)
    rarity = {word: float(np.log1p(len(facts) / (1 + frequencies[word]))) for word in words.content}
    shares = [sum(rarity[word] for word in words.content if word in found) for found in stems]
    similarity = reader.similarity("fact", facts, vector[None, :])[0]
    return np.asarray(similarity + _WORDS * np.array(shares) / max(sum(rarity.values()), 1e-9), dtype=np.float32)


def within(ranked: Sequence[RetrievedRow], room: int) -> tuple[RetrievedRow, ...]:
    """Take rows from the start as long as they fit."""
    sizes = np.cumsum([row.tokens for row in ranked])
    return tuple(ranked[: int(np.searchsorted(sizes, room, side="right"))])
