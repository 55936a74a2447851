"""Draft a hierarchy: layers, then communities, without writing to the store."""

from collections.abc import Collection, Iterable, Mapping

from polyadic.hierarchy.build_context import BuildContext
from polyadic.hierarchy.community_reports import CommunityReportBuilder
from polyadic.hierarchy.layering import LayerBuilder
from polyadic.model.hierarchy import Cluster, Community, Hierarchy, Rearrangement


async def draft(work: BuildContext) -> Hierarchy:
    """Draft the new hierarchy and record counts in the report.

    Raises
    ------
    BuildInterrupted
        The draft could not be completed; the report gives the reason.
    """
    layers = await LayerBuilder(work).layers()
    work.report.rebuilt = layers.rebuilt
    communities = await CommunityReportBuilder(work, layers).communities()
    hierarchy = Hierarchy(
        tuple(sorted(layers.clusters, key=lambda one: (one.layer, one.id))),
        tuple(communities),
        tuple(layers.sparsities),
        layers.settled,
        layers.since,
    )
    _count(work, hierarchy)
    return hierarchy


def rearrangement(former: Hierarchy, now: Hierarchy) -> Rearrangement | None:
    """Return the change from one hierarchy to another; None if they are equal.

    >>> one = Hierarchy((Cluster(0, ("a", "b"), ("a", "b")),), settled=2)
    >>> rearrangement(one, one) is None, len(rearrangement(one, Hierarchy()).removed)
    (True, 1)
    """
    if former == now:
        return None
    clusters, communities = _by_id(former.clusters), _by_id(former.communities)
    gone = [*_gone(clusters, now.clusters), *_gone(communities, now.communities)]
    return Rearrangement(
        [one for one in now.clusters if clusters.get(one.id) != one],
        [one for one in now.communities if communities.get(one.id) != one],
        gone,
        now.sparsities,
        now.settled,
        now.since,
    )


Node = Cluster | Community


def _by_id(nodes: Iterable[Node]) -> Mapping[str, Node]:
    return {one.id: one for one in nodes}


def _gone(former: Collection[str], now: Iterable[Node]) -> list[str]:
    current = {one.id for one in now}
    return sorted(one for one in former if one not in current)


def _count(work: BuildContext, now: Hierarchy) -> None:
    report, change = work.report, rearrangement(work.former, now)
    report.entities = len(work.ground.entities)
    report.layers = len({one.layer for one in now.clusters})
    report.clusters, report.summaries = len(now.clusters), len(now.summaries)
    report.communities = len(now.communities)
    report.reports = sum(one.report is not None for one in now.communities)
    report.sparsities = now.sparsities
    report.changed = change is not None
    report.removed = len(change.removed) if change else 0
