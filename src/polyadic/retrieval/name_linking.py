"""Link the names in a question to entities, one each: by name, else by vector."""

from collections.abc import Sequence

import numpy as np

from polyadic.model.identity import loose_name
from polyadic.storage.protocol import Hits, Reader, Vectors


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
