"""What each passage is about, kept in step by whoever writes: it hangs on many rows, and readers ask for it row by row.

Where the titles of documents do not tell, the numbers of entities do (see store/arrays/subjects.py). Passages of which
several entities may be the subject by their numbers are looked at again whenever one of these entities changes.
"""

from collections.abc import Collection

import numpy as np

from polyadic.overlay import Overlay
from polyadic.store.arrays.subjects import contenders, foremost
from polyadic.store.connection import Connection
from polyadic.store.incidence import Integers
from polyadic.store.postgres.tables import Tables
from polyadic.store.tables.titles import title_entities, titles_of_chunks


def renew(connection: Connection, overlay: Overlay, entities: Collection[int], chunks: Collection[int]) -> None:
    """Note what passages are about that were touched, or are contested by entities that were (keys of the tables)."""
    contested = connection.execute("SELECT DISTINCT chunk FROM contested WHERE entity = ANY(?)", (list(entities),))
    looked_at = sorted({*chunks, *(chunk for (chunk,) in contested.fetchall())})
    connection.execute("DELETE FROM contested WHERE chunk = ANY(?)", (looked_at,))
    titled = titles_of_chunks(connection, looked_at)
    named = title_entities(connection, overlay, titled)
    untitled = np.array(sorted(chunk for chunk, entity in named.items() if entity < 0), dtype=np.int64)
    owners, competing = contenders(Tables(connection), untitled)
    subjects = foremost(Tables(connection), len(untitled), owners, competing, _ranks(connection, competing))
    named |= dict(zip(untitled.tolist(), subjects.tolist(), strict=True))
    connection.executemany(
        "UPDATE chunk SET about = ? WHERE id = ?",
        [(None if entity < 0 else entity, chunk) for chunk, entity in named.items()],
    )
    several = np.bincount(owners, minlength=len(untitled))[owners] > 1
    pairs = zip(competing[several].tolist(), untitled[owners[several]].tolist(), strict=True)
    connection.executemany("INSERT INTO contested (entity, chunk) VALUES (?, ?)", list(pairs))


def _ranks(connection: Connection, entities: Integers) -> Integers:
    """Numbers that sort entities as their public identifiers do."""
    found = connection.execute(
        "SELECT id, row_number() OVER (ORDER BY digest) FROM entity WHERE id = ANY(?)", (np.unique(entities).tolist(),)
    )
    ranks = dict(found.fetchall())
    return np.array([ranks[entity] for entity in entities.tolist()], dtype=np.int64)
