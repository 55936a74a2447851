"""Incremental update of communities when nodes are added or removed.

A community keeps its remaining members. New nodes form communities among themselves. A new summary of nodes that are in
communities already, and a node for which no community was found, join the community that they are most strongly
connected with.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from polyadic.model.hierarchy import Community
from polyadic.model.identity import digest


@dataclass(slots=True, eq=False)
class CommunityDraft:
    """A community being built; ``former`` is its previous version, None if it is new."""

    level: int
    members: set[str]
    parent: "CommunityDraft | None" = None
    former: Community | None = None
    parts: list["CommunityDraft"] = field(default_factory=list)

    @property
    def id(self) -> str:
        return digest("community", str(self.level), *sorted(self.members))


class CommunityUpdate:
    """The communities being built, and the level-0 community of each node.

    Parameters
    ----------
    former
        Previous communities.
    present
        Identifiers of the current nodes.
    fewest
        Minimum number of members of a community.
    """

    def __init__(self, former: Iterable[Community], present: Collection[str], fewest: int) -> None:
        self.roots: list[CommunityDraft] = []
        self._home: dict[str, CommunityDraft] = {}
        there = frozenset(present)
        made: dict[str, CommunityDraft] = {}
        for community in sorted(former, key=lambda one: (one.level, one.id)):
            left = there.intersection(community.members)
            parent = made.get(community.parent)
            if len(left) >= fewest and (parent is not None or community.level == 0):
                made[community.id] = self._added(CommunityDraft(community.level, set(left), parent, community))

    def is_placed(self, node: str) -> bool:
        """Return whether a node is in any community."""
        return node in self._home

    def loose(self, nodes: Iterable[str]) -> list[str]:
        """Return the nodes that are in no community, in order."""
        return [node for node in nodes if node not in self._home]

    def add(self, parts: Sequence[tuple[int, Collection[str], int]]) -> None:
        """Add new communities, given as level, members and index of the parent among them (-1 for none)."""
        made: list[CommunityDraft] = []
        for level, members, parent in parts:
            made.append(self._added(CommunityDraft(level, set(members), made[parent] if parent >= 0 else None)))

    def join(self, node: str, pulls: Mapping[str, float]) -> bool:
        """Add a node to the level-0 community with the greatest total edge weight, then to its parts likewise.

        Parameters
        ----------
        node
            A node that is in no community.
        pulls
            Edge weights to its neighbours.

        Returns
        -------
        bool
            False if no neighbour is in a community.
        """
        groups = {id(home): home for other in pulls if (home := self._home.get(other)) is not None}
        choice = _strongest(groups.values(), pulls)
        if choice is None:
            return False
        self._home[node] = choice
        while choice is not None:
            choice.members.add(node)
            choice = _strongest(choice.parts, pulls)
        return True

    def groups(self) -> Iterator[CommunityDraft]:
        """Yield all communities, parents before their sub-communities."""
        queue = [*self.roots]
        while queue:
            group = queue.pop()
            yield group
            queue += group.parts

    def _added(self, group: CommunityDraft) -> CommunityDraft:
        if group.parent is not None:
            group.parent.parts.append(group)
        elif group.level == 0:
            self.roots.append(group)
            self._home |= dict.fromkeys(group.members, group)
        return group


def update_communities(
    grouping: CommunityUpdate,
    summaries: Iterable[tuple[str, Sequence[str]]],
    nodes: Sequence[str],
    among: Callable[[Sequence[str]], Sequence[tuple[int, Collection[str], int]]],
    neighbours: Callable[[Sequence[str]], Mapping[str, Mapping[str, float]]],
) -> None:
    """Assign every node that is in no community.

    Parameters
    ----------
    grouping
        The communities being built.
    summaries
        All summaries with their members, lower layers first.
    nodes
        All nodes, in the order of their rows.
    among
        Detects communities within a set of nodes (see :meth:`CommunityUpdate.add`).
    neighbours
        Returns the edge weights of each of some nodes.
    """
    for summary, members in summaries:
        placed = sum(map(grouping.is_placed, members))
        # A rewritten summary, or one of a new cluster of old members, joins the community of its members.
        if not grouping.is_placed(summary) and 2 * placed > len(members):
            grouping.join(summary, dict.fromkeys(members, 1.0))
    if new := grouping.loose(nodes):
        grouping.add(among(new))
    if alone := grouping.loose(nodes):
        pulls = neighbours(alone)
        for node in alone:
            grouping.join(node, pulls.get(node, {}))


def _strongest(groups: Iterable[CommunityDraft], pulls: Mapping[str, float]) -> CommunityDraft | None:
    """Community with the greatest total weight, ties by identifier; None if the total is 0."""
    strengths: defaultdict[float, list[CommunityDraft]] = defaultdict(list)
    for group in groups:
        # Sum in a fixed order, so that the result does not depend on history.
        strengths[sum(pulls[node] for node in sorted(pulls) if node in group.members)].append(group)
    strongest = max(strengths, default=0.0)
    if strongest <= 0:
        return None
    ties = strengths[strongest]
    return ties[0] if len(ties) == 1 else min(ties, key=lambda group: group.id)
