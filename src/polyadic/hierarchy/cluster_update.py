"""Incremental update of the clusters of a layer: a pure function of the previous clusters and the current items.

A cluster with all of its members is kept. One that has lost members or whose summaries are stale is summarized again.
Items without a cluster of their own are loose and are clustered among themselves. So a small change of the items
changes few clusters.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from polyadic.model.hierarchy import Cluster

FEWEST = 2
"""Minimum number of members of a cluster."""


@dataclass(frozen=True, slots=True)
class ClusterUpdate:
    """Updated clusters of a layer.

    Parameters
    ----------
    clusters
        Clusters that keep their summaries, sorted by identifier.
    remade
        Stale clusters, which have to be summarized again, sorted by identifier.
    loose
        Items that belong to none of these clusters as own members, sorted.
    """

    clusters: tuple[Cluster, ...]
    remade: tuple[Cluster, ...]
    loose: tuple[str, ...]


def update_clusters(
    former: Iterable[Cluster], present: Collection[str], changed: Collection[str] = ()
) -> ClusterUpdate:
    """Update the clusters of one layer.

    Parameters
    ----------
    former
        Previous clusters.
    present
        Identifiers of the current items of the layer.
    changed
        Identifiers of summaries of the layer below whose text has changed.

    >>> former = [Cluster(0, ("a", "b"), ("a", "b")), Cluster(0, ("c", "d", "e"), ("c", "d", "e"))]
    >>> kept = update_clusters(former, ["a", "b", "c", "d", "f"])
    >>> [one.members for one in kept.clusters], [one.members for one in kept.remade], kept.loose
    ([('a', 'b')], [('c', 'd')], ('f',))
    """
    there, other = frozenset(present), frozenset(changed)
    # Clusters that have the same members after the loss of others are merged; the first one is kept.
    by_id: dict[str, Cluster] = {}
    for cluster in sorted(former, key=lambda one: one.id):
        reduced = _reduced(cluster, there, other)
        if len(reduced.members) >= FEWEST:
            duplicate = by_id.get(reduced.id)
            by_id[reduced.id] = _merged(duplicate, reduced) if duplicate else reduced
    homeless = there - {item for cluster in by_id.values() for item in cluster.own}
    adopted = _adopted([by_id[key] for key in sorted(by_id)], homeless)
    loose = homeless - {item for cluster in adopted for item in cluster.own}
    kept = tuple(cluster for cluster in adopted if not cluster.stale)
    return ClusterUpdate(kept, tuple(cluster for cluster in adopted if cluster.stale), tuple(sorted(loose)))


def joined(cluster: Cluster, item: str) -> Cluster:
    """Add an item to a cluster and mark it stale.

    >>> joined(Cluster(0, ("a", "c"), ("a",)), "b").members
    ('a', 'b', 'c')
    """
    members = tuple(sorted({*cluster.members, item}))
    return stale(replace(cluster, members=members, own=tuple(sorted({*cluster.own, item}))))


def stale(cluster: Cluster) -> Cluster:
    """Mark a cluster as stale: drop its summaries and sources."""
    return replace(cluster, sources=(), summaries=(), stale=True)


def renewal_is_due(settled: int, since: int, loose: int, above: float) -> bool:
    """Return whether so many items have been added since the last full clustering that another one is due.

    Parameters
    ----------
    settled, since
        Number of items at the last full clustering, and number added since. ``settled`` is 0 if there was none or if
        the vectors have changed since.
    loose
        Number of items to add now.
    above
        Maximum share of ``settled`` that may be added without a full clustering.

    >>> renewal_is_due(0, 0, 3, 0.2), renewal_is_due(100, 15, 5, 0.2), renewal_is_due(100, 15, 6, 0.2)
    (True, False, True)
    """
    return settled == 0 or (loose > 0 and since + loose > above * settled)


def _reduced(cluster: Cluster, there: frozenset[str], changed: frozenset[str]) -> Cluster:
    members = tuple(member for member in cluster.members if member in there)
    if len(members) == len(cluster.members):
        return stale(cluster) if cluster.stale or not changed.isdisjoint(cluster.sources) else cluster
    return stale(replace(cluster, members=members, own=tuple(member for member in cluster.own if member in there)))


def _merged(one: Cluster, other: Cluster) -> Cluster:
    """Merge two clusters with the same members, keeping the summaries of one that is not stale."""
    summarized = other if one.stale else one
    return replace(summarized, own=tuple(sorted({*one.own, *other.own})))


def _adopted(clusters: Sequence[Cluster], homeless: Collection[str]) -> list[Cluster]:
    """Make each homeless item an own member of the first cluster that contains it."""
    homes: dict[str, str] = {}
    for cluster in clusters:
        for member in cluster.members:
            if member in homeless:
                homes.setdefault(member, cluster.id)
    gained = Counter(homes.values())
    return [
        replace(one, own=tuple(sorted({*one.own, *(item for item in one.members if homes.get(item) == one.id)})))
        if gained[one.id]
        else one
        for one in clusters
    ]
