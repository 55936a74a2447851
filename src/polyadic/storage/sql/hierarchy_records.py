"""Serialization of clusters, communities and their texts in the tables."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Any

from polyadic.model.hierarchy import Cluster, Community, Hierarchy, Membership, Report, ReportFinding, Summary
from polyadic.storage.connection import Connection
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.meta import meta, put_meta

CLUSTER, COMMUNITY = "cluster", "community"
SERIES = "hierarchy_series"
"""Key in the table meta: sparsity of the layers and number of entities placed, as JSON."""
_HEX_DIGITS = 32
_CLUSTERS_SQL = "SELECT id, level, members, primary_members, sources, stale FROM hierarchy_node"
_COMMUNITIES_SQL = "SELECT id, level, members, sources, stale, parent, basis, tokens, report FROM hierarchy_node"
_SUMMARIES_SQL = (
    "SELECT s.id, s.node, t.digest, t.level, s.name, s.type, s.description, s.author, s.members, s.memberships"
    " FROM summary s JOIN hierarchy_node t ON t.id = s.node"
)


def pack(ids: Iterable[str]) -> bytes:
    """Concatenate public identifiers.

    >>> unpack(pack(["00" * 16, "ff" * 16])) == ("00" * 16, "ff" * 16)
    True
    """
    return bytes.fromhex("".join(ids))


def unpack(data: bytes) -> tuple[str, ...]:
    """The inverse of :func:`pack`."""
    digits = data.hex()
    return tuple(digits[at : at + _HEX_DIGITS] for at in range(0, len(digits), _HEX_DIGITS))


def dump_report(report: Report) -> str:
    """Serialize a community report as JSON.

    >>> report = Report("Engines", "They count.", 7.5, (ReportFinding("One counts.", ("00" * 16,)),), "a model")
    >>> load_report(dump_report(report)) == report
    True
    """
    findings = [[finding.text, list(finding.facts)] for finding in report.findings]
    fields = [report.title, report.summary, report.rating, findings, report.by]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def load_report(text: str) -> Report:
    """The inverse of :func:`dump_report`."""
    title, summary, rating, findings, by = json.loads(text)
    return Report(title, summary, rating, tuple(ReportFinding(text, tuple(facts)) for text, facts in findings), by)


def dump_memberships(memberships: Iterable[Membership]) -> str:
    """Serialize the descriptions of memberships as JSON.

    >>> memberships = (Membership("00" * 16, "It counts.", 9.0),)
    >>> load_memberships(dump_memberships(memberships)) == memberships
    True
    """
    fields = [[one.member, one.description, one.strength] for one in memberships]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def load_memberships(text: str) -> tuple[Membership, ...]:
    """The inverse of :func:`dump_memberships`."""
    return tuple(Membership(*fields) for fields in json.loads(text))


def dump_series(sparsities: Sequence[float], settled: int, since: int) -> str:
    return json.dumps([list(sparsities), settled, since])


def unsettle(connection: Connection) -> None:
    """Schedule a full rebuild of the clusters: similarities by one model's vectors do not hold for another's."""
    sparsities, _, since = _series(connection)
    put_meta(connection, SERIES, dump_series(sparsities, 0, since))


def hierarchy_of(connection: Connection, only: Collection[int] | None = None) -> Hierarchy:
    """Read the hierarchy, including stale clusters and communities.

    Parameters
    ----------
    only
        Table keys of the clusters and communities to include, as if there were no others. The series, which describes
        the whole hierarchy, is then left out.
    """
    summaries: dict[int, list[Summary]] = {}
    for _, node, *fields in connection.execute(f"{_SUMMARIES_SQL} ORDER BY s.id"):
        summaries.setdefault(node, []).append(_summary(*fields))

    def nodes(sql: str, kind: str) -> list[Sequence[Any]]:
        rows = connection.execute(f"{sql} WHERE kind = ? ORDER BY level, digest", (kind,))
        return [row for row in rows if only is None or row[0] in only]

    clusters = tuple(_cluster(tuple(summaries.get(key, ())), *row) for key, *row in nodes(_CLUSTERS_SQL, CLUSTER))
    communities = tuple(_community(*row) for _, *row in nodes(_COMMUNITIES_SQL, COMMUNITY))
    if only is None:
        return Hierarchy(clusters, communities, *_series(connection))
    included = {community.id for community in communities}
    return Hierarchy(clusters, tuple(_without_missing_parents(communities, included)))


def summaries_of(connection: Connection, keys: Sequence[int]) -> list[Summary]:
    """Return summaries by table key, in the order of ``keys``."""
    by_key = {
        key: _summary(*f) for key, _, *f in select_in(connection, f"{_SUMMARIES_SQL} WHERE s.id {{any_of}}", keys)
    }
    return [by_key[key] for key in keys]


def communities_of(connection: Connection, keys: Sequence[int], only: Collection[int] | None = None) -> list[Community]:
    """Return communities by table key, in the order of ``keys``; ``only`` as in :func:`hierarchy_of`."""
    rows = select_in(connection, f"{_COMMUNITIES_SQL} WHERE id {{any_of}}", keys)
    by_key = {key: _community(*fields) for key, *fields in rows}
    communities = [by_key[key] for key in keys]
    if only is None:
        return communities
    parents = list({bytes.fromhex(one.parent) for one in communities})
    known = select_in(connection, "SELECT id, digest FROM hierarchy_node WHERE digest {any_of}", parents)
    return list(_without_missing_parents(communities, {digest.hex() for key, digest in known if key in only}))


def _without_missing_parents(communities: Iterable[Community], included: Set[str]) -> Iterator[Community]:
    """Clear the parents that are not included."""
    return (one if one.parent in included else replace(one, parent="") for one in communities)


def _series(connection: Connection) -> tuple[tuple[float, ...], int, int]:
    value = meta(connection, SERIES)
    sparsities, settled, since = json.loads(value) if value else ((), 0, 0)
    return tuple(sparsities), settled, since


def _summary(
    cluster: bytes, level: int, name: str, type_: str, description: str, author: str, members: bytes, described: str
) -> Summary:
    of_members = load_memberships(described)
    return Summary(cluster.hex(), level + 1, name, type_, description, unpack(members), author, of_members)


def _cluster(
    summaries: tuple[Summary, ...], level: int, members: bytes, own: bytes, sources: bytes, stale: int
) -> Cluster:
    return Cluster(level, unpack(members), unpack(own), unpack(sources), summaries, bool(stale))


def _community(
    level: int, members: bytes, sources: bytes, stale: int, parent: bytes, basis: str, tokens: int, report: str | None
) -> Community:
    read = load_report(report) if report else None
    return Community(level, unpack(members), parent.hex(), basis, unpack(sources), read, tokens, bool(stale))
