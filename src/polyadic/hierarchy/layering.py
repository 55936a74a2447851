"""Build the layers of summaries (HiIndex of HiRAG, Algorithm 1): cluster a layer, summarize its clusters, repeat.

On the first build, and after many entities were added, every layer is clustered in full; the build stops when cluster
sparsity hardly changes or a layer repeats the one below it (see layer_stopping.py). Otherwise the number of layers is
kept, and only new items are clustered (see cluster_update.py).
"""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from polyadic.clustering.soft_clustering import cluster
from polyadic.hierarchy.build_context import BuildContext
from polyadic.hierarchy.cluster_update import joined, renewal_is_due, stale, update_clusters
from polyadic.hierarchy.layer_stopping import FEWEST, goes_on, layer_is_redundant, sparsity, summaries_are_redundant
from polyadic.hierarchy.summarizer import ClusterSummaries
from polyadic.hierarchy.summary_limit import limit_summaries
from polyadic.model.hierarchy import Cluster, Summary
from polyadic.storage.protocol import Vectors

TOO_MANY_SUMMARIES = "more summaries of a layer than half of its members"


@dataclass(slots=True)
class LayerSet:
    """The clusters of all layers; ``changed`` has identifiers of summaries whose text has changed."""

    clusters: list[Cluster] = field(default_factory=list)
    sparsities: list[float] = field(default_factory=list)
    settled: int = 0
    since: int = 0
    rebuilt: bool = False
    summaries: dict[str, Summary] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)

    def add(self, clusters: Iterable[Cluster]) -> list[str]:
        """Add the clusters of a layer; return the items of the next layer."""
        made = sorted(clusters, key=lambda one: one.id)
        self.clusters += made
        found = {summary.id: summary for one in made for summary in one.summaries}
        self.summaries |= found
        return sorted(found)


