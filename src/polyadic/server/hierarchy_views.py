"""Views of the hierarchy for clients: trees in pages, and the contents of their nodes. Stale nodes are left out."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np

from polyadic.hierarchy.outline import LayerOutline
from polyadic.model.hierarchy import Community, Report, Summary
from polyadic.model.types import Entity, Fact
from polyadic.optional_dependencies import has_hierarchy
from polyadic.server.problem_details import not_found
from polyadic.storage.protocol import Reader, Rows
from polyadic.workspace import Workspace

Tree = Literal["summaries", "communities"]
HierarchyState = Literal["none", "built", "outdated"]

_LISTED = 100
Node = TypeVar("Node", Summary, Community)


@dataclass(frozen=True, slots=True)
class HierarchyNode:
    """A summary, a community, or an entity that a summary covers.

    Parameters
    ----------
    kind, id
        Kind of the node, and its identifier.
    name, type
        As stored; the name of a community is the title of its report.
    by
        ``extractive`` if the text is made of names and facts, otherwise the name of the language model; empty for an
        entity.
    level
        Layer of a summary, from 1, or 0 for an entity; level of a community, 0 at the top.
    members, entities
        Number of direct members, and of entities below it.
    rating
        Rating of a community report, in [0, 10]; None for other nodes.
    branches
        Number of child nodes in the tree.
    """

    kind: Literal["summary", "community", "entity"]
    id: str
    name: str
    type: str
    by: str
    level: int
    members: int
    entities: int
    rating: float | None
    branches: int


@dataclass(frozen=True, slots=True)
class HierarchyPage:
    """Siblings in the tree, highest layers and largest nodes first; ``next`` is the ``start`` of the next page."""

    nodes: list[HierarchyNode]
    total: int
    next: int | None


@dataclass(frozen=True, slots=True)
class HierarchyView:
    """The state of the hierarchy, and the top of its two trees.

    Parameters
    ----------
    installed
        Whether the packages to build it are installed on the server (extra ``hierarchy``).
    built
        Whether a hierarchy exists; stale nodes are left out everywhere.
    state
        ``none`` if there is no hierarchy, ``outdated`` if documents have changed so that parts of it are stale or
        entities are missing from it, else ``built``.
    entities, unplaced
        Number of entities other than dates, amounts and numbers, and of those in no cluster because they were added
        later.
    layers
        As printed by ``polyadic hierarchy show``.
    summaries, communities
        First page of each tree.
    """

    installed: bool
    built: bool
    state: HierarchyState
    entities: int
    unplaced: int
    layers: list[LayerOutline]
    summaries: HierarchyPage
    communities: HierarchyPage


@dataclass(frozen=True, slots=True)
class SummaryView:
    """A summary, its text, and up to a hundred of the nodes it covers."""

    node: HierarchyNode
    description: str
    covers: list[HierarchyNode]


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding of a report, and the facts that support it."""

    text: str
    facts: list[Fact]


@dataclass(frozen=True, slots=True)
class CommunityView:
    """A community with its report, and up to a hundred of its best connected entities."""

    node: HierarchyNode
    summary: str
    findings: list[FindingView]
    entities: list[Entity]


def hierarchy_of(kb: Workspace, limit: int) -> HierarchyView:
    """Return the state of the hierarchy and the first ``limit`` nodes of each tree."""
    outline = kb.hierarchy.outline(0)
    return HierarchyView(
        installed=has_hierarchy(),
        built=bool(outline.layers),
        state="none" if not outline.layers else "built" if outline.is_up_to_date else "outdated",
        entities=outline.entities,
        unplaced=outline.unplaced,
        layers=list(outline.layers),
        summaries=nodes_under(kb, "summaries", "", 0, limit),
        communities=nodes_under(kb, "communities", "", 0, limit),
    )


def nodes_under(kb: Workspace, tree: Tree, under: str, start: int, limit: int) -> HierarchyPage:
    """Return the children of a node, or the top of the tree if ``under`` is empty.

    Raises
    ------
    ProblemError
        There is no such node (404).
    """
    with kb.store().read() as reader:
        nodes = (_Summaries(reader) if tree == "summaries" else _Communities(reader)).under(under)
    end = start + limit
    return HierarchyPage(nodes[start:end], len(nodes), end if end < len(nodes) else None)


def summary_view(kb: Workspace, identifier: str) -> SummaryView:
    """Return a summary by identifier.

    Raises
    ------
    ProblemError
        It does not exist or is stale (404).
    """
    with kb.store().read() as reader:
        summaries = _Summaries(reader)
        row, summary = summaries.found(identifier)
        return SummaryView(
            summaries.nodes(np.array([row]))[0], summary.description, summaries.under(identifier)[:_LISTED]
        )


