"""The hierarchy as a tree for people: layers, summaries with what they cover, communities with their parts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from polyadic.model.hierarchy import Cluster, Community, Hierarchy, Summary
from polyadic.storage.protocol import Reader

DEPTH = 2
"""How many levels of a tree are shown if nothing is said."""


@dataclass(frozen=True, slots=True)
class LayerOutline:
    """One layer that was clustered, from 0, the entities. ``stale`` clusters have no summaries at the moment.

    ``sparsity`` is that of its clusters; None where there is none that counts.
    """

    layer: int
    items: int
    clusters: int
    summaries: int
    stale: int
    sparsity: float | None


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A summary or an entity, or a community.

    Parameters
    ----------
    id, name, type
        As the store has them; a community's name is the title of its report. Empty where it is stale or has none.
    by
        What wrote it; empty for an entity.
    size
        How many members it covers; 0 for an entity.
    entities
        How many entities lie below it.
    rating
        Of a community's report, in [0, 10]; None without one.
    stale
        Whether it has to be made again.
    branches
        Members of a summary, or parts of a community, the largest first; empty below the depth that was asked for.
    """

    id: str
    name: str
    type: str
    by: str
    size: int
    entities: int
    rating: float | None = None
    stale: bool = False
    branches: tuple["OutlineNode", ...] = ()


@dataclass(frozen=True, slots=True)
class HierarchyOutline:
    """The hierarchy of a workspace.

    ``top`` are the summaries that no other covers, ``communities`` those of level 0, the largest first of both;
    ``unplaced`` counts entities in no cluster.
    """

    entities: int
    unplaced: int
    layers: tuple[LayerOutline, ...]
    top: tuple[OutlineNode, ...]
    communities: tuple[OutlineNode, ...]


def outline_of(reader: Reader, depth: int = DEPTH) -> HierarchyOutline:
    """The hierarchy as it stands, so many levels deep."""
    hierarchy, entities = reader.hierarchy(), reader.size("entity")
    placed = {member for one in hierarchy.clusters if one.layer == 0 for member in one.own}
    summaries = _Summaries(reader, hierarchy)
    return HierarchyOutline(
        entities,
        entities - len(placed),
        _layers(hierarchy, entities),
        summaries.top(depth),
        _communities(hierarchy, depth),
    )


def _layers(hierarchy: Hierarchy, entities: int) -> tuple[LayerOutline, ...]:
    by_layer: dict[int, list[Cluster]] = {}
    for one in hierarchy.clusters:
        by_layer.setdefault(one.layer, []).append(one)
    found, items = [], entities
    for layer in range(max(len(by_layer), len(hierarchy.sparsities))):
        clusters = by_layer.get(layer, [])
        sparsity = hierarchy.sparsities[layer] if layer < len(hierarchy.sparsities) else None
        summaries = sum(len(one.summaries) for one in clusters)
        stale = sum(one.stale for one in clusters)
        found.append(LayerOutline(layer, items, len(clusters), summaries, stale, sparsity))
        items = summaries
    return tuple(found)


class _Summaries:
    """Makes branches of summaries."""

    def __init__(self, reader: Reader, hierarchy: Hierarchy) -> None:
        self._reader = reader
        self._summaries = {one.id: one for one in hierarchy.summaries}
        self._below: dict[str, frozenset[str]] = {}

    def top(self, depth: int) -> tuple[OutlineNode, ...]:
        covered = {member for one in self._summaries.values() for member in one.members}
        return self._branches([one for one in self._summaries if one not in covered], depth)

    def _branches(self, ids: Collection[str], depth: int) -> tuple[OutlineNode, ...]:
        if depth < 1:
            return ()
        names = self._names([one for one in ids if one not in self._summaries])
        branches = [
            self._branch(self._summaries[one], depth)
            if one in self._summaries
            else OutlineNode(one, *names[one], "", 0, 1)
            for one in ids
        ]
        return _largest_first(branches)

    def _branch(self, one: Summary, depth: int) -> OutlineNode:
        below = len(self._entities_below(one.id))
        parts = self._branches(one.members, depth - 1)
        return OutlineNode(one.id, one.name, one.type, one.by, len(one.members), below, branches=parts)

    def _entities_below(self, one: str) -> frozenset[str]:
        if one not in self._summaries:
            return frozenset((one,))
        if one not in self._below:
            members = self._summaries[one].members
            self._below[one] = frozenset().union(*(self._entities_below(member) for member in members))
        return self._below[one]

    def _names(self, ids: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """Name and type of entities."""
        rows = self._reader.themes().entities(ids)
        return {one.id: (one.name, one.type) for one in self._reader.entities(rows)}


def _communities(hierarchy: Hierarchy, depth: int) -> tuple[OutlineNode, ...]:
    summaries = {one.id for one in hierarchy.summaries}
    parts: dict[str, list[Community]] = {}
    for one in hierarchy.communities:
        parts.setdefault(one.parent, []).append(one)

    def branches(parent: str, left: int) -> tuple[OutlineNode, ...]:
        if left < 1:
            return ()
        return _largest_first([branch(one, left) for one in parts.get(parent, ())])

    def branch(one: Community, left: int) -> OutlineNode:
        entities = sum(member not in summaries for member in one.members)
        report = one.report
        return OutlineNode(
            one.id,
            report.title if report else "",
            "",
            report.by if report else "",
            len(one.members),
            entities,
            report.rating if report else None,
            one.stale,
            branches(one.id, left - 1),
        )

    return branches("", depth)


def _largest_first(branches: Sequence[OutlineNode]) -> tuple[OutlineNode, ...]:
    return tuple(sorted(branches, key=lambda one: (-one.entities, -one.size, one.name, one.id)))
