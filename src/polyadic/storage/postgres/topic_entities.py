"""Maintain the topic entity of each passage on write, as it depends on many rows and readers need it row by row.

The topic entity is named by the document's title or, failing that, chosen by the entities' numbers (see
storage/arrays/topic_entities.py). If several entities compete for a passage, the table ``topic_candidate`` lists them:
whenever the numbers of one change, the server chooses again.
"""

from collections.abc import Collection

import numpy as np

from polyadic.model.aggregation import SCORE_UNIT
from polyadic.model.resolution import EntityResolution
from polyadic.storage.arrays.topic_entities import contenders, highest_scored
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers
from polyadic.storage.postgres.incidence import PostgresIncidence
from polyadic.storage.postgres.schema import TOPIC_CANDIDATE
from polyadic.storage.sql.title_entities import title_entities, titles_of_chunks
from polyadic.storage.table import Insert

_SET_TOPICS = (
    "UPDATE chunk SET topic_entity = nullif(v.subject, -1) FROM unnest(?::bigint[], ?::bigint[]) v (of_chunk, subject)"
    " WHERE chunk.id = v.of_chunk AND chunk.topic_entity IS DISTINCT FROM nullif(v.subject, -1)"
)
# Must choose as highest_scored() does: by the mean score as a 4-byte float, the number of facts, and the digest.
_CHOOSE_AGAIN = f"""
UPDATE chunk SET topic_entity = first.entity FROM (
    SELECT DISTINCT ON (c.chunk) c.chunk, c.entity FROM topic_candidate c JOIN entity e ON e.id = c.entity
    WHERE c.chunk IN (SELECT chunk FROM topic_candidate WHERE entity = ANY(?))
    ORDER BY c.chunk, (e.score / (greatest(e.evidence, 1) * {SCORE_UNIT})::float8)::real DESC, e.facts, e.digest
) first WHERE chunk.id = first.chunk AND chunk.topic_entity IS DISTINCT FROM first.entity
"""


def renew(
    connection: Connection, resolution: EntityResolution, entities: Collection[int], chunks: Collection[int]
) -> None:
    """Update the topic entities of the passages that a change affects.

    Parameters
    ----------
    entities, chunks
        Table keys of the touched entities and chunks. Passages contested by a touched entity are updated as well.
    """
    touched = sorted(chunks)
    connection.execute("DELETE FROM topic_candidate WHERE chunk = ANY(?)", (touched,))
    connection.execute(_CHOOSE_AGAIN, (list(entities),))
    titled = titles_of_chunks(connection, touched)
    named = title_entities(connection, resolution, titled)
    untitled = np.array(sorted(chunk for chunk, entity in named.items() if entity < 0), dtype=np.int64)
    owners, competing = contenders(PostgresIncidence(connection), untitled)
    subjects = highest_scored(
        PostgresIncidence(connection), len(untitled), owners, competing, _ranks(connection, competing)
    )
    named |= dict(zip(untitled.tolist(), subjects.tolist(), strict=True))
    connection.execute(_SET_TOPICS, (list(named), list(named.values())))
    is_contested = np.bincount(owners, minlength=len(untitled))[owners] > 1
    pairs = zip(competing[is_contested].tolist(), untitled[owners[is_contested]].tolist(), strict=True)
    connection.change(Insert(TOPIC_CANDIDATE, TOPIC_CANDIDATE.names), pairs)


def _ranks(connection: Connection, entities: Integers) -> Integers:
    """Return the ranks of entities in the order of their public identifiers."""
    rows = connection.execute(
        "SELECT id, row_number() OVER (ORDER BY digest) FROM entity WHERE id = ANY(?)", (np.unique(entities).tolist(),)
    )
    ranks = dict(rows.fetchall())
    return np.array([ranks[entity] for entity in entities.tolist()], dtype=np.int64)
