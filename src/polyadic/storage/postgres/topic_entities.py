"""What each passage is about, kept in step by whoever writes: it hangs on many rows, and readers ask for it row by row.

Where the titles of documents do not tell, the numbers of entities do (see storage/memory/topic_entities.py). Of
passages of
which several entities may be the subject by their numbers these stand in a table of their own: whenever the numbers of
one of them change, the server chooses among them anew, and writes where it chooses otherwise.
"""

from collections.abc import Collection

import numpy as np

from polyadic.model.aggregation import SCORE_UNIT
from polyadic.model.resolution import EntityResolution
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers
from polyadic.storage.memory.topic_entities import contenders, foremost
from polyadic.storage.postgres.incidence import PostgresIncidence
from polyadic.storage.sql.title_entities import title_entities, titles_of_chunks

_NOTE = (
    "UPDATE chunk SET about = nullif(v.subject, -1) FROM unnest(?::bigint[], ?::bigint[]) v (of_chunk, subject)"
    " WHERE chunk.id = v.of_chunk AND chunk.about IS DISTINCT FROM nullif(v.subject, -1)"
)
# As foremost chooses, to the last digit: by the mean score as a number of four bytes, the facts, the digest.
_CHOOSE_ANEW = f"""
UPDATE chunk SET about = first.entity FROM (
    SELECT DISTINCT ON (c.chunk) c.chunk, c.entity FROM contested c JOIN entity e ON e.id = c.entity
    WHERE c.chunk IN (SELECT chunk FROM contested WHERE entity = ANY(?))
    ORDER BY c.chunk, (e.score / (greatest(e.evidence, 1) * {SCORE_UNIT})::float8)::real DESC, e.facts, e.digest
) first WHERE chunk.id = first.chunk AND chunk.about IS DISTINCT FROM first.entity
"""


def renew(
    connection: Connection, overlay: EntityResolution, entities: Collection[int], chunks: Collection[int]
) -> None:
    """Note what passages are about that were touched, or are contested by entities that were (keys of the tables)."""
    looked_at = sorted(chunks)
    connection.execute("DELETE FROM contested WHERE chunk = ANY(?)", (looked_at,))
    connection.execute(_CHOOSE_ANEW, (list(entities),))
    titled = titles_of_chunks(connection, looked_at)
    named = title_entities(connection, overlay, titled)
    untitled = np.array(sorted(chunk for chunk, entity in named.items() if entity < 0), dtype=np.int64)
    owners, competing = contenders(PostgresIncidence(connection), untitled)
    subjects = foremost(PostgresIncidence(connection), len(untitled), owners, competing, _ranks(connection, competing))
    named |= dict(zip(untitled.tolist(), subjects.tolist(), strict=True))
    connection.execute(_NOTE, (list(named), list(named.values())))
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
