"""Search entities by one vector each, as in the papers: that of the best supported name and description."""

import numpy as np

from polyadic.storage.protocol import Hits, Reader, Rows, Vectors

_FIRST, _FACTOR = 256, 4
"""Entities compared at first, and the factor by which their number grows."""


def nearest_entities(vector: Vectors, k: int, reader: Reader, one_vector: bool, by_score: bool = False) -> Hits:
    """Return the k entities most similar to a vector, best first.

    Parameters
    ----------
    vector
        Shape (d,).
    k
        Maximum number of entities.
    reader
        The store.
    one_vector
        Compare by the main vector of each entity; otherwise by the most similar of its vectors.
    by_score
        Rank by similarity x score, and return the products (HyperGraphRAG, Eq. 14).
    """
    if not one_vector:
        return reader.nearest("entity", vector, k, by_score)
    compared = max(_FIRST, _FACTOR * k)
    while True:
        # The most similar of all vectors is at least as similar as the main one.
        bounds = reader.nearest("entity", vector, compared, by_score)
        scores = main_similarity(bounds.rows, vector, reader)
        if by_score:
            scores = scores * reader.scores("entity", bounds.rows)
        best = np.argsort(-scores, kind="stable")[:k]
        are_all = len(bounds.rows) < compared
        if are_all or (len(best) == k and scores[best[-1]] >= bounds.scores[-1]):
            return Hits(bounds.rows[best], scores[best])
        compared *= _FACTOR


def main_similarity(entities: Rows, vector: Vectors, reader: Reader) -> Vectors:
    """Return the cosine of each entity's main vector with a vector of shape (d,)."""
    if not len(entities):
        return np.zeros(0, dtype=np.float32)
    return np.asarray((reader.main_vectors(entities) * vector.astype(np.float64)).sum(axis=1), dtype=np.float32)
