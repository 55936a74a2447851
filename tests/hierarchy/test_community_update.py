"""Communities as nodes come and go: each level a partition, parts within their wholes, and what is untouched stays."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from polyadic.hierarchy.community_update import CommunityUpdate, update_communities
from polyadic.model.hierarchy import Community

NODES = [f"{number:032x}" for number in range(20)]
FEWEST = 3


def communities_of(wholes: Sequence[Sequence[str]], cuts: Sequence[int]) -> list[Community]:
    """Communities of level 0, those large enough with two parts each on level 1, cut after so many members."""
    made = []
    for members, cut in zip(wholes, cuts, strict=True):
        whole = Community(0, tuple(sorted(members)))
        parts = (members[:cut], members[cut:]) if FEWEST <= cut <= len(members) - FEWEST else ()
        made += [whole, *(Community(1, tuple(sorted(part)), whole.id) for part in parts)]
    return made


@st.composite
def formers(draw: st.DrawFn) -> list[Community]:
    nodes = draw(st.permutations(NODES))[: draw(st.integers(0, len(NODES)))]
    wholes: list[list[str]] = []
    while len(nodes) >= FEWEST:
        size = min(draw(st.integers(FEWEST, 9)), len(nodes))
        wholes, nodes = [*wholes, list(nodes[:size])], nodes[size:]
    return communities_of(wholes, [draw(st.integers(0, 9)) for _ in wholes])


some_nodes = st.sets(st.sampled_from(NODES))


def nothing(nodes: Sequence[str]) -> list[tuple[int, Collection[str], int]]:
    return []


def unconnected(nodes: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    return {}


def updated(grouping: CommunityUpdate) -> list[Community]:
    return [
        Community(group.level, tuple(sorted(group.members)), group.parent.id if group.parent else "")
        for group in grouping.groups()
    ]


@given(formers(), some_nodes)
def test_each_level_is_a_partition_nested_in_the_one_above(former: list[Community], present: set[str]) -> None:
    grouping = CommunityUpdate(former, present, FEWEST)
    for level in (0, 1):
        members = Counter(node for group in grouping.groups() if group.level == level for node in group.members)
        assert set(members.values()) <= {1} and present.issuperset(members)
    for group in grouping.groups():
        assert len(group.members) >= FEWEST
        assert group.parent is None or (group.members <= group.parent.members and group in group.parent.parts)


@given(formers(), some_nodes)
def test_communities_without_removals_are_unchanged(former: list[Community], new: set[str]) -> None:
    members = {member for one in former for member in one.members}
    grouping = CommunityUpdate(former, members | new, FEWEST)
    assert sorted(updated(grouping), key=lambda one: one.id) == sorted(former, key=lambda one: one.id)
    assert grouping.loose(NODES) == [node for node in NODES if node not in members]


@given(formers(), some_nodes)
def test_new_node_joins_the_strongest_community_on_every_level(former: list[Community], pulling: set[str]) -> None:
    new, pulls = "f" * 32, dict.fromkeys(pulling, 1.0)
    members = {member for one in former for member in one.members}
    grouping = CommunityUpdate(former, members, FEWEST)
    before = {group: len(group.members & pulling) for group in grouping.groups()}
    joined = grouping.join(new, pulls)
    assert joined == (not pulling.isdisjoint(members)) == grouping.is_placed(new)
    for group in grouping.groups():
        siblings = group.parent.parts if group.parent else grouping.roots
        if new in group.members:
            assert before[group] == max(before[one] for one in siblings) > 0
            assert group.parent is None or new in group.parent.members
    chosen = [group for group in grouping.groups() if new in group.members]
    assert len({group.level for group in chosen}) == len(chosen)


def test_rebuilt_summary_joins_the_community_of_its_members() -> None:
    former = communities_of([NODES[:3], NODES[3:6]], [0, 0])
    again, above = "a" * 32, "b" * 32
    grouping = CommunityUpdate(former, [*NODES[:6], again, above], FEWEST)
    update_communities(
        grouping, [(again, NODES[2:5]), (above, [again, NODES[5]])], [*NODES[:6], again, above], nothing, unconnected
    )
    assert [sorted(group.members) for group in grouping.roots if again in group.members] == [
        [*NODES[3:6], again, above]
    ]


def test_new_nodes_form_communities_and_the_rest_join_neighbours() -> None:
    former, new, alone, lost = communities_of([NODES[:3]], [0]), NODES[3:6], NODES[6], NODES[7]
    grouping = CommunityUpdate(former, NODES[:8], FEWEST)

    def among(nodes: Sequence[str]) -> list[tuple[int, Collection[str], int]]:
        assert list(nodes) == [*new, alone, lost]
        return [(0, new, -1)]

    def neighbours(nodes: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
        assert list(nodes) == [alone, lost]
        return {alone: {new[0]: 2.0, NODES[0]: 1.5}, lost: {}}

    update_communities(grouping, [], NODES[:8], among, neighbours)
    assert sorted(sorted(group.members) for group in grouping.roots) == [NODES[:3], [*new, alone]]
    assert grouping.loose(NODES[:8]) == [lost]


def test_new_communities_have_the_parts_that_were_found_in_them() -> None:
    grouping = CommunityUpdate([], NODES, FEWEST)
    first, second = NODES[:6], NODES[6:12]
    grouping.add([(0, first, -1), (0, second, -1), (1, first[:3], 0), (1, second[:3], 1), (2, second[:3], 3)])
    assert [sorted(group.members) for group in grouping.roots] == [first, second]
    assert [[sorted(part.members) for part in group.parts] for group in grouping.roots] == [[first[:3]], [second[:3]]]
    assert sorted(group.level for group in grouping.groups()) == [0, 0, 1, 1, 2]
    assert grouping.loose(NODES) == NODES[12:]


def test_of_communities_that_pull_alike_the_one_with_the_first_identifier_is_joined() -> None:
    former = communities_of([NODES[:3], NODES[3:6]], [0, 0])
    first = min(former, key=lambda one: one.id)
    for order in (former, former[::-1]):
        grouping = CommunityUpdate(former, NODES, FEWEST)
        assert grouping.join(NODES[9], {one.members[0]: 1.0 for one in order})
        assert [group.former for group in grouping.groups() if NODES[9] in group.members] == [first]


def test_a_summary_half_of_whose_members_are_new_is_new() -> None:
    former, summary = communities_of([NODES[:3]], [0]), "a" * 32
    grouping = CommunityUpdate(former, [*NODES[:6], summary], FEWEST)
    members = [*NODES[1:5]]
    update_communities(grouping, [(summary, members)], [*NODES[:6], summary], nothing, unconnected)
    assert grouping.loose([*NODES[:6], summary]) == [*NODES[3:6], summary]


def test_summary_of_new_members_counts_as_new() -> None:
    former, summary = communities_of([NODES[:3]], [0]), "a" * 32
    grouping = CommunityUpdate(former, [*NODES[:6], summary], FEWEST)
    asked: list[Sequence[str]] = []

    def among(nodes: Sequence[str]) -> list[tuple[int, Collection[str], int]]:
        asked.append(nodes)
        return [(0, nodes, -1)]

    update_communities(grouping, [(summary, NODES[2:6])], [*NODES[:6], summary], among, unconnected)
    assert asked == [[*NODES[3:6], summary]]
