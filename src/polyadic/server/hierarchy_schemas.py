"""Response schemas of the hierarchy: trees in pages, and the contents of their nodes."""

from dataclasses import dataclass
from typing import Literal

from polyadic.hierarchy.outline import LayerOutline
from polyadic.model.types import Entity, Fact

Tree = Literal["summaries", "communities"]
HierarchyState = Literal["none", "built", "outdated"]


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
