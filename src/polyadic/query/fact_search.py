"""Searching facts: by meaning, by the entities that they connect, by both, or the most complete of all."""

from collections.abc import Sequence

import numpy as np

from polyadic.embeddings.embedder import Embedder
from polyadic.llm.store_cache import StoreResponseCache
from polyadic.query.lookup import facts_of_all
from polyadic.query.usage import UsageMeter
from polyadic.storage.protocol import Hits, Reader, Store, Vectors

# Of what connects the entities, the most complete facts are compared with the words.
_COMPARED = 2_000
_MOST_RANKED = 100_000


async def vector_of(words: str, store: Store, embedder: Embedder) -> Vectors | None:
    """The vector of some words, shape (d,); None where they say nothing.

    What an endpoint is paid for it is entered in the store's ledger.
    """
    if not words.strip():
        return None
    bill = UsageMeter(StoreResponseCache(store))
    try:
        return np.asarray((await embedder.embed([words]))[0], dtype=np.float32)
    finally:
        await bill.enter_embedding(embedder)


def search_facts(reader: Reader, vector: Vectors | None, entities: Sequence[int], limit: int) -> Hits:
    """At most ``limit`` facts, the best first; ties by identifier.

    Parameters
    ----------
    reader
        Where to search.
    vector
        What they are to be like: hits then carry similarities, else how complete each fact is.
    entities
        Rows of entities, all of which a fact has to connect; any fact where there are none.
    """
    if vector is None:
        every = not entities
        rows = reader.identified("fact", "", _MOST_RANKED) if every else facts_of_all(reader, entities, limit)
        return _best(Hits(rows, reader.scores("fact", rows)), limit)
    if not entities:
        return reader.nearest("fact", vector, limit)
    rows = facts_of_all(reader, entities, _COMPARED)
    return _best(Hits(rows, reader.similarity("fact", rows, vector[None, :])[0]), limit)


def _best(hits: Hits, limit: int) -> Hits:
    best = np.argsort(-hits.scores, kind="stable")[:limit]
    return Hits(hits.rows[best], hits.scores[best])
