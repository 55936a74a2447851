"""The paths that flow takes, by numbers worked out by hand (PathRAG, section 3.3)."""

import pytest

from polyadic.retrieval.flow_pruning import FlowPath, paths_between

LINE = {1: [2], 2: [1, 3], 3: [2, 4], 4: [3]}
# 1 leads to 4 by 2 and by 3.
DIAMOND = {1: [2, 3], 2: [1, 4], 3: [1, 4], 4: [2, 3]}


def shown(paths: list[FlowPath]) -> list[tuple[tuple[int, ...], float]]:
    return [(path.nodes, round(path.reliability, 4)) for path in paths]


def test_reliability_is_mean_flow_per_pair() -> None:
    # 1 reaches 2 with 0.8, 3 with 0.8 * 0.8 / 2 = 0.32.
    assert shown(paths_between(LINE, [1, 3], 0.8, 0.1)) == [((1, 2, 3), round((1 + 0.8 + 0.32) / 2, 4))]


def test_flows_of_several_ways_add_up() -> None:
    # 2 and 3 get 0.4 each; each gives 0.8 * 0.4 / 2 = 0.16 to 4, which has 0.32.
    both = round((1 + 0.4 + 0.32) / 2, 4)
    assert shown(paths_between(DIAMOND, [1, 4], 0.8, 0.1)) == [((1, 2, 4), both), ((1, 3, 4), both)]


def test_path_found_from_both_ends_keeps_the_better_score() -> None:
    # From 1, which has two neighbours, 0.4 reaches 2; from 2, which has only 1, 0.8 reaches 1.
    graph = {1: [2, 3], 2: [1], 3: [1]}
    assert shown(paths_between(graph, [1, 2], 0.8, 0.1)) == [((2, 1), 1.8)]


@pytest.mark.parametrize(("threshold", "found"), [(0.39, 1), (0.4, 1), (0.41, 0)])
def test_flow_below_the_threshold_is_pruned(threshold: float, found: int) -> None:
    # 2 has 0.8 and two neighbours.
    assert len(paths_between(LINE, [1, 3], 0.8, threshold)) == found


def test_a_hub_does_not_connect() -> None:
    hub: dict[int, list[int]] = {0: list(range(1, 200)), **{node: [0] for node in range(1, 200)}}
    assert paths_between(hub, [1, 2], 0.8, 0.05) == []


def test_paths_have_at_most_three_pairs_and_no_cycles() -> None:
    ring = {n: [(n - 1) % 8, (n + 1) % 8] for n in range(8)}
    lengths = {len(path.nodes) for path in paths_between(ring, range(8), 1.0, 0.001)}
    assert lengths == {2, 3, 4}
    assert all(len(set(path.nodes)) == len(path.nodes) for path in paths_between(ring, range(8), 1.0, 0.001))


def test_paths_are_ordered_by_reliability() -> None:
    found = [path.reliability for path in paths_between(LINE, [1, 2, 3, 4], 0.8, 0.01)]
    assert found == sorted(found, reverse=True)
    assert len(found) > 3


def test_unknown_nodes_have_no_paths() -> None:
    assert paths_between({}, [1, 2], 0.8, 0.1) == paths_between(LINE, [9], 0.8, 0.1) == []
