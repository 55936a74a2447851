"""What clients are told of the hierarchy: a tree in pages, and what each of its nodes says."""

from dataclasses import dataclass
from typing import Literal

from polyadic.hierarchy.outline import LayerOutline
from polyadic.model.types import Entity, Fact

Tree = Literal["summaries", "communities"]


@dataclass(frozen=True, slots=True)
class HierarchyNode:
    """A summary, a community, or an entity that a summary covers.

    Parameters
    ----------
    kind, id
        What it is.
    name, type
        As the store has them; a community's name is the title of its report.
    by
        ``extractive`` where its words are those of names and facts, else the language model's name; empty for an
        entity.
    level
        The layer of a summary, from 1, 0 for an entity; the level of a community, from 0 for those at the top.
    members, entities
        How many it covers or holds, and how many entities lie below it.
    rating
        Of a community's report, in [0, 10]; None for all else.
    branches
        How many nodes are below it in the tree.
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
    """Nodes side by side in the tree, the highest layers and the largest first; ``next`` is the following ``start``."""

    nodes: list[HierarchyNode]
    total: int
    next: int | None


@dataclass(frozen=True, slots=True)
class HierarchyView:
    """How the hierarchy stands, and the top of its two trees.

    Parameters
    ----------
    installed
        Whether what building it needs is installed on the server (extra ``hierarchy``).
    built
        Whether there is one; what is stale of it is told nowhere.
    entities, unplaced
        How many entities there are, and how many are in no cluster, because they came later.
    layers
        As ``polyadic hierarchy show`` prints them.
    summaries, communities
        The first page of each tree.
    """

    installed: bool
    built: bool
    entities: int
    unplaced: int
    layers: list[LayerOutline]
    summaries: HierarchyPage
    communities: HierarchyPage


@dataclass(frozen=True, slots=True)
class SummaryView:
    """A summary, what it says, and what it covers, at most a hundred of it."""

    node: HierarchyNode
    description: str
    covers: list[HierarchyNode]


@dataclass(frozen=True, slots=True)
class FindingView:
    """One thing that a report says, and the facts that it rests on."""

    text: str
    facts: list[Fact]


@dataclass(frozen=True, slots=True)
class CommunityView:
    """A community with its report, and the best connected of its entities, at most a hundred."""

    node: HierarchyNode
    summary: str
    findings: list[FindingView]
    entities: list[Entity]
