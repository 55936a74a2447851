"""Outline of a hierarchy as a tree: layers, summaries with their members, communities with sub-communities."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from polyadic.model.hierarchy import Cluster, Community, Hierarchy, Summary
from polyadic.model.value_entities import is_value
from polyadic.storage.protocol import Reader

DEPTH = 2
"""Default number of levels of the tree."""


@dataclass(frozen=True, slots=True)
class LayerOutline:
    """A clustered layer.

    Parameters
    ----------
    layer
        Number of the layer; 0 is the entities.
    items, clusters, summaries
        Numbers of items, clusters and summaries.
    stale
        Number of clusters whose summaries have to be rebuilt.
    sparsity
        Cluster sparsity; None if unknown.
    """

    layer: int
    items: int
    clusters: int
    summaries: int
    stale: int
    sparsity: float | None


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A summary, an entity or a community.

    Parameters
    ----------
    id, name, type
        As stored. The name of a community is the title of its report, empty if it is stale or has none.
    by
        Name of the model, or "extractive"; empty for an entity.
    size
        Number of members; 0 for an entity.
    entities
        Number of entities below it.
    rating
        Rating of a community's report, in [0, 10]; None without one.
    stale
        Whether it has to be rebuilt.
    branches
        Members of a summary, or sub-communities, the largest first; empty below the requested depth.
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
    """Outline of the hierarchy of a workspace.

    Parameters
    ----------
    entities
        Number of entities that can be clustered: all but dates, amounts and numbers.
    unplaced
        Number of these in no cluster.
    layers
        The clustered layers.
    top
        Summaries that no other summary covers, the largest first.
    communities
        Communities of level 0, the largest first.
    stale_communities
        Number of communities of all levels whose reports have to be rewritten.
    """

    entities: int
    unplaced: int
    layers: tuple[LayerOutline, ...]
    top: tuple[OutlineNode, ...]
    communities: tuple[OutlineNode, ...]
    stale_communities: int

    @property
    def is_up_to_date(self) -> bool:
        """Whether all clusters and reports are current and cover all entities."""
        return not (self.unplaced or self.stale_communities or any(layer.stale for layer in self.layers))


def outline_of(reader: Reader, depth: int = DEPTH) -> HierarchyOutline:
    """Build the outline of the current hierarchy, ``depth`` levels deep."""
    hierarchy = reader.records.hierarchy()
    entities = entities_to_cluster(reader)
    summaries = _Summaries(reader, hierarchy)
    return HierarchyOutline(
        len(entities),
        len(unplaced(entities, hierarchy)),
        _layers(hierarchy, len(entities)),
        summaries.top(depth),
        _communities(hierarchy, depth),
        sum(community.stale for community in hierarchy.communities),
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
    """Build the outline nodes of summaries."""

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
        """Names and types of entities, by identifier."""
        rows = self._reader.hierarchy_reader().entities(ids)
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


def entities_to_cluster(reader: Reader) -> set[str]:
    """Return the identifiers of all entities other than values (dates, amounts, numbers), which are never clustered."""
    entities = reader.entities(reader.rows("entity"))
    return {entity.id for entity in entities if not is_value(entity.name, entity.type)}


def unplaced(entities: set[str], hierarchy: Hierarchy) -> set[str]:
    """Return those of the entities that no cluster of the first layer has as an own member."""
    return entities.difference(*(cluster.own for cluster in hierarchy.clusters if cluster.layer == 0))
