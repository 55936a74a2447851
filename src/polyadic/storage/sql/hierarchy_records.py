"""How clusters, communities and their words stand in the tables."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import replace

from polyadic.model.hierarchy import Cluster, Community, Hierarchy, Report, ReportFinding, Summary
from polyadic.storage.connection import Connection
from polyadic.storage.sql.meta import meta, put_meta
from polyadic.storage.sql.sql_in import select_in

CLUSTER, COMMUNITY = "cluster", "community"
SERIES = "hierarchy_series"
"""Key in the table meta: how sparse the layers are and how many entities were placed, as JSON."""
_HEX_DIGITS = 32
_OF_CLUSTER = "SELECT id, level, members, own, sources, stale FROM theme"
_OF_COMMUNITY = "SELECT id, level, members, parent, basis, sources, tokens, report, stale FROM theme"
_OF_SUMMARY = (
    "SELECT s.id, s.theme, t.digest, t.level, s.name, s.type, s.description, s.author, s.members"
    " FROM summary s JOIN theme t ON t.id = s.theme"
)


def pack(ids: Iterable[str]) -> bytes:
    """Public identifiers one behind the other.

    >>> unpack(pack(["00" * 16, "ff" * 16])) == ("00" * 16, "ff" * 16)
    True
    """
    return bytes.fromhex("".join(ids))


def unpack(data: bytes) -> tuple[str, ...]:
    """The inverse of :func:`pack`."""
    digits = data.hex()
    return tuple(digits[at : at + _HEX_DIGITS] for at in range(0, len(digits), _HEX_DIGITS))


def dump_report(report: Report) -> str:
    """
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
    return Report(title, summary, rating, tuple(ReportFinding(said, tuple(facts)) for said, facts in findings), by)


def dump_series(sparsities: Sequence[float], settled: int, since: int) -> str:
    return json.dumps([list(sparsities), settled, since])


def unsettle(connection: Connection) -> None:
    """Note that all is to be clustered anew: what was alike by the vectors of one model need not be by another's."""
    sparsities, _, since = _series(connection)
    series = dump_series(sparsities, 0, since)
    put_meta(connection, SERIES, series)


def hierarchy_of(connection: Connection, only: Collection[int] | None = None) -> Hierarchy:
    """All that stands in the tables, also what is stale.

    Parameters
    ----------
    only
        Keys of the themes to tell of, as if there were no others; then the numbers, which count all, are not told.
    """
    summaries: dict[int, list[Summary]] = {}
    for _, theme, *fields in connection.execute(f"{_OF_SUMMARY} ORDER BY s.id"):
        summaries.setdefault(theme, []).append(_summary(*fields))
    clusters = tuple(
        _cluster(tuple(summaries.get(key, ())), *fields)
        for key, *fields in connection.execute(f"{_OF_CLUSTER} WHERE kind = ? ORDER BY level, digest", (CLUSTER,))
        if only is None or key in only
    )
    communities = tuple(
        _community(*fields)
        for key, *fields in connection.execute(f"{_OF_COMMUNITY} WHERE kind = ? ORDER BY level, digest", (COMMUNITY,))
        if only is None or key in only
    )
    if only is None:
        return Hierarchy(clusters, communities, *_series(connection))
    told = {community.id for community in communities}
    return Hierarchy(clusters, tuple(_parted(communities, told)))


def summaries_of(connection: Connection, keys: Sequence[int]) -> list[Summary]:
    """Summaries by keys of the table, in the order asked."""
    found = {key: _summary(*f) for key, _, *f in select_in(connection, f"{_OF_SUMMARY} WHERE s.id IN ({{}})", keys)}
    return [found[key] for key in keys]


def communities_of(connection: Connection, keys: Sequence[int], only: Collection[int] | None = None) -> list[Community]:
    """Communities by keys of the table, in the order asked; ``only`` as above."""
    rows = select_in(connection, f"{_OF_COMMUNITY} WHERE id IN ({{}})", keys)
    found = {key: _community(*fields) for key, *fields in rows}
    communities = [found[key] for key in keys]
    if only is None:
        return communities
    parents = list({bytes.fromhex(one.parent) for one in communities})
    holding = select_in(connection, "SELECT id, digest FROM theme WHERE digest IN ({})", parents)
    return list(_parted(communities, {digest.hex() for key, digest in holding if key in only}))


def _parted(communities: Iterable[Community], told: Set[str]) -> Iterator[Community]:
    """The communities without parents that are not told of."""
    return (one if one.parent in told else replace(one, parent="") for one in communities)


def _series(connection: Connection) -> tuple[tuple[float, ...], int, int]:
    found = meta(connection, SERIES)
    sparsities, settled, since = json.loads(found) if found else ((), 0, 0)
    return tuple(sparsities), settled, since


def _summary(
    cluster: bytes, level: int, name: str, type_: str, description: str, author: str, members: bytes
) -> Summary:
    return Summary(cluster.hex(), level + 1, name, type_, description, unpack(members), author)


def _cluster(
    summaries: tuple[Summary, ...], level: int, members: bytes, own: bytes, sources: bytes, stale: int
) -> Cluster:
    return Cluster(level, unpack(members), unpack(own), unpack(sources), summaries, bool(stale))


def _community(
    level: int,
    members: bytes,
    parent: bytes,
    basis: str,
    sources: bytes,
    tokens: int,
    report: str | None,
    stale: int,
) -> Community:
    return Community(
        level,
        unpack(members),
        parent.hex(),
        basis,
        unpack(sources),
        load_report(report) if report else None,
        tokens,
        bool(stale),
    )
