"""Clusters under ``mixture = "raptor"``, against RAPTOR's two stages written out with scikit-learn."""

import warnings

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from polyadic.clustering import gmm
from polyadic.clustering.gmm import RAPTOR_COMPONENTS
from polyadic.clustering.soft_clustering import cluster
from polyadic.storage.protocol import Vectors
from tests.clustering.test_soft_clustering import all_own, blobs

# Fewer components than RAPTOR's 50 keep the test short.
THRESHOLD, MOST_COMPONENTS, DIMENSIONS = 0.1, 7, 10
ANY_SIZE = 1000


def raptor(vectors: Vectors, seed: int) -> set[tuple[int, ...]]:
    """Cluster all rows, then the members of each cluster that has more than a few (arXiv 2401.18059, section 3)."""
    found = set()
    for members in stage(vectors, seed):
        if len(members) <= DIMENSIONS + 1:
            found.add(tuple(members))
            continue
        found |= {tuple(members[local]) for local in stage(vectors[members], seed)}
    return found


def stage(vectors: Vectors, seed: int) -> list[NDArray[np.int64]]:
    """The rows of each component of the mixture with the lowest BIC, by the threshold on their probability."""
    points = (
        PCA(min(DIMENSIONS, len(vectors) - 1, vectors.shape[1]), random_state=seed)
        .fit_transform(vectors)
        .astype(np.float64)
    )
    points /= np.sqrt(points.var(axis=0).mean())
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        fitted = [
            GaussianMixture(n, random_state=seed, reg_covar=0.01).fit(points)
            for n in range(1, min(MOST_COMPONENTS, len(points)))
        ]
    best = min(fitted, key=lambda model: model.bic(points))
    return [np.flatnonzero(column >= THRESHOLD) for column in best.predict_proba(points).T if column.max() >= THRESHOLD]


@pytest.fixture(autouse=True)
def few_components(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gmm, "RAPTOR_COMPONENTS", MOST_COMPONENTS)


def test_mixtures_have_up_to_49_components() -> None:
    assert RAPTOR_COMPONENTS == 50


def overlapping(seed: int) -> Vectors:
    """Three groups of points in the plane, of which two overlap."""
    drawn = np.random.default_rng(seed)
    centres = ((0.0, 0.0), (4.0, 0.0), (0.0, 9.0))
    return np.concatenate([drawn.normal(centre, 1.0, (150, 2)) for centre in centres]).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_clusters_are_those_of_raptor(seed: int) -> None:
    vectors = overlapping(seed)
    found = cluster(vectors, ANY_SIZE, THRESHOLD, seed, raptor=True)
    assert {grouping.members for grouping in found} == raptor(vectors, seed)
    assert all_own(found) == list(range(len(vectors)))
    assert sum(len(grouping.members) for grouping in found) > len(vectors)


def test_clusters_have_any_size() -> None:
    found = cluster(blobs([60, 5]), ANY_SIZE, THRESHOLD, 0, raptor=True)
    assert max(len(grouping.members) for grouping in found) > 20


def test_limit_on_the_size_holds() -> None:
    found = cluster(blobs([60, 5]), 20, THRESHOLD, 0, raptor=True)
    assert max(len(grouping.members) for grouping in found) <= 20
    assert all_own(found) == list(range(65))