class LayerBuilder:
    """Build the layers of a hierarchy."""

    def __init__(self, work: BuildContext) -> None:
        self._work = work
        self._former = {summary.id: summary for summary in work.former.summaries}

    async def layers(self) -> LayerSet:
        """Build all layers; raises BuildInterrupted."""
        work, items = self._work, list(self._work.ground.ids)
        since, new = self._count_new(items)
        is_due = renewal_is_due(work.former.settled, since, new, work.settings.renew_above)
        if work.rebuild or is_due or not items:
            return await self._build_all(items)
        return await self._update(items, since + new)

    def _count_new(self, items: Sequence[str]) -> tuple[int, int]:
        """Number of entities added since the last full clustering, and number to add now."""
        former = self._work.former
        if former.clusters:
            return former.since, len(update_clusters(self._of_layer(0), items).loose)
        # Without clusters there are only communities, which do not contain every entity; compare counts instead.
        return 0, max(0, len(items) - former.settled)

    async def _build_all(self, items: list[str]) -> LayerSet:
        made = LayerSet(settled=len(items), rebuilt=True)
        for layer in range(self._work.settings.layers):
            if len(items) < FEWEST:
                break
            clusters = await self._cluster(layer, items, made)
            made.sparsities.append(self._sparsity(clusters, len(items)))
            if not goes_on(made.sparsities, self._work.settings.sparsity_change) or self._repeats(clusters, made):
                break
            summarized = await self._summarize(layer, self._reuse_summaries(layer, clusters), made)
            if layer and self._drops_redundant and summaries_are_redundant(summarized, made.summaries):
                break
            items = made.add(summarized)
        return made

    @property
    def _drops_redundant(self) -> bool:
        return not self._work.settings.redundant_layers

    def _repeats(self, clusters: Sequence[Cluster], made: LayerSet) -> bool:
        return self._drops_redundant and layer_is_redundant(clusters, made.summaries)

    async def _update(self, items: list[str], since: int) -> LayerSet:
        former = self._work.former
        made = LayerSet(settled=former.settled, since=since)
        depth = min(1 + max((one.layer for one in former.clusters), default=-1), self._work.settings.layers)
        for layer in range(depth):
            clusters = await self._update_layer(layer, items, made)
            made.sparsities.append(self._sparsity(clusters, len(items)))
            items = made.add(await self._summarize(layer, clusters, made))
        # The sparsity of the layer at which the last full clustering stopped.
        made.sparsities += former.sparsities[depth:]
        return made

    async def _update_layer(self, layer: int, items: Sequence[str], made: LayerSet) -> list[Cluster]:
        """Updated clusters of a layer, and new ones for loose items."""
        kept = update_clusters(self._of_layer(layer), items, made.changed)
        clusters = [*kept.clusters, *kept.remade]
        if len(kept.loose) == 1 and clusters:
            return await self._add_nearest(kept.loose[0], layer, clusters, made)
        return [*clusters, *await self._cluster(layer, kept.loose, made)]

    async def _cluster(self, layer: int, items: Sequence[str], made: LayerSet) -> list[Cluster]:
        """Cluster these items; the clusters have no summaries yet."""
        settings = self._work.settings
        vectors = await self._vectors(items, made)
        self._work.begin(f"clustering layer {layer}")
        # In a thread, so that the event loop is not blocked.
        groups = await asyncio.to_thread(
            cluster,
            vectors,
            settings.cluster_members,
            settings.soft_above,
            settings.seed,
            settings.mixture == "raptor",
            settings.reduction,
        )
        found: dict[str, Cluster] = {}
        for group in groups:
            members = tuple(sorted(items[place] for place in group.members))
            one = Cluster(layer, members, tuple(sorted(items[place] for place in group.own)), stale=True)
            # Merge clusters with the same members.
            duplicate = found.get(one.id)
            found[one.id] = replace(one, own=tuple(sorted({*one.own, *duplicate.own}))) if duplicate else one
        return list(found.values())

    async def _add_nearest(self, item: str, layer: int, clusters: Sequence[Cluster], made: LayerSet) -> list[Cluster]:
        """Add a single item to the most similar cluster of a layer."""
        members = sorted({member for one in clusters for member in one.members})
        vectors = await self._vectors([item, *members], made)
        similarity = dict(zip(members, (vectors[1:] @ vectors[0]).tolist(), strict=True))
        nearest = max(clusters, key=lambda one: (float(np.mean([similarity[m] for m in one.members])), one.id))
        return [joined(one, item) if one is nearest else one for one in clusters]

    def _sparsity(self, clusters: Sequence[Cluster], items: int) -> float:
        if self._work.settings.sparsity_members == "all":
            return sparsity([len(one.members) for one in clusters], items)
        return sparsity([len(one.own) for one in clusters], items)

    def _reuse_summaries(self, layer: int, clusters: Iterable[Cluster]) -> list[Cluster]:
        """Reuse the current summaries of clusters with unchanged members."""
        if self._work.rebuild:
            return list(clusters)
        former = {one.id: one for one in self._of_layer(layer) if not one.stale}
        return [replace(former[one.id], own=one.own) if one.id in former else one for one in clusters]

    async def _summarize(self, layer: int, clusters: Sequence[Cluster], made: LayerSet) -> list[Cluster]:
        """Summarize the clusters of a layer that need it."""
        work = self._work
        clusters = [stale(one) if not made.changed.isdisjoint(one.sources) else one for one in clusters]
        due = sorted((one for one in clusters if self._is_due(one)), key=lambda one: one.id)

        async def write(one: Cluster) -> ClusterSummaries:
            return await work.writing.summarize(layer + 1, work.ground.member_contexts(one.members, made.summaries))

        written = await work.written(f"summaries of layer {layer + 1}", due, write)
        work.report.clusters_built += len(due)
        fresh = {
            one.id: replace(one, sources=words.sources, summaries=words.summaries, stale=False)
            for one, words in zip(due, written, strict=True)
        }
        limited, dropped = limit_summaries([fresh.get(one.id, one) for one in clusters], fresh)
        if dropped:
            work.report.dropped[TOO_MANY_SUMMARIES] += dropped
        made.changed |= _reworded((s for one in limited if one.id in fresh for s in one.summaries), self._former)
        return limited

    def _is_due(self, one: Cluster) -> bool:
        return one.stale or not one.summaries or any(self._work.is_wanting(summary.by) for summary in one.summaries)

    def _of_layer(self, layer: int) -> list[Cluster]:
        return [one for one in self._work.former.clusters if one.layer == layer]

    async def _vectors(self, items: Sequence[str], made: LayerSet) -> Vectors:
        """Vectors of items of one layer."""
        ground = self._work.ground
        if items and items[0] in made.summaries:
            return await self._work.vectors.of([made.summaries[item] for item in items])
        return ground.directions[[ground.rows[item] for item in items]]


def _reworded(summaries: Iterable[Summary], former: dict[str, Summary]) -> set[str]:
    return {one.id for one in summaries if one.id in former and _text(former[one.id]) != _text(one)}


def _text(summary: Summary) -> Collection[str]:
    return summary.name, summary.type, summary.description
