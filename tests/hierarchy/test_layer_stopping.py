"""A layer repeats the one below it if its clusters gather no more than one cluster below or another one beside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.hierarchy.layer_stopping import goes_on, layer_is_redundant, sparsity, summaries_are_redundant
from polyadic.model.hierarchy import Cluster, Summary


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], 0.0),
        ([1], 0.0),
        ([5], 0.0),
        ([1, 1], 1.0),
        ([2], 0.0),
        ([1, 1, 1], 1.0),
        ([2, 2], 2 / 3),
        ([3, 2], 1 - 8 / 20),
    ],
)
def test_sparsity_is_the_share_of_separated_pairs(sizes: list[int], expected: float) -> None:
    assert sparsity(sizes, sum(sizes)) == pytest.approx(expected)


@given(st.lists(st.integers(1, 50), max_size=30))
def test_sparsity_is_between_zero_and_one(sizes: list[int]) -> None:
    assert 0 <= sparsity(sizes, sum(sizes)) <= 1


def test_sparsity_falls_from_layer_to_layer_if_clusters_are_equally_small() -> None:
    """The example of docs/quality-hierarchy.md."""
    assert [round(sparsity([2] * (items // 2), items), 2) for items in (8, 4, 2)] == [0.86, 0.67, 0.0]
    assert round(sparsity([4, 4], 8), 2) == 0.57 < round(sparsity([2, 2], 4), 2)


def test_overlapping_clusters_count_pairs_repeatedly() -> None:
    assert sparsity([3, 3], 4) == pytest.approx(1 - 12 / 12)
    assert sparsity([4, 4], 4) == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        ([], False),
        ([0.99], True),
        ([0.0], True),
        ([0.8, 0.7], True),
        ([0.7, 0.8], True),
        ([0.8, 0.77], False),
        ([0.2, 0.8, 0.81], False),
        # By 0.02, which is ten per cent.
        ([0.2, 0.22], True),
        ([0.9, 0.0], False),
        ([0.0, 0.9], False),
    ],
)
def test_layers_are_added_while_sparsity_changes_above_the_threshold(series: list[float], expected: bool) -> None:
    assert goes_on(series, 0.05) is expected


def test_zero_threshold_accepts_any_change() -> None:
    assert goes_on([0.9, 0.8999], 0.0)
    assert not goes_on([0.9, 0.9], 0.0)


def test_change_equal_to_the_threshold_stops() -> None:
    assert not goes_on([0.5, 0.25], 0.5)


BELOW = {
    one.id: one
    for one in (
        Summary(cluster, 1, f"{cluster} {number}", "", f"Fact {number} of {cluster}.", ("x", "y"), "model")
        for cluster in ("Apollo", "Gemini", "Vostok")
        for number in range(3)
    )
}


def of(*clusters: str) -> tuple[str, ...]:
    return tuple(sorted(one.id for one in BELOW.values() if one.cluster in clusters))


def cluster(members: tuple[str, ...], own: tuple[str, ...] | None = None) -> Cluster:
    return Cluster(1, members, members if own is None else own)


def test_cluster_of_the_summaries_of_one_cluster_repeats_it() -> None:
    assert layer_is_redundant([cluster(of(name)) for name in ("Apollo", "Gemini", "Vostok")], BELOW)
    assert not layer_is_redundant([cluster(of("Apollo", "Gemini")), cluster(of("Vostok"))], BELOW)


def test_cluster_within_another_repeats_it() -> None:
    every = of("Apollo", "Gemini", "Vostok")
    within, beside = every[:5], every[5:]
    assert layer_is_redundant([cluster(every, beside), cluster(within)], BELOW)
    assert not layer_is_redundant([cluster(beside), cluster(within)], BELOW)


def test_clusters_of_entities_repeat_nothing() -> None:
    assert not layer_is_redundant([Cluster(0, ("a", "b"), ("a", "b"))], {})


def test_summary_repeats_one_with_all_its_words() -> None:
    first, second = of("Apollo")[:2]

    def made(name: str, description: str) -> Cluster:
        summary = Summary("above", 2, name, "", description, (first, second), "model")
        return Cluster(1, (first, second), (first, second), summaries=(summary,))

    repeated = made("Apollo", BELOW[first].description)
    of_both = made("Apollo", f"{BELOW[first].description} {BELOW[second].description}")
    assert summaries_are_redundant([repeated], BELOW)
    assert not summaries_are_redundant([of_both], BELOW)
    assert not summaries_are_redundant([repeated, of_both], BELOW)
