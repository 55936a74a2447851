"""Consistency check of the hierarchy: count the clusters, communities and summaries with each kind of problem.

A current (not stale) cluster or community refers only to existing members and sources, and the source words recorded
for it are current. A stale one has no texts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from polyadic.model import identity
from polyadic.model.aggregation import form
from polyadic.storage.connection import Connection
from polyadic.storage.sql.encoding import load_report, text_digest, unpack
from polyadic.storage.sql.hierarchy_records import CLUSTER, Words, current_words, unpack_words

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


def hierarchy_problems(connection: Connection) -> Iterator[str]:
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
