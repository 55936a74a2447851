"""Search entities by vector, and link the names in a question to one entity each: by name, else by vector."""

from collections.abc import Sequence

import numpy as np

from polyadic.model.identity import loose_name
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


def linked_entities(names: Sequence[str], vectors: Vectors, reader: Reader) -> Hits:
    """Return one entity for each name, and how similar it is to the name.

    An entity with that name has similarity 1; if there are several, the one with most facts is used. A name that is
    unknown to the store is linked to the entity with the nearest vector. An empty store gives no entities.

    Parameters
    ----------
    names
        The names.
    vectors
        Their vectors, shape (n, d).
    reader
        The store.
    """
    known = reader.named([loose_name(name) for name in names])
    rows, scores = [], []
    for name, vector in zip(names, vectors, strict=True):
        if homonyms := known.get(loose_name(name)):
            counts = reader.degrees("entity_facts", np.array(homonyms, dtype=np.int64))
            rows.append(homonyms[int(counts.argmax())])
            scores.append(1.0)
        elif len((near := reader.nearest("entity", vector, 1)).rows):
            rows.append(int(near.rows[0]))
            scores.append(float(near.scores[0]))
    return Hits(np.array(rows, dtype=np.int64), np.array(scores, dtype=np.float32))
