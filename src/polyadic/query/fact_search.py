"""Search facts by meaning, by the entities that they connect, by both, or list those with the highest scores."""

from collections.abc import Sequence

import numpy as np

from polyadic.embeddings.embedder import Embedder
from polyadic.llm.cached_model import StoreResponseCache
from polyadic.query.lookup import facts_of_all
from polyadic.query.usage_meter import UsageMeter
from polyadic.storage.protocol import Hits, Reader, Store, Vectors

# With entities and a vector, only this many of the highest-scored facts are compared with the vector.
_MAX_COMPARED = 2_000
_MAX_RANKED = 100_000


async def vector_of(words: str, store: Store, embedder: Embedder) -> Vectors | None:
    """Embed the search words, shape (d,); return None for blank words.

    The cost of an endpoint is recorded in the store's ledger.
    """
    if not words.strip():
        return None
    meter = UsageMeter(StoreResponseCache(store))
    try:
        return np.asarray((await embedder.embed([words]))[0], dtype=np.float32)
    finally:
        await meter.enter_embedding(embedder)


def search_facts(reader: Reader, vector: Vectors | None, entities: Sequence[int], limit: int) -> Hits:
    """Return at most ``limit`` facts, best first; ties are ordered by identifier.

    Parameters
    ----------
    reader
        The store to search.
    vector
        Query vector. Hits carry similarities if it is given, otherwise the scores of the facts.
    entities
        Rows of entities that every fact has to connect; empty for any fact.
    limit
        Maximum number of facts.
    """
    if vector is None:
        unrestricted = not entities
        rows = reader.rows("fact", "", _MAX_RANKED) if unrestricted else facts_of_all(reader, entities, limit)
        return _best(Hits(rows, reader.scores("fact", rows)), limit)
    if not entities:
        return reader.nearest("fact", vector, limit)
    rows = facts_of_all(reader, entities, _MAX_COMPARED)
    return _best(Hits(rows, reader.similarity("fact", rows, vector[None, :])[0]), limit)


def _best(hits: Hits, limit: int) -> Hits:
    best = np.argsort(-hits.scores, kind="stable")[:limit]
    return Hits(hits.rows[best], hits.scores[best])
