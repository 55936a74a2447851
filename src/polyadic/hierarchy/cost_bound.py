"""Bound the number of calls of a hierarchy build whose replies are not known yet.

Requests of the layers up to the first one without all replies are known exactly. The requests above depend on the
replies: on how many summaries a model writes, and on what they say. Their number is bounded by limits that a build
keeps: a layer has at most half as many summaries as the one below has items (see summary_limit.py), a cluster has at
least two members of its own, and there is at most one report for every ``report_facts`` facts.
"""

from collections.abc import Sequence
from itertools import chain

from polyadic.config import HierarchyBuildSettings
from polyadic.hierarchy.layer_stopping import FEWEST
from polyadic.hierarchy.summary_limit import most_summaries
from polyadic.model.hierarchy import EXTRACTIVE, Cluster, Hierarchy

_OWN_MEMBERS = 2
"""Minimum number of own members of a new cluster."""


def most_reports(facts: int, report_facts: int) -> int:
    """Return the maximum number of reports on so many facts.

    >>> most_reports(366, 3)
    122
    """
    return facts // report_facts


def most_clusters_above(
    first: int, drafted: Hierarchy, former: Hierarchy | None, settings: HierarchyBuildSettings
) -> int:
    """Bound the number of clusters to summarize in the layers above ``first``.

    Parameters
    ----------
    first
        The lowest layer with clusters whose summaries are not known.
    drafted
        The hierarchy with extractive texts in place of these summaries.
    former
        The hierarchy to update; None if everything is clustered again.
    settings
        Gives the maximum number of layers and the size of clusters.
    """
    if former is None:
        return _most_if_rebuilt(first, drafted, settings)
    return _most_if_updated(first, drafted, former, settings)


def _most_if_rebuilt(first: int, drafted: Hierarchy, settings: HierarchyBuildSettings) -> int:
    # Extractive summaries may repeat the layer below, which is then left out of the draft.
    below = sum(len(one.summaries) for one in drafted.clusters if one.layer == first - 1)
    layer = [one for one in drafted.clusters if one.layer == first]
    items = _most_items(layer) if layer else below // _OWN_MEMBERS
    clusters = 0
    for _ in range(first + 1, settings.layers):
        if items < FEWEST:
            break
        items //= _OWN_MEMBERS
        clusters += items
    return clusters


def _most_if_updated(first: int, drafted: Hierarchy, former: Hierarchy, settings: HierarchyBuildSettings) -> int:
    """Any former cluster may have to be summarized again, and new summaries form further clusters."""
    depth = min(1 + max((one.layer for one in former.clusters), default=-1), settings.layers)
    largest = max((len(one.members) for one in chain(former.clusters, drafted.clusters)), default=0)
    # A cluster that a single new item joins is one larger.
    most_of_a_cluster = _most_summaries_of(max(largest, settings.cluster_members) + 1)
    below = [one for one in drafted.clusters if one.layer == first]
    items, new = _most_items(below), sum(_most_new(one, _own_items(former, first + 1)) for one in below)
    clusters = 0
    for layer in range(first + 1, depth):
        there = [one for one in former.clusters if one.layer == layer]
        due = len(there) + new // _OWN_MEMBERS
        clusters += due
        own = _own_items(former, layer + 1)
        unplaced = sum(summary.id not in own for one in there for summary in one.summaries)
        # Half of all items; a cluster that has lost its own members still has one summary.
        items = len(there) + items // _OWN_MEMBERS
        new = min(items, due * most_of_a_cluster + unplaced)
    return clusters


def _most_items(clusters: Sequence[Cluster]) -> int:
    """Maximum number of summaries of a layer; those that a model wrote are known."""
    alone = sum(len(one.summaries) if _is_known(one) else _most_summaries_of(len(one.members)) for one in clusters)
    return min(alone, most_summaries(clusters))


def _most_new(one: Cluster, own: frozenset[str]) -> int:
    """Maximum number of summaries of a cluster that are in no cluster of the layer above."""
    if not _is_known(one):
        return _most_summaries_of(len(one.members))
    return sum(summary.id not in own for summary in one.summaries)


def _most_summaries_of(members: int) -> int:
    """Maximum number of summaries of one cluster with so many members (see summary_replies.py)."""
    return max(1, members // 2)


def _is_known(one: Cluster) -> bool:
    return bool(one.summaries) and all(summary.by != EXTRACTIVE for summary in one.summaries)


def _own_items(former: Hierarchy, layer: int) -> frozenset[str]:
    return frozenset(item for one in former.clusters if one.layer == layer for item in one.own)
