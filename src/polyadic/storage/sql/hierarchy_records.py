"""Read clusters, communities and summaries, and the texts ("words") that they were generated from.

The words of an entity are its displayed name, type and description. They are current as long as evidence supports them
or they are displayed; an empty one is always current. The words of a summary are current as long as it has them. Only
digests are stored, so that no text of a deleted document remains.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from polyadic.model import identity
from polyadic.model.aggregation import Attribute
from polyadic.model.hierarchy import Cluster, Community, Hierarchy, Summary
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.sql.encoding import to_json
from polyadic.storage.sql.meta import meta, put_meta
from polyadic.storage.sql.tables import HIERARCHY_NODE, SUMMARY
from polyadic.storage.table import Selection

CLUSTER, COMMUNITY = "cluster", "community"
SERIES = "hierarchy_series"
"""Key in the table meta: sparsity of the layers and number of entities placed, as JSON."""
COMMUNITY_FIELDS = Selection(
    HIERARCHY_NODE, "level", "members", "sources", "stale", "parent", "basis", "tokens", "report"
)
SUMMARY_FIELDS = Selection(SUMMARY, "name", "type", "description", "members", "memberships")
_CLUSTER_FIELDS = Selection(HIERARCHY_NODE, "level", "members", "primary_members", "sources", "stale")
_SUMMARIES_SQL = (
    f"SELECT s.id, s.node, t.digest, t.level, s.author, {SUMMARY_FIELDS.of('s')}"
    " FROM summary s JOIN hierarchy_node t ON t.id = s.node"
)

Words = frozenset[bytes]
"""Digests of the name, type and description of an entity or summary; empty for a fact, whose identity is its text."""
_ATTRIBUTES = (Attribute.NAME, Attribute.TYPE, Attribute.DESCRIPTION)
_DIGEST_BYTES = 8


def hierarchy_of(connection: Connection, only: Collection[int] | None = None) -> Hierarchy:
    """Read the hierarchy, including stale clusters and communities.

    Parameters
    ----------
    only
        Table keys of the clusters and communities to include, as if there were no others. The series, which describes
        the whole hierarchy, is then left out.
    """
    summaries: dict[int, list[Summary]] = defaultdict(list)
    for _, node, *fields in connection.execute(f"{_SUMMARIES_SQL} ORDER BY s.id"):
        summaries[node].append(_summary(*fields))

    def nodes(kind: str, fields: Selection) -> list[tuple[int, dict[str, Any]]]:
        sql = f"SELECT id, {fields.of('t')} FROM hierarchy_node t WHERE kind = ? ORDER BY level, digest"
        return [
            (key, fields.load(row)) for key, *row in connection.execute(sql, (kind,)) if only is None or key in only
        ]

    clusters = tuple(
        Cluster(level, members, own, sources, tuple(summaries[key]), stale)
        for key, fields in nodes(CLUSTER, _CLUSTER_FIELDS)
        for level, members, own, sources, stale in [fields.values()]
    )
    communities = tuple(Community(**fields) for _, fields in nodes(COMMUNITY, COMMUNITY_FIELDS))
    if only is None:
        return Hierarchy(clusters, communities, *_series(connection))
    included = {community.id for community in communities}
    return Hierarchy(clusters, tuple(_without_missing_parents(communities, included)))


def summaries_of(connection: Connection, keys: Sequence[int]) -> list[Summary]:
    """Return summaries by table key, in the order of ``keys``."""
    rows = select_in(connection, f"{_SUMMARIES_SQL} WHERE s.id {{any_of}}", keys)
    by_key = {key: _summary(*fields) for key, _, *fields in rows}
    return [by_key[key] for key in keys]


def communities_of(connection: Connection, keys: Sequence[int], only: Collection[int] | None = None) -> list[Community]:
    """Return communities by table key, in the order of ``keys``; ``only`` as in :func:`hierarchy_of`."""
    sql = f"SELECT id, {COMMUNITY_FIELDS.of('t')} FROM hierarchy_node t WHERE id {{any_of}}"
    by_key = {key: Community(**COMMUNITY_FIELDS.load(row)) for key, *row in select_in(connection, sql, keys)}
    communities = [by_key[key] for key in keys]
    if only is None:
        return communities
    parents = list({bytes.fromhex(one.parent) for one in communities})
    known = select_in(connection, "SELECT id, digest FROM hierarchy_node WHERE digest {any_of}", parents)
    return list(_without_missing_parents(communities, {digest.hex() for key, digest in known if key in only}))


def put_series(connection: Connection, sparsities: Sequence[float], settled: int, since: int) -> None:
    put_meta(connection, SERIES, to_json([list(sparsities), settled, since]))


def unsettle(connection: Connection) -> None:
    """Schedule a full rebuild of the clusters: similarities by one model's vectors do not hold for another's."""
    sparsities, _, since = _series(connection)
    put_series(connection, sparsities, 0, since)


def _series(connection: Connection) -> tuple[tuple[float, ...], int, int]:
    sparsities, settled, since = json.loads(meta(connection, SERIES) or "[[], 0, 0]")
    return tuple(sparsities), settled, since


def _summary(cluster: bytes, level: int, author: str, *stored: Any) -> Summary:
    return Summary(cluster=cluster.hex(), layer=level + 1, by=author, **SUMMARY_FIELDS.load(stored))


def _without_missing_parents(communities: Iterable[Community], included: Set[str]) -> Iterator[Community]:
    """Clear the parents that are not included."""
    return (one if one.parent in included else replace(one, parent="") for one in communities)


def words_of(name: str, type_: str, description: str) -> Words:
    """Return the digests of a name, a type and a description.

    >>> len(words_of("Ada", "", "a mathematician")), words_of("Ada", "", "") == words_of("", "Ada", "")
    (3, False)
    """
    return frozenset(_word(*pair) for pair in zip(_ATTRIBUTES, (name, type_, description), strict=True))


def unpack_words(data: bytes) -> Words:
    """Split concatenated digests of words."""
    return frozenset(data[at : at + _DIGEST_BYTES] for at in range(0, len(data), _DIGEST_BYTES))


def displayed(connection: Connection, table: str, digests: Sequence[bytes]) -> dict[bytes, Words]:
    """Return the displayed words of rows of ``table`` (entity or summary) by digest; missing rows are absent."""
    sql = f"SELECT digest, name, type, description FROM {table} WHERE digest {{any_of}}"
    return {digest: words_of(*shown) for digest, *shown in select_in(connection, sql, digests)}


def existing(connection: Connection, digests: Sequence[bytes]) -> dict[bytes, Words]:
    """Return the displayed words of entities, summaries and facts by digest; missing ones are absent."""
    facts = select_in(connection, "SELECT digest FROM fact WHERE digest {any_of}", digests)
    words: dict[bytes, Words] = {digest: frozenset() for (digest,) in facts}
    return words | displayed(connection, "entity", digests) | displayed(connection, "summary", digests)


def current_words(connection: Connection, recorded: Iterable[tuple[bytes, Words]]) -> dict[bytes, Words]:
    """Return the current words of the existing sources among ``recorded``: digests of sources, and recorded words.

    Variants that are not displayed are read only if a recorded word is not displayed, as some entities have very many.
    """
    words_by_source: Mapping[bytes, set[bytes]] = defaultdict(set)
    for source, words in recorded:
        words_by_source[source] |= words
    now = existing(connection, list(words_by_source))
    variants = select_in(
        connection,
        "SELECT e.digest, s.attribute, s.value FROM entity e JOIN attribute_value s ON s.entity = e.id"
        " WHERE s.attribute IN ('name', 'type', 'description') AND e.digest {any_of}",
        [source for source, words in words_by_source.items() if source in now and not words <= now[source]],
    )
    more: Mapping[bytes, set[bytes]] = defaultdict(lambda: {*words_of("", "", "")})
    for digest, attribute, value in variants:
        more[digest].add(_word(attribute, value))
    return now | {digest: now[digest] | those for digest, those in more.items()}


def _word(attribute: str, value: str) -> bytes:
    return bytes.fromhex(identity.digest("word", attribute, value))[:_DIGEST_BYTES]
