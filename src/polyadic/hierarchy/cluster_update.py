"""What of a layer's former clusters holds for the items that are there now: a pure function of both.

A cluster whose members are all there is kept; one that has lost some, or whose words are stale, is summed up again;
what is in no cluster of its own is loose, and is clustered afresh among itself. So little changes where little came.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from polyadic.model.hierarchy import Cluster

FEWEST = 2
"""Members of a cluster."""


@dataclass(frozen=True, slots=True)
class ClusterUpdate:
    """What is left of a layer.

    Parameters
    ----------
    clusters
        With the summaries that they have, by identifier.
    remade
        Those that have to be summed up again, stale, by identifier.
    loose
        Items that are not most at home in any of these, sorted.
    """

    clusters: tuple[Cluster, ...]
    remade: tuple[Cluster, ...]
    loose: tuple[str, ...]


def update_clusters(
    former: Iterable[Cluster], present: Collection[str], changed: Collection[str] = ()
) -> ClusterUpdate:
    """What holds of the clusters of one layer.

    Parameters
    ----------
    former
        The clusters as they were.
    present
        Identifiers of the items that the layer has now.
    changed
        Identifiers of summaries below whose words are others than they were.

    >>> former = [Cluster(0, ("a", "b"), ("a", "b")), Cluster(0, ("c", "d", "e"), ("c", "d", "e"))]
    >>> kept = update_clusters(former, ["a", "b", "c", "d", "f"])
    >>> [one.members for one in kept.clusters], [one.members for one in kept.remade], kept.loose
    ([('a', 'b')], [('c', 'd')], ('f',))
    """
    there, other = frozenset(present), frozenset(changed)
    # Two that have lost what told them apart have become one: the first of them stands for both.
    left: dict[str, Cluster] = {}
    for cluster in sorted(former, key=lambda one: one.id):
        reduced = _reduced(cluster, there, other)
        if len(reduced.members) >= FEWEST:
            same = left.get(reduced.id)
            left[reduced.id] = _joined(same, reduced) if same else reduced
    homeless = there - {item for cluster in left.values() for item in cluster.own}
    housed = _adopted([left[key] for key in sorted(left)], homeless)
    loose = homeless - {item for cluster in housed for item in cluster.own}
    whole = tuple(cluster for cluster in housed if not cluster.stale)
    return ClusterUpdate(whole, tuple(cluster for cluster in housed if cluster.stale), tuple(sorted(loose)))


def joined(cluster: Cluster, item: str) -> Cluster:
    """A cluster with one item more, to be summed up again.

    >>> joined(Cluster(0, ("a", "c"), ("a",)), "b").members
    ('a', 'b', 'c')
    """
    members = tuple(sorted({*cluster.members, item}))
    return stale(replace(cluster, members=members, own=tuple(sorted({*cluster.own, item}))))


def stale(cluster: Cluster) -> Cluster:
    """A cluster that has to be summed up again."""
    return replace(cluster, sources=(), summaries=(), stale=True)


def renewal_is_due(settled: int, since: int, loose: int, above: float) -> bool:
    """Whether so many items have been placed beside the others that all are to be clustered anew.

    Parameters
    ----------
    settled, since
        How many were placed when all were last clustered anew, and how many since then; 0 where they have to be, for
        none were, or their vectors are others now.
    loose
        How many have to be placed now.
    above
        Share of ``settled`` that is too much.

    >>> renewal_is_due(0, 0, 3, 0.2), renewal_is_due(100, 15, 5, 0.2), renewal_is_due(100, 15, 6, 0.2)
    (True, False, True)
    """
    return settled == 0 or (loose > 0 and since + loose > above * settled)


def _reduced(cluster: Cluster, there: frozenset[str], changed: frozenset[str]) -> Cluster:
    members = tuple(member for member in cluster.members if member in there)
    if len(members) == len(cluster.members):
        return stale(cluster) if cluster.stale or not changed.isdisjoint(cluster.sources) else cluster
    return stale(replace(cluster, members=members, own=tuple(member for member in cluster.own if member in there)))


def _joined(one: Cluster, other: Cluster) -> Cluster:
    """Two clusters of the same members; what the one has in words holds for both."""
    told = other if one.stale else one
    return replace(told, own=tuple(sorted({*one.own, *other.own})))


def _adopted(clusters: Sequence[Cluster], homeless: Collection[str]) -> list[Cluster]:
    """The clusters, each item without one of its own being at home in the first that has it as a member."""
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
