"""Consistency check of a store: compare the derived tables with the evidence.

Facts, entities and statements are derived again from the evidence, in memory, and compared with the tables. A current
(not stale) cluster or community refers only to existing members and sources, and the source words recorded for it are
current; a stale one has no texts.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyadic.model import identity
from polyadic.model.aggregation import FORMS_EMBEDDED, Attribute, Tallies, form, tally
from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Evidence
from polyadic.storage.connection import Connection
from polyadic.storage.sql.encoding import load_evidence, load_report, text_digest, unpack
from polyadic.storage.sql.hierarchy_records import CLUSTER, Words, current_words, unpack_words
from polyadic.storage.sql.revisions import MOST_SEGMENTS, PUBLISHED, resolution_of, text_of
from polyadic.storage.sql.vectors import MISCOUNTED

_STRAY_SEGMENTS = (
    f"SELECT count(DISTINCT id / {MOST_SEGMENTS}) FROM {{}} s"
    f" WHERE NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = s.id / {MOST_SEGMENTS})"
)
_COUNTS = {
    "texts belong to documents that no longer exist": _STRAY_SEGMENTS.format("text_segment"),
    "original files belong to documents that no longer exist": _STRAY_SEGMENTS.format("original_segment"),
    "revisions belong to documents that no longer exist": (
        "SELECT count(*) FROM revision WHERE document NOT IN (SELECT id FROM document)"
    ),
    # Each chunk has windows numbered from 0 whose vectors exist.
    "chunks lack vectors": (
        "SELECT count(*) FROM (SELECT count(w.chunk) AS windows, count(v.id) AS vectors, max(w.ordinal) AS last"
        f" FROM {PUBLISHED} LEFT JOIN passage_window w ON w.chunk = c.id LEFT JOIN vector v ON v.id = w.vector"
        " GROUP BY c.id) n WHERE windows = 0 OR windows <> vectors OR last <> vectors - 1"
    ),
    "vectors belong to chunks that no longer exist": (
        f"SELECT count(*) FROM passage_window WHERE chunk NOT IN (SELECT c.id FROM {PUBLISHED})"
    ),
    "vectors have a wrong use count": f"SELECT count(*) FROM ({MISCOUNTED}) m",
}
"""Problems that the engine counts."""
_NODES = (
    "SELECT id, lower(hex(digest)), kind, level, stale, members, sources, report, basis != '' OR tokens > 0"
    " OR report IS NOT NULL OR stale AND sources != ? OR EXISTS (SELECT 1 FROM summary s WHERE s.node = t.id)"
    " FROM hierarchy_node t"
)
_SUMMARIES = (
    "SELECT lower(hex(s.digest)), s.node, s.name, s.description, s.members, v.digest FROM summary s"
    " LEFT JOIN vector v ON v.id = s.vector"
)
_EXISTING = " UNION ".join(f"SELECT lower(hex(digest)) FROM {table}" for table in ("entity", "fact", "summary"))
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
        problems += _hierarchy_problems(connection)
    except (ValueError, TypeError, AttributeError) as error:
        # Without the evidence there is nothing to compare with.
        problems.append(f"evidence that cannot be read ({error})")
    return problems


def _counted(connection: Connection) -> Iterator[tuple[str, int]]:
    """Yield each kind of problem with the number of its occurrences."""
    yield "chunks do not match the text of their documents", _misplaced_chunks(connection)
    for what, sql in _COUNTS.items():
        yield what, connection.execute(sql).fetchone()[0]
    truth = _truth(connection)
    yield "chunks have a wrong evidence count", len(truth.miscounted)
    for what, (sql, wanted) in _DERIVED.items():
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
            f"SELECT lower(hex(d.digest)), c.id, c.start, c.stop, c.evidence_count, c.evidence FROM {PUBLISHED}"
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


_DERIVED: Mapping[str, tuple[str, Callable[[_Truth], Iterable[_Row]]]] = {
    "facts differ from what their evidence says": (
        "SELECT lower(hex(digest)), text, arity, evidence, score FROM fact",
        _facts,
    ),
    "entities differ from what their evidence says": (
        "SELECT key, evidence, score, chunks, facts, name, type, description FROM entity",
        _entities,
    ),
    # Outer joins, so that rows with a dangling reference are found as well.
    "facts are linked to other entities than their evidence says": (
        "SELECT lower(hex(f.digest)), e.key, p.occurrences FROM participation p"
        " LEFT JOIN fact f ON f.id = p.fact LEFT JOIN entity e ON e.id = p.entity",
        _participation,
    ),
    "facts are stated elsewhere than their evidence says": (
        "SELECT lower(hex(f.digest)), s.chunk, s.start, s.stop FROM statement s LEFT JOIN fact f ON f.id = s.fact",
        lambda truth: truth.stated,
    ),
    "facts lack their vector": (
        "SELECT lower(hex(f.digest)), v.digest FROM fact f LEFT JOIN vector v ON v.id = f.vector",
        _embedded_facts,
    ),
    # A missing vector differs from none.
    "entities have other names, descriptions or vectors than their evidence says": (
        "SELECT e.key, s.attribute, s.value, s.occurrences, CASE WHEN s.vector IS NOT NULL THEN"
        " coalesce(lower(hex(v.digest)), 'missing') END"
        " FROM attribute_value s LEFT JOIN entity e ON e.id = s.entity LEFT JOIN vector v ON v.id = s.vector",
        _attributes,
    ),
}
"""Derived tables: the problem, the stored rows, and the rows that the evidence implies."""


# the hierarchy


@dataclass(frozen=True, slots=True)
class _Node:
    """A cluster or community; ``has_texts`` if it has anything that a stale one must not have."""

    digest: str
    kind: str
    level: int
    stale: bool
    members: tuple[str, ...]
    sources: tuple[str, ...]
    report: str | None
    has_texts: bool


def _hierarchy_problems(connection: Connection) -> Iterator[str]:
    """Yield one short message per kind of problem found."""
    nodes = {
        key: _Node(digest, kind, level, bool(stale), unpack(members), unpack(sources), report, bool(has_texts))
        for key, digest, kind, level, stale, members, sources, report, has_texts in connection.execute(_NODES, (b"",))
    }
    recorded: dict[int, dict[str, Words]] = defaultdict(dict)
    for node, source, data in connection.execute("SELECT node, source, text_digests FROM hierarchy_source"):
        recorded[node][source.hex()] = unpack_words(data)
    sources = [(bytes.fromhex(source), words) for those in recorded.values() for source, words in those.items()]
    now = {source.hex(): words for source, words in current_words(connection, sources).items()}
    existing = {digest for (digest,) in connection.execute(_EXISTING)}
    of_nodes = [(node, recorded.get(key, {})) for key, node in nodes.items()]
    counts = {
        "clusters or communities have identifiers that do not match their members": sum(
            node.digest != identity.digest(node.kind, str(node.level), *node.members) for node in nodes.values()
        ),
        "clusters or communities have missing members or sources": sum(
            not node.stale and not existing.issuperset((*node.members, *node.sources)) for node in nodes.values()
        ),
        "clusters or communities have wrong source records": sum(
            not _is_recorded(node, words, now) for node, words in of_nodes
        )
        + len(recorded.keys() - nodes.keys()),
        # Deleted sources are counted above.
        "clusters or communities are based on outdated texts": sum(
            any(not words <= now.get(source, words) for source, words in those.items()) for _, those in of_nodes
        ),
        "clusters or communities are stale but still have texts": sum(
            node.stale and node.has_texts for node in nodes.values()
        ),
        "reports cannot be read": sum(not _is_readable(node.report) for node in nodes.values()),
        "summaries do not match their clusters": _wrong_summaries(connection, nodes),
    }
    return (f"{wrong:,} {what}" for what, wrong in counts.items() if wrong)


def _is_recorded(node: _Node, words: Mapping[str, Words], now: Mapping[str, Words]) -> bool:
    """Return whether all members and sources of a node are recorded, with words exactly for sources that have any."""
    sources = frozenset(node.sources)
    if words.keys() != (set() if node.stale else sources.union(node.members)):
        return False
    return all(bool(those) == (one in sources and bool(now[one])) for one, those in words.items() if one in now)


def _is_readable(report: str | None) -> bool:
    try:
        return report is None or bool(load_report(report))
    except (ValueError, TypeError):
        return False


def _wrong_summaries(connection: Connection, nodes: Mapping[int, _Node]) -> int:
    """Count summaries without a cluster, or whose members, identifier or vector do not match it."""
    wrong = 0
    for digest, key, name, description, members, vector in connection.execute(_SUMMARIES):
        cluster = nodes.get(key)
        wrong += (
            cluster is None
            or cluster.kind != CLUSTER
            or digest != identity.digest("summary", cluster.digest, identity.entity_key(name))
            or not set(unpack(members)) <= set(cluster.members)
            or vector != text_digest(form(name, description))
        )
    return wrong