def community_view(kb: Workspace, identifier: str) -> CommunityView:
    """Return a community by identifier.

    Raises
    ------
    ProblemError
        It does not exist, is stale, or is too small for a report (404).
    """
    with kb.store().read() as reader:
        communities, hierarchy = _Communities(reader), reader.hierarchy_reader()
        row, community = communities.found(identifier)
        report = report_of(community)
        findings = [
            FindingView(one.text, reader.facts(hierarchy.facts(list(dict.fromkeys(one.facts)))))
            for one in report.findings
        ]
        entity_rows = hierarchy.held(np.array([row])).entities.targets
        best = entity_rows[np.argsort(-reader.degrees("entity_facts", entity_rows), kind="stable")][:_LISTED]
        return CommunityView(communities.node(row, community), report.summary, findings, reader.entities(best))


class _Summaries:
    """Builds the nodes of summaries and of the entities they cover."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._hierarchy = reader.hierarchy_reader()

    def found(self, identifier: str) -> tuple[int, Summary]:
        """Return a summary and its row."""
        return _find(self._hierarchy.summaries, self._hierarchy.summary_count, identifier, "summary")

    def under(self, identifier: str) -> list[HierarchyNode]:
        """Return what a summary covers, or the summaries that no other covers."""
        if not identifier:
            rows = np.arange(self._hierarchy.summary_count, dtype=np.int64)
            return _ranked(self.nodes(np.setdiff1d(rows, self._hierarchy.above(rows).sources)))
        row, _ = self.found(identifier)
        covered = self._hierarchy.covered(np.array([row]))
        entities = self._reader.entities(covered.entities.targets)
        return _ranked([*self.nodes(covered.summaries.targets), *map(_entity_node, entities)])

    def nodes(self, rows: Rows) -> list[HierarchyNode]:
        return [self._node(row, one) for row, one in zip(rows.tolist(), self._hierarchy.summaries(rows), strict=True)]

    def _node(self, row: int, summary: Summary) -> HierarchyNode:
        members = len(summary.members)
        return HierarchyNode(
            kind="summary",
            id=summary.id,
            name=summary.name,
            type=summary.type,
            by=summary.by,
            level=summary.layer,
            members=members,
            entities=self._entities_below(row),
            rating=None,
            branches=members,
        )

    def _entities_below(self, row: int) -> int:
        entities: set[int] = set()
        rows: Rows = np.array([row], dtype=np.int64)
        while len(rows):
            covered = self._hierarchy.covered(rows)
            entities.update(covered.entities.targets.tolist())
            rows = np.unique(covered.summaries.targets)
        return len(entities)


class _Communities:
    """Builds the nodes of communities."""

    def __init__(self, reader: Reader) -> None:
        self._hierarchy = reader.hierarchy_reader()

    def found(self, identifier: str) -> tuple[int, Community]:
        """Return a community and its row."""
        return _find(self._hierarchy.communities, self._hierarchy.community_count, identifier, "community")

    def under(self, identifier: str) -> list[HierarchyNode]:
        """Return the subcommunities of a community, or the top level.

        Subcommunities of a stale community are at the top as well.
        """
        if identifier:
            self.found(identifier)
        return _ranked([self.node(row, one) for row, one in enumerate(self._all) if self._parent(one) == identifier])

    def node(self, row: int, community: Community) -> HierarchyNode:
        report = report_of(community)
        return HierarchyNode(
            kind="community",
            id=community.id,
            name=report.title,
            type="",
            by=report.by,
            level=community.level,
            members=len(community.members),
            entities=len(self._hierarchy.held(np.array([row])).entities.targets),
            rating=report.rating,
            branches=self._parts[community.id],
        )

    @cached_property
    def _all(self) -> list[Community]:
        return self._hierarchy.communities(np.arange(self._hierarchy.community_count, dtype=np.int64))

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(one.id for one in self._all)

    @cached_property
    def _parts(self) -> Counter[str]:
        """Number of subcommunities of each community."""
        return Counter(self._parent(one) for one in self._all)

    def _parent(self, community: Community) -> str:
        return community.parent if community.parent in self._known else ""


def report_of(community: Community) -> Report:
    """Return the report of a community; communities without one are not served."""
    assert community.report is not None  # noqa: S101
    return community.report


def _find(fetch: Callable[[Rows], list[Node]], count: int, identifier: str, what: str) -> tuple[int, Node]:
    """Find a row and its value by identifier, with a binary search: rows are sorted by identifier."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        node = fetch(np.array([middle], dtype=np.int64))[0]
        if node.id == identifier:
            return middle, node
        low, high = (middle + 1, high) if node.id < identifier else (low, middle)
    raise not_found(what)


def _entity_node(entity: Entity) -> HierarchyNode:
    return HierarchyNode("entity", entity.id, entity.name, entity.type, "", 0, 0, 1, None, 0)


def _ranked(nodes: Sequence[HierarchyNode]) -> list[HierarchyNode]:
    """Sort nodes: higher layers first (communities of one list share a level, or nearly), then the largest."""
    return sorted(
        nodes,
        key=lambda one: (
            -one.level if one.kind == "summary" else one.level,
            -one.entities,
            -one.members,
            one.name,
            one.id,
        ),
    )
