"""Consistency check of the hierarchy: count the clusters, communities and summaries with each kind of problem.

A current (not stale) cluster or community refers only to existing members and sources, and the source words recorded
for it are current. A stale one has no texts.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from polyadic.model import identity
from polyadic.model.aggregation import form
from polyadic.storage.connection import Connection
from polyadic.storage.sql.digests import text_digest
from polyadic.storage.sql.hierarchy_records import CLUSTER, load_report, unpack
from polyadic.storage.sql.hierarchy_texts import Words, holding, unpack_words

_EXISTING = "SELECT lower(hex(digest)) FROM entity UNION SELECT lower(hex(digest)) FROM fact"
_SOURCE_RECORDS = "SELECT node, source, text_digests FROM hierarchy_source"


@dataclass(frozen=True, slots=True)
class _StoredNode:
    """A cluster or community; ``notes`` are the recorded words by member or source; ``worded`` if it has any text."""

    digest: str
    kind: str
    level: int
    stale: bool
    members: tuple[str, ...]
    sources: tuple[str, ...]
    notes: Mapping[str, Words]
    worded: bool
    report: str | None


@dataclass(frozen=True, slots=True)
class _StoredHierarchy:
    """All rows by key; ``notes`` are orphaned source records, ``now`` are the current words of all recorded sources."""

    rows: Mapping[int, _StoredNode]
    notes: Mapping[int, Mapping[str, Words]]
    now: Mapping[str, Words]


def hierarchy_problems(connection: Connection) -> Iterator[str]:
    """Yield one short message per kind of problem found."""
    hierarchy = _stored_hierarchy(connection)
    for what, count in _CHECKS.items():
        if wrong := count(connection, hierarchy):
            yield f"{wrong:,} {what}"


def _stored_hierarchy(connection: Connection) -> _StoredHierarchy:
    notes: dict[int, dict[str, Words]] = defaultdict(dict)
    recorded: dict[bytes, Words] = {}
    for theme, source, data in connection.execute(_SOURCE_RECORDS):
        words = notes[theme][source.hex()] = unpack_words(data)
        recorded[source] = words | recorded.get(source, frozenset())
    rows = connection.execute(
        "SELECT id, lower(hex(digest)), kind, level, stale, members, sources,"
        " basis != '' OR tokens > 0 OR stale AND sources != ?,"
        " EXISTS (SELECT 1 FROM summary s WHERE s.node = t.id), report FROM hierarchy_node t",
        (b"",),
    )
    nodes = {}
    for key, digest, kind, level, stale, members, sources, has_numbers, has_summaries, report in rows:
        worded = bool(has_numbers or has_summaries) or report is not None
        own = notes.pop(key, {})
        nodes[key] = _StoredNode(
            digest, kind, level, bool(stale), unpack(members), unpack(sources), own, worded, report
        )
    return _StoredHierarchy(
        nodes, notes, {source.hex(): words for source, words in holding(connection, recorded).items()}
    )


def _wrong_identifiers(connection: Connection, hierarchy: _StoredHierarchy) -> int:
    rows = hierarchy.rows.values()
    return sum(node.digest != identity.digest(node.kind, str(node.level), *node.members) for node in rows)


def _missing_references(connection: Connection, hierarchy: _StoredHierarchy) -> int:
    """Count current rows with missing members or sources; stale clusters without summaries are checked elsewhere."""
    existing = {digest for (digest,) in connection.execute(_EXISTING)}
    existing |= {digest for (digest,) in connection.execute("SELECT lower(hex(digest)) FROM summary")}
    return sum(
        not node.stale and not existing.issuperset((*node.members, *node.sources)) for node in hierarchy.rows.values()
    )


def _wrong_source_records(connection: Connection, hierarchy: _StoredHierarchy) -> int:
    """Count clusters and communities with wrong source records, and orphaned records. Stale ones must have none."""
    return sum(not _is_recorded(node, hierarchy.now) for node in hierarchy.rows.values()) + len(hierarchy.notes)


def _is_recorded(node: _StoredNode, now: Mapping[str, Words]) -> bool:
    """Return whether all members and sources of a row are recorded, with words exactly for sources that have any."""
    sources = frozenset(node.sources)
    if node.notes.keys() != (set() if node.stale else sources.union(node.members)):
        return False
    return all(bool(words) == (one in sources and bool(now[one])) for one, words in node.notes.items() if one in now)


def _outdated(connection: Connection, hierarchy: _StoredHierarchy) -> int:
    """Count rows whose recorded words are no longer current. Deleted sources are checked elsewhere."""
    now = hierarchy.now
    return sum(
        any(not words <= now.get(one, words) for one, words in node.notes.items()) for node in hierarchy.rows.values()
    )


def _stale_with_texts(connection: Connection, hierarchy: _StoredHierarchy) -> int:
    return sum(node.stale and node.worded for node in hierarchy.rows.values())


def _unreadable_reports(connection: Connection, hierarchy: _StoredHierarchy) -> int:
    wrong = 0
    for report in (node.report for node in hierarchy.rows.values() if node.report is not None):
        try:
            load_report(report)
        except (ValueError, TypeError):
            wrong += 1
    return wrong


def _wrong_summaries(connection: Connection, hierarchy: _StoredHierarchy) -> int:
    """Count summaries without a cluster, or whose members, identifier or vector do not match it."""
    clusters = {key: node for key, node in hierarchy.rows.items() if node.kind == CLUSTER}
    wrong = 0
    for digest, cluster, name, description, members, vector in connection.execute(
        "SELECT lower(hex(s.digest)), s.node, s.name, s.description, s.members, v.digest FROM summary s"
        " LEFT JOIN vector v ON v.id = s.vector"
    ):
        of = clusters.get(cluster)
        is_named = of is not None and digest == identity.digest("summary", of.digest, identity.entity_key(name))
        covers = of is not None and set(unpack(members)) <= set(of.members)
        wrong += not (is_named and covers and vector == text_digest(form(name, description)))
    return wrong


_CHECKS: Mapping[str, Callable[[Connection, _StoredHierarchy], int]] = {
    "clusters or communities have identifiers that do not match their members": _wrong_identifiers,
    "clusters or communities have missing members or sources": _missing_references,
    "clusters or communities have wrong source records": _wrong_source_records,
    "clusters or communities are based on outdated texts": _outdated,
    "clusters or communities are stale but still have texts": _stale_with_texts,
    "reports cannot be read": _unreadable_reports,
    "summaries do not match their clusters": _wrong_summaries,
}
