"""How many components a mixture has, and what it tells of each row."""

import numpy as np
import pytest

from polyadic.clustering import dimension_reduction, gmm
from polyadic.clustering.dimension_reduction import Floats
from polyadic.clustering.gmm import fit
from polyadic.storage.protocol import Vectors


def blobs(sizes: list[int], spread: float = 0.05) -> Vectors:
    drawn = np.random.default_rng(0)
    around = [10 * np.eye(12)[place] + spread * drawn.standard_normal((size, 12)) for place, size in enumerate(sizes)]
    return np.concatenate(around).astype(np.float32)


def components(vectors: Vectors, least: int) -> int:
    return int(fit(vectors, least, 0).posteriors.shape[1])


def test_equal_vectors_are_one_component() -> None:
    found = fit(np.tile(np.array([0.7, 0.1, 0.4], dtype=np.float32), (5, 1)), 3, 0)
    assert found.posteriors.tolist() == [[1.0]] * 5 and found.along.tolist() == [0.0] * 5


def test_rows_lie_on_the_first_axis_by_standard_deviations() -> None:
    # Variances 2 and 0.5 along the axes, 1.25 on average.
    along = fit(np.array([[2, 0], [-2, 0], [0, 1], [0, -1]], dtype=np.float32), 1, 0).along
    assert np.abs(along) == pytest.approx([2 / 1.25**0.5] * 2 + [0, 0], abs=1e-4)
    assert along[0] == -along[1]


def test_no_more_axes_than_rows_allow_or_are_wanted_count(monkeypatch: pytest.MonkeyPatch) -> None:
    # Three rows have two axes, of variances 8 / 3 and 2 / 9.
    three = np.array([[2, 0, 0, 0, 0], [-2, 0, 0, 0, 0], [0, 1, 0, 0, 0]], dtype=np.float32)
    assert np.abs(fit(three, 1, 0).along) == pytest.approx([2 / (13 / 9) ** 0.5] * 2 + [0], abs=1e-4)
    monkeypatch.setattr(dimension_reduction, "DIMENSIONS", 1)
    assert np.abs(fit(three, 1, 0).along) == pytest.approx([2 / (8 / 3) ** 0.5] * 2 + [0], abs=1e-4)


@pytest.mark.parametrize("blob_count", [1, 2, 3, 4, 6])
def test_there_are_as_many_components_as_blobs(blob_count: int) -> None:
    found = fit(blobs([30] * blob_count), 1, 0)
    labels = found.posteriors.argmax(axis=1).reshape(blob_count, 30)
    assert (labels == labels[:, :1]).all() and len(set(labels[:, 0].tolist())) == blob_count
    assert found.posteriors.shape[1] == blob_count
    assert found.posteriors.sum(axis=1) == pytest.approx(np.ones(30 * blob_count))


def test_there_are_at_least_as_many_as_asked_for_and_as_are_distinct() -> None:
    assert components(blobs([30, 30]), 5) == 5
    three = np.repeat(blobs([1, 1, 1]), 4, axis=0)
    assert components(three, 5) == 3
    assert components(blobs([200], 1.0), 50) == gmm.MOST_COMPONENTS


def test_a_component_has_two_distinct_members_on_average() -> None:
    # Five distinct vectors give two components at most, whatever lies apart.
    assert components(np.repeat(blobs([1] * 5), 6, axis=0), 1) <= 2
    assert components(np.repeat(blobs([2] * 3), 6, axis=0), 1) == 3


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The number of rows and of components of each mixture that is fitted."""
    calls: list[tuple[int, int]] = []
    fitted = gmm._fitted

    def noted(points: Floats, count: int, seed: int) -> object:
        calls.append((len(points), count))
        return fitted(points, count, seed)

    monkeypatch.setattr(gmm, "_fitted", noted)
    return calls


def test_no_more_are_tried_after_two_that_are_worse(tried: list[tuple[int, int]]) -> None:
    assert components(blobs([100, 100]), 1) == 2
    assert [count for _, count in tried] == [1, 2, 3, 4]
    tried.clear()
    assert components(blobs([100]), 1) == 1
    assert [count for _, count in tried] == [1, 2, 3]


def test_of_many_a_sample_is_fitted_and_all_are_placed(
    tried: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gmm, "SAMPLE", 50)
    found = fit(blobs([60, 40]), 2, 0)
    assert {rows for rows, _ in tried} == {50} and found.posteriors.shape == (100, 2)
    labels = found.posteriors.argmax(axis=1)
    assert len(set(labels[:60].tolist())) == len(set(labels[60:].tolist())) == 1 and labels[0] != labels[60]


def test_the_same_seed_gives_the_same_mixture() -> None:
    vectors = blobs([200], 1.0)
    first, again, other = (fit(vectors, 6, seed).posteriors for seed in (3, 3, 4))
    assert (first == again).all() and not (first == other).all()


def test_raptor_fits_as_many_components_as_asked_for_if_there_are_no_more_vectors() -> None:
    assert fit(blobs([1, 1, 1]), 3, 0, raptor=True).posteriors.shape == (3, 3)


@pytest.mark.slow
def test_raptor_needs_few_components_for_groups_that_lie_aslant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gmm, "RAPTOR_COMPONENTS", 17)
    drawn = np.random.default_rng(0)
    along, noise = drawn.normal(0, 3, (2, 150)), drawn.normal(0, 0.1, (2, 150))
    crossing = [np.column_stack([along[n], slope * along[n] + noise[n]]) for n, slope in enumerate((0.4, -0.4))]
    vectors = np.concatenate(crossing).astype(np.float32)
    assert 2 * fit(vectors, 1, 0, raptor=True).posteriors.shape[1] < components(vectors, 1)
