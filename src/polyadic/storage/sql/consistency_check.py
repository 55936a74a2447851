"""Consistency check of a store: compare the derived tables with the evidence.

Facts, entities and statements are derived again from the evidence, in memory, and compared with the tables.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from polyadic.model import identity
from polyadic.model.aggregation import FORMS_EMBEDDED, Attribute, Tallies, tally
from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Evidence
from polyadic.storage.connection import Connection
from polyadic.storage.sql.digests import text_digest
from polyadic.storage.sql.hierarchy_check import hierarchy_problems
from polyadic.storage.sql.originals import ORIGINALS
from polyadic.storage.sql.serialization import load_evidence, resolution_of
from polyadic.storage.sql.texts import TEXTS, text_of

_MOST = 10
# The chunks that readers see.
_CURRENT = "document d JOIN revision r ON r.id = d.current JOIN chunk c ON c.revision = r.id"
_SHOWN = (Attribute.NAME, Attribute.TYPE, Attribute.DESCRIPTION)
_STRAY_REVISIONS = "SELECT 1 FROM revision WHERE document NOT IN (SELECT id FROM document)"
_STRAY_WINDOWS = f"SELECT 1 FROM passage_window WHERE chunk NOT IN (SELECT c.id FROM {_CURRENT})"
_USERS = " UNION ALL ".join(
    f"SELECT vector FROM {table}" for table in ("fact", "attribute_value", "passage_window", "summary")
)
_MISCOUNTED_VECTORS = (
    "SELECT 1 FROM vector v LEFT JOIN (SELECT vector, count(*) AS occurrences"
    f" FROM ({_USERS}) WHERE vector IS NOT NULL GROUP BY vector) u ON u.vector = v.id"
    " WHERE v.uses != coalesce(u.occurrences, 0)"
)
# A fact, and the chunk and the characters of the document that state it.
_Stated = tuple[str, int, int, int]


@dataclass(frozen=True, slots=True)
class _Truth:
    """What the evidence implies under the current decisions.

    Tallies, the locations where facts are stated, and the chunks whose stored evidence count is wrong.
    """

    tallies: Tallies
    resolution: EntityResolution
    stated: set[_Stated]
    miscounted: set[int]


def problems_of(connection: Connection) -> list[str]:
    """Compare the tables with the evidence; return one short message per kind of problem. Reads everything once."""
    problems = []
    try:
        problems = [f"{wrong:,} {what}" for what, count in _OF_CHUNKS.items() if (wrong := count(connection))]
        truth = _truth(connection)
        problems += [f"{wrong:,} {what}" for what, count in _DERIVED.items() if (wrong := count(connection, truth))]
        problems += hierarchy_problems(connection)
    except (ValueError, TypeError, AttributeError) as error:
        # Without the evidence there is nothing to compare with.
        problems.append(f"evidence that cannot be read ({error})")
    return problems


def _truth(connection: Connection) -> _Truth:
    stated: set[_Stated] = set()
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


# passages


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


def _count(connection: Connection, sql: str) -> int:
    return len(connection.execute(sql).fetchall())


def _unembedded_chunks(connection: Connection) -> int:
    """Count chunks without windows numbered from 0 whose vectors exist."""
    rows = connection.execute(
        f"SELECT count(w.chunk), count(v.id), max(w.ordinal) FROM {_CURRENT}"
        " LEFT JOIN passage_window w ON w.chunk = c.id LEFT JOIN vector v ON v.id = w.vector GROUP BY c.id"
    )
    return sum(not (0 < windows == vectors == last + 1) for windows, vectors, last in rows)


# derived tables; outer joins, so that rows with a dangling reference are found as well


def _wrong_facts(connection: Connection, truth: _Truth) -> int:
    facts = truth.tallies.facts.items()
    wanted = {(key, fact.text, fact.arity, fact.evidence, fact.score) for key, fact in facts}
    return _differing(wanted, connection.execute("SELECT lower(hex(digest)), text, arity, evidence, score FROM fact"))


def _wrong_participation(connection: Connection, truth: _Truth) -> int:
    rows = connection.execute(
        "SELECT lower(hex(f.digest)), e.key, p.occurrences FROM participation p"
        " LEFT JOIN fact f ON f.id = p.fact LEFT JOIN entity e ON e.id = p.entity"
    )
    facts = truth.tallies.facts.items()
    return _differing({(key, entity, n) for key, fact in facts for entity, n in fact.participants.items()}, rows)


def _wrong_statements(connection: Connection, truth: _Truth) -> int:
    rows = connection.execute(
        "SELECT lower(hex(f.digest)), s.chunk, s.start, s.stop FROM statement s LEFT JOIN fact f ON f.id = s.fact"
    )
    return _differing(truth.stated, rows)


def _unembedded_facts(connection: Connection, truth: _Truth) -> int:
    rows = connection.execute("SELECT lower(hex(f.digest)), v.digest FROM fact f LEFT JOIN vector v ON v.id = f.vector")
    return _differing({(key, text_digest(fact.text)) for key, fact in truth.tallies.facts.items()}, rows)


def _wrong_entities(connection: Connection, truth: _Truth) -> int:
    degrees = Counter(entity for fact in truth.tallies.facts.values() for entity in fact.participants)
    wanted = set()
    for key, one in truth.tallies.entities.items():
        shown = (next(iter(one.ranked(attribute)), "") for attribute in _SHOWN)
        name, *rest = shown
        wanted.add((key, one.evidence, one.score, one.chunks, degrees[key], truth.resolution.name(key) or name, *rest))
    rows = connection.execute("SELECT key, evidence, score, chunks, facts, name, type, description FROM entity")
    return _differing(wanted, rows)


def _wrong_attributes(connection: Connection, truth: _Truth) -> int:
    """Count entities whose attribute values or counts are wrong, or whose vectors are not those of the best forms."""
    wanted = set()
    for key, one in truth.tallies.entities.items():
        best = {value: text_digest(value) for value in one.ranked(Attribute.FORM)[:FORMS_EMBEDDED]}
        for (attribute, value), times in one.value_counts.items():
            vector = best[value] if attribute is Attribute.FORM and value in best else None
            wanted.add((key, attribute.value, value, times, vector))
    rows = connection.execute(
        # Distinguish a missing vector from none.
        "SELECT e.key, s.attribute, s.value, s.occurrences, CASE WHEN s.vector IS NOT NULL THEN"
        " coalesce(v.digest, ?) END"
        " FROM attribute_value s LEFT JOIN entity e ON e.id = s.entity LEFT JOIN vector v ON v.id = s.vector",
        (b"",),
    )
    return _differing(wanted, rows)


_OF_CHUNKS: Mapping[str, Callable[[Connection], int]] = {
    "chunks do not match the text of their documents": _misplaced_chunks,
    "texts belong to documents that no longer exist": TEXTS.count_strays,
    "original files belong to documents that no longer exist": ORIGINALS.count_strays,
    "revisions belong to documents that no longer exist": lambda connection: _count(connection, _STRAY_REVISIONS),
    "chunks lack vectors": _unembedded_chunks,
    "vectors belong to chunks that no longer exist": lambda connection: _count(connection, _STRAY_WINDOWS),
    "vectors have a wrong use count": lambda connection: _count(connection, _MISCOUNTED_VECTORS),
}
_DERIVED: Mapping[str, Callable[[Connection, _Truth], int]] = {
    "chunks have a wrong evidence count": lambda connection, truth: len(truth.miscounted),
    "facts differ from what their evidence says": _wrong_facts,
    "entities differ from what their evidence says": _wrong_entities,
    "facts are linked to other entities than their evidence says": _wrong_participation,
    "facts are stated elsewhere than their evidence says": _wrong_statements,
    "facts lack their vector": _unembedded_facts,
    "entities have other names, descriptions or vectors than their evidence says": _wrong_attributes,
}


def _differing(wanted: Set[tuple[object, ...]], stored: Iterable[tuple[object, ...]]) -> int:
    """Count the distinct first columns (facts or entities) of rows that are in only one of the two sets."""
    return len({row[0] for row in wanted ^ set(stored)})
