"""Limit the summaries of a layer, so that a layer is at most half as large as the one below it.

A model decides how many summaries it writes about a cluster. With this limit, the number of calls of a build has a
bound that is known before the first reply (see cost_bound.py).
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from polyadic.model.hierarchy import Cluster, Summary


def most_summaries(clusters: Iterable[Cluster]) -> int:
    """Return the maximum number of summaries of these clusters together: half of their own members, at least one each.

    >>> most_summaries([Cluster(0, tuple("abcde"), tuple("abcde")), Cluster(0, ("a", "f"), ("f",))])
    3
    """
    return sum(max(1, len(one.own) // 2) for one in clusters)


def limit_summaries(clusters: Sequence[Cluster], fresh: Collection[str]) -> tuple[list[Cluster], int]:
    """Drop summaries of a layer that exceed its maximum number; return the clusters and the number dropped.

    Each cluster keeps its summary of most members. Of the others, those that were there before come first, then those
    of most members.

    Parameters
    ----------
    clusters
        All clusters of the layer.
    fresh
        Identifiers of clusters that were summarized in this run.

    >>> abcd = Cluster(0, tuple("abcd"), tuple("abcd"))
    >>> named = {"X": "abcd", "Y": "abc", "Z": "cd"}
    >>> made = tuple(Summary("c", 1, name, "", "", tuple(members), "") for name, members in named.items())
    >>> (limited,), dropped = limit_summaries([replace(abcd, summaries=made)], [abcd.id])
    >>> [summary.name for summary in limited.summaries], dropped
    (['X', 'Y'], 1)
    """
    surplus = sum(len(one.summaries) for one in clusters) - most_summaries(clusters)
    if surplus <= 0:
        return list(clusters), 0
    others = [
        (one.id in fresh, -len(summary.members), summary.id)
        for one in clusters
        for summary in _by_size(one.summaries)[1:]
    ]
    dropped = {identifier for _, _, identifier in sorted(others)[-surplus:]}
    kept = [replace(one, summaries=tuple(s for s in one.summaries if s.id not in dropped)) for one in clusters]
    return kept, len(dropped)


def _by_size(summaries: Iterable[Summary]) -> list[Summary]:
    return sorted(summaries, key=lambda one: -len(one.members))
