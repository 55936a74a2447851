from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from threadpoolctl import threadpool_limits

from polyadic.clustering.soft_clustering import SoftCluster, cluster
from polyadic.storage.protocol import Vectors
from tests.support.examples import examples

DIMENSION = 16


def blobs(sizes: list[int], spread: float = 0.05, seed: int = 0) -> Vectors:
    """Vectors around as many far points, one blob after the other."""
    drawn = np.random.default_rng(seed)
    centres = 4 * np.eye(DIMENSION)[: len(sizes)]
    around = [centre + spread * drawn.standard_normal((n, DIMENSION)) for centre, n in zip(centres, sizes, strict=True)]
    return np.concatenate(around).astype(np.float32)


def own(groupings: list[SoftCluster]) -> list[tuple[int, ...]]:
    return [grouping.own for grouping in groupings]


def all_own(groupings: list[SoftCluster]) -> list[int]:
    return sorted(place for grouping in groupings for place in grouping.own)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_items_give_no_cluster(n: int) -> None:
    assert cluster(blobs([5])[:n], 20, 0.1, 0) == []


@pytest.mark.parametrize("n", [2, 3])
def test_two_or_three_items_give_one_cluster(n: int) -> None:
    assert cluster(blobs([5])[:n], 20, 0.1, 0) == [SoftCluster(tuple(range(n)), tuple(range(n)))]


def test_distant_blobs_are_separate_clusters() -> None:
    assert own(cluster(blobs([7, 9]), 20, 0.1, 0)) == [tuple(range(7)), tuple(range(7, 16))]


def test_outliers_join_other_clusters() -> None:
    vectors = np.concatenate([blobs([6, 6]), np.full((1, DIMENSION), 5, dtype=np.float32)])
    groupings = cluster(vectors, 20, 0.1, 0)
    assert all_own(groupings) == list(range(13))
    assert min(len(grouping.own) for grouping in groupings) >= 2


@pytest.mark.parametrize(
    ("n", "most", "sizes"), [(5, 20, [5]), (40, 20, [20, 20]), (41, 20, [13, 14, 14]), (4, 3, [2, 2])]
)
def test_identical_vectors_are_split_evenly_in_order(n: int, most: int, sizes: list[int]) -> None:
    groupings = cluster(np.ones((n, DIMENSION), dtype=np.float32), most, 0.1, 0)
    assert sorted(len(grouping.own) for grouping in groupings) == sizes
    assert [place for grouping in groupings for place in grouping.own] == list(range(n))
    assert all(grouping.members == grouping.own for grouping in groupings)


def test_clustering_of_duplicates_terminates() -> None:
    vectors = np.repeat(blobs([1, 1, 1]), [100, 3, 2], axis=0)
    groupings = cluster(vectors, 10, 0.1, 0)
    assert all_own(groupings) == list(range(105))
    assert max(len(grouping.members) for grouping in groupings) <= 10
    assert not any(min(grouping.own) < 100 <= max(grouping.own) for grouping in groupings)


def test_giant_cluster_is_split_until_all_fit() -> None:
    groupings = cluster(blobs([300], spread=1.0), 12, 0.1, 0)
    assert all_own(groupings) == list(range(300))
    assert all(2 <= len(grouping.own) <= len(grouping.members) <= 12 for grouping in groupings)


def test_more_blobs_than_mixture_components_stay_separate() -> None:
    sizes = [60] * 12
    groupings = cluster(blobs(sizes), 20, 0.1, 0)
    assert all_own(groupings) == list(range(720))
    assert all(len({place // 60 for place in grouping.own}) == 1 for grouping in groupings)


def test_points_between_clusters_belong_to_both() -> None:
    vectors = blobs([60, 60], spread=1.2)
    strict, soft = (cluster(vectors, 100, above, 0) for above in (0.99, 0.01))
    assert own(strict) == own(soft)
    assert [len(grouping.own) for grouping in strict] == [len(grouping.members) for grouping in strict]
    assert sum(len(grouping.members) for grouping in soft) > 120


def test_items_beyond_the_sample_are_assigned() -> None:
    sizes = [3000, 2500]
    groupings = cluster(blobs(sizes), 1000, 0.1, 0)
    assert all_own(groupings) == list(range(5500))
    assert not any(grouping.own[0] < 3000 <= grouping.own[-1] for grouping in groupings)


def test_clustering_does_not_depend_on_threads() -> None:
    vectors = blobs([400], spread=1.0)
    with threadpool_limits(1):
        alone = cluster(vectors, 20, 0.1, 0)
    with threadpool_limits(4):
        assert cluster(vectors, 20, 0.1, 0) == alone


def test_seed_changes_the_clustering() -> None:
    vectors = blobs([300], spread=1.0)
    assert cluster(vectors, 20, 0.1, 0) != cluster(vectors, 20, 0.1, 1)


@st.composite
def some_vectors(draw: st.DrawFn) -> Vectors:
    """Few distinct vectors, many times over, as names that recur give."""
    numbers = st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-8]) | st.floats(-1, 1, width=32)
    distinct = draw(arrays(np.float32, st.tuples(st.integers(1, 12), st.integers(1, 12)), elements=numbers))
    return distinct[draw(st.lists(st.integers(0, len(distinct) - 1), max_size=60))]


@settings(max_examples=examples(60), deadline=None)
@given(some_vectors(), st.integers(2, 25), st.floats(0.01, 0.9), st.integers(0, 3))
def test_every_item_has_one_primary_cluster_and_all_fit(vectors: Vectors, most: int, above: float, seed: int) -> None:
    groupings = cluster(vectors, most, above, seed)
    if len(vectors) < 2:
        assert groupings == []
        return
    assert Counter(place for grouping in groupings for place in grouping.own) == Counter(range(len(vectors)))
    for grouping in groupings:
        assert set(grouping.own) <= set(grouping.members)
        assert 2 <= len(grouping.own) <= len(grouping.members) <= max(most, 3)
        assert list(grouping.members) == sorted(set(grouping.members))
        assert list(grouping.own) == sorted(grouping.own)
    assert groupings == sorted(groupings, key=lambda grouping: (grouping.members, grouping.own))
    assert cluster(vectors.copy(), most, above, seed) == groupings
