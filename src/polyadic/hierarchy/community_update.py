"""What of the former communities holds for the nodes that are there now; and where new nodes belong.

A community whose members are all there is kept, one that has lost some goes on without them. New nodes get communities
among themselves; a summary of what is in communities already, and a node that found none, join the one that they are
most closely connected with.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from polyadic.model.hierarchy import Community
from polyadic.model.identity import digest


@dataclass(slots=True, eq=False)
class CommunityDraft:
    """A community in the making; ``former`` is the one that it goes on from, None where it is new."""

    level: int
    members: set[str]
    parent: "CommunityDraft | None" = None
    former: Community | None = None
    parts: list["CommunityDraft"] = field(default_factory=list)

    @property
    def id(self) -> str:
        return digest("community", str(self.level), *sorted(self.members))


class CommunityUpdate:
    """The communities in the making, and which of level 0 each node is in.

    Parameters
    ----------
    former
        The communities as they were.
    present
        Identifiers of the nodes that are there now.
    fewest
        Members of a community.
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
        """Whether a node is in any community."""
        return node in self._home

    def loose(self, nodes: Iterable[str]) -> list[str]:
        """Those of the nodes that are in none, in their order."""
        return [node for node in nodes if node not in self._home]

    def add(self, parts: Sequence[tuple[int, Collection[str], int]]) -> None:
        """Add new communities: of each its level, members and the place of its parent among them, -1 for none."""
        made: list[CommunityDraft] = []
        for level, members, parent in parts:
            made.append(self._added(CommunityDraft(level, set(members), made[parent] if parent >= 0 else None)))

    def join(self, node: str, pulls: Mapping[str, float]) -> bool:
        """Have a node join the community that its neighbours pull it to most, and the part of that, and so on.

        Parameters
        ----------
        node
            In no community yet.
        pulls
            How closely it is connected with each of its neighbours.

        Returns
        -------
        bool
            False where none of these is in a community.
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
        """All of them, a parent before its parts."""
        waiting = [*self.roots]
        while waiting:
            group = waiting.pop()
            yield group
            waiting += group.parts

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
    """Find a community for every node that has none.

    Parameters
    ----------
    grouping
        What is left of the former communities.
    summaries
        All summaries with their members, lower layers first.
    nodes
        All nodes, in the order of their rows.
    among
        Communities of some nodes among themselves (see Grouping.add).
    neighbours
        How closely each of some nodes is connected with which others.
    """
    for summary, members in summaries:
        placed = sum(map(grouping.is_placed, members))
        # Made again, or of a new cluster of old members: it belongs where they are. Others are as new as theirs.
        if not grouping.is_placed(summary) and 2 * placed > len(members):
            grouping.join(summary, dict.fromkeys(members, 1.0))
    if new := grouping.loose(nodes):
        grouping.add(among(new))
    if alone := grouping.loose(nodes):
        pulls = neighbours(alone)
        for node in alone:
            grouping.join(node, pulls.get(node, {}))


def _strongest(groups: Iterable[CommunityDraft], pulls: Mapping[str, float]) -> CommunityDraft | None:
    """The group with most of the pull, of several the one whose identifier comes first; None where there is no pull."""
    strengths: defaultdict[float, list[CommunityDraft]] = defaultdict(list)
    for group in groups:
        # In one order, so that the sum is the same whatever the history.
        strengths[sum(pulls[node] for node in sorted(pulls) if node in group.members)].append(group)
    strongest = max(strengths, default=0.0)
    if strongest <= 0:
        return None
    alike = strengths[strongest]
    return alike[0] if len(alike) == 1 else min(alike, key=lambda group: group.id)
