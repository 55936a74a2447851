"""Maintain the topic entity of each passage on write, as it depends on many rows and readers need it row by row.

The topic entity is named by the document's title or, failing that, chosen by the entities' numbers, as in
storage/arrays/topic_entities.py. If several entities compete for a passage, the table ``topic_candidate`` lists them:
whenever the numbers of one change, the server chooses again.
"""

from collections.abc import Collection

from polyadic.model.aggregation import SCORE_UNIT
from polyadic.model.resolution import EntityResolution
from polyadic.storage.connection import Connection
from polyadic.storage.sql.title_entities import title_entities, titles_of_chunks

_SHARE = 0.6
"""Minimum share of a passage's facts that its topic entity takes part in."""
_SET_TOPICS = (
    "UPDATE chunk SET topic_entity = nullif(v.topic, -1) FROM unnest(?::bigint[], ?::bigint[]) v (of_chunk, topic)"
    " WHERE chunk.id = v.of_chunk AND chunk.topic_entity IS DISTINCT FROM nullif(v.topic, -1)"
)
# The highest mean score, as a 4-byte float; ties go to the fewest facts, then to the first digest.
_FIRST = (
    "SELECT DISTINCT ON (c.chunk) c.chunk, c.entity FROM {} c JOIN entity e ON e.id = c.entity"
    f" ORDER BY c.chunk, (e.score / (greatest(e.evidence, 1) * {SCORE_UNIT})::float8)::real DESC, e.facts, e.digest"
)
_CONTESTED_BY = (
    "(SELECT * FROM topic_candidate WHERE chunk IN (SELECT chunk FROM topic_candidate WHERE entity = ANY(?)))"
)
_CHOOSE_AGAIN = (
    f"UPDATE chunk SET topic_entity = first.entity FROM ({_FIRST.format(_CONTESTED_BY)}) first"
    " WHERE chunk.id = first.chunk AND chunk.topic_entity IS DISTINCT FROM first.entity"
)
# The entities that take part in most facts of a passage compete, if that is share enough.
_CHOOSE = f"""
WITH stated AS (SELECT DISTINCT chunk, fact FROM statement WHERE chunk = ANY(?)),
shared AS (
    SELECT s.chunk, p.entity, count(*) AS facts, max(count(*)) OVER (PARTITION BY s.chunk) AS most
    FROM stated s JOIN participation p ON p.fact = s.fact GROUP BY s.chunk, p.entity
),
contender AS MATERIALIZED (
    SELECT chunk, entity, count(*) OVER (PARTITION BY chunk) AS contenders FROM shared
    JOIN (SELECT chunk, count(*) AS of_chunk FROM stated GROUP BY chunk) total USING (chunk)
    WHERE facts = most AND facts >= {_SHARE}::float8 * of_chunk
),
contested AS (
    INSERT INTO topic_candidate (entity, chunk) SELECT entity, chunk FROM contender WHERE contenders > 1
)
{_FIRST.format("contender")}
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
    topics = title_entities(connection, resolution, titles_of_chunks(connection, touched))
    untitled = [chunk for chunk, entity in topics.items() if entity < 0]
    topics |= connection.execute(_CHOOSE, (untitled,)).fetchall()
    connection.execute(_SET_TOPICS, (list(topics), list(topics.values())))
