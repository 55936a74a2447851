"""Consistency check of a store: compare the derived tables with the evidence.

Facts, entities and statements are derived again from the evidence, in memory, and compared with the tables.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from polyadic.model import identity
from polyadic.model.aggregation import FORMS_EMBEDDED, Attribute, Tallies, tally
from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Evidence
from polyadic.storage.connection import Connection
from polyadic.storage.sql.encoding import load_evidence, text_digest
from polyadic.storage.sql.hierarchy_check import hierarchy_problems
from polyadic.storage.sql.revisions import resolution_of
from polyadic.storage.sql.segments import MOST_SEGMENTS, text_of
from polyadic.storage.sql.vectors import MISCOUNTED

# The chunks that readers see.
_CURRENT = "document d JOIN revision r ON r.id = d.current JOIN chunk c ON c.revision = r.id"
_STRAY_SEGMENTS = (
    f"SELECT count(DISTINCT id / {MOST_SEGMENTS}) FROM {{}} s"
    f" WHERE NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = s.id / {MOST_SEGMENTS})"
)
_COUNTS = (
    ("texts belong to documents that no longer exist", _STRAY_SEGMENTS.format("text_segment")),
    ("original files belong to documents that no longer exist", _STRAY_SEGMENTS.format("original_segment")),
    (
        "revisions belong to documents that no longer exist",
        "SELECT count(*) FROM revision WHERE document NOT IN (SELECT id FROM document)",
    ),
    (
        # Each chunk has windows numbered from 0 whose vectors exist.
        "chunks lack vectors",
        "SELECT count(*) FROM (SELECT count(w.chunk) AS windows, count(v.id) AS vectors, max(w.ordinal) AS last"
        f" FROM {_CURRENT} LEFT JOIN passage_window w ON w.chunk = c.id LEFT JOIN vector v ON v.id = w.vector"
        " GROUP BY c.id) n WHERE windows = 0 OR windows <> vectors OR last <> vectors - 1",
    ),
    (
        "vectors belong to chunks that no longer exist",
        f"SELECT count(*) FROM passage_window WHERE chunk NOT IN (SELECT c.id FROM {_CURRENT})",
    ),
    ("vectors have a wrong use count", f"SELECT count(*) FROM ({MISCOUNTED}) m"),
)
"""Problems that the engine counts."""
_Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Truth:
    """What the evidence implies under the current decisions.

    Tallies, the locations where facts are stated (fact, chunk and the characters of the document), and the chunks whose
    stored evidence count is wrong.
    """

    tallies: Tallies
    resolution: EntityResolution
    stated: set[_Row]
    miscounted: set[int]


def problems_of(connection: Connection) -> list[str]:
    """Compare the tables with the evidence; return one short message per kind of problem. Reads everything once."""
    problems: list[str] = []
    try:
        problems += (f"{wrong:,} {what}" for what, wrong in _counted(connection) if wrong)
        problems += hierarchy_problems(connection)
    except (ValueError, TypeError, AttributeError) as error:
        # Without the evidence there is nothing to compare with.
        problems.append(f"evidence that cannot be read ({error})")
    return problems


def _counted(connection: Connection) -> Iterator[tuple[str, int]]:
    """Yield each kind of problem with the number of its occurrences."""
    yield "chunks do not match the text of their documents", _misplaced_chunks(connection)
    for what, sql in _COUNTS:
        yield what, connection.execute(sql).fetchone()[0]
    truth = _truth(connection)
    yield "chunks have a wrong evidence count", len(truth.miscounted)
    for what, sql, wanted in _DERIVED:
        # Count the distinct first columns (facts or entities) of rows that are in only one of the two sets.
        stored = {tuple(row) for row in connection.execute(sql)}
        yield what, len({row[0] for row in stored.symmetric_difference(wanted(truth))})


def _misplaced_chunks(connection: Connection) -> int:
    """Count chunks whose identifier, a digest of document, start and text, does not match."""
    wrong = 0
    for revision, document in connection.execute(
        "SELECT r.id, lower(hex(d.digest)) FROM document d JOIN revision r ON r.id = d.current"
    ):
        text = text_of(connection, revision)
        for digest, start, stop, new_from in connection.execute(
            "SELECT lower(hex(digest)), start, stop, new_from FROM chunk WHERE revision = ?", (revision,)
        ):
            in_bounds = 0 <= start <= new_from <= stop <= len(text)
            wrong += not in_bounds or digest != identity.chunk_id(document, start, text[start:stop])
    return wrong


def _truth(connection: Connection) -> _Truth:
    stated: set[_Row] = set()
    miscounted: set[int] = set()

    def chunks() -> Iterator[tuple[str, Sequence[Evidence]]]:
        for document, chunk, start, stop, count, data in connection.execute(
            f"SELECT lower(hex(d.digest)), c.id, c.start, c.stop, c.evidence_count, c.evidence FROM {_CURRENT}"
            " WHERE c.evidence IS NOT NULL"
        ):
            evidence = load_evidence(data)
            if len(evidence) != count:
                miscounted.add(chunk)
            for statement in evidence:
                spans = [(span.start, span.end) for span in statement.spans] or [(start, stop)]
                if statement.fact_id is not None:
                    stated.update((statement.fact_id, chunk, *span) for span in spans)
            yield document, evidence

    resolution = resolution_of(connection)
    return _Truth(tally(chunks(), resolution), resolution, stated, miscounted)


# rows of the derived tables that the evidence implies


def _facts(truth: _Truth) -> Iterator[_Row]:
    for key, fact in truth.tallies.facts.items():
        yield key, fact.text, fact.arity, fact.evidence, fact.score


def _embedded_facts(truth: _Truth) -> Iterator[_Row]:
    return ((key, text_digest(fact.text)) for key, fact in truth.tallies.facts.items())


def _participation(truth: _Truth) -> Iterator[_Row]:
    for key, fact in truth.tallies.facts.items():
        yield from ((key, entity, times) for entity, times in fact.participants.items())


def _entities(truth: _Truth) -> Iterator[_Row]:
    degrees = Counter(entity for fact in truth.tallies.facts.values() for entity in fact.participants)
    for key, one in truth.tallies.entities.items():
        name, type_, description = (
            next(iter(one.ranked(attribute)), "")
            for attribute in (Attribute.NAME, Attribute.TYPE, Attribute.DESCRIPTION)
        )
        name = truth.resolution.name(key) or name
        yield key, one.evidence, one.score, one.chunks, degrees[key], name, type_, description


def _attributes(truth: _Truth) -> Iterator[_Row]:
    """Yield attribute values, with the digest of the vector if they are among the best forms."""
    for key, one in truth.tallies.entities.items():
        best = one.ranked(Attribute.FORM)[:FORMS_EMBEDDED]
        for (attribute, value), times in one.value_counts.items():
            is_embedded = attribute is Attribute.FORM and value in best
            yield key, attribute.value, value, times, text_digest(value).hex() if is_embedded else None


_DERIVED: Sequence[tuple[str, str, Callable[[_Truth], Iterator[_Row]]]] = (
    (
        "facts differ from what their evidence says",
        "SELECT lower(hex(digest)), text, arity, evidence, score FROM fact",
        _facts,
    ),
    (
        "entities differ from what their evidence says",
        "SELECT key, evidence, score, chunks, facts, name, type, description FROM entity",
        _entities,
    ),
    # Outer joins, so that rows with a dangling reference are found as well.
    (
        "facts are linked to other entities than their evidence says",
        "SELECT lower(hex(f.digest)), e.key, p.occurrences FROM participation p"
        " LEFT JOIN fact f ON f.id = p.fact LEFT JOIN entity e ON e.id = p.entity",
        _participation,
    ),
    (
        "facts are stated elsewhere than their evidence says",
        "SELECT lower(hex(f.digest)), s.chunk, s.start, s.stop FROM statement s LEFT JOIN fact f ON f.id = s.fact",
        lambda truth: iter(truth.stated),
    ),
    (
        "facts lack their vector",
        "SELECT lower(hex(f.digest)), v.digest FROM fact f LEFT JOIN vector v ON v.id = f.vector",
        _embedded_facts,
    ),
    (
        # A missing vector differs from none.
        "entities have other names, descriptions or vectors than their evidence says",
        "SELECT e.key, s.attribute, s.value, s.occurrences, CASE WHEN s.vector IS NOT NULL THEN"
        " coalesce(lower(hex(v.digest)), 'missing') END"
        " FROM attribute_value s LEFT JOIN entity e ON e.id = s.entity LEFT JOIN vector v ON v.id = s.vector",
        _attributes,
    ),
)
"""Derived tables: the problem, the stored rows, and the rows that the evidence implies."""
