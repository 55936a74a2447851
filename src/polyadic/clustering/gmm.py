"""Gaussian mixture over vectors of reduced dimensions, with the number of components chosen by BIC."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyadic.clustering.dimension_reduction import Floats, Places, Reduction, reduced
from polyadic.storage.protocol import Vectors

if TYPE_CHECKING:
    from sklearn.mixture import GaussianMixture

SAMPLE = 4000
MOST_COMPONENTS = 32
RAPTOR_COMPONENTS = 50
_COMPONENT_COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
_MAX_ITERATIONS = 100
# Regularization, relative to a mean variance of 1, so that copies of one vector do not form a degenerate component.
_MIN_VARIANCE = 0.01


@dataclass(frozen=True, slots=True)
class GaussianMixtureFit:
    """Fitted mixture.

    Parameters
    ----------
    posteriors
        Posterior probabilities, shape (rows, components); each row sums to 1.
    along
        First coordinates after reduction (with PCA, on the first principal axis), shape (rows,).
    """

    posteriors: Floats
    along: Floats


@contextmanager
def one_thread() -> Iterator[None]:
    """Restrict numeric libraries to one thread: threaded sums round differently from run to run."""
    import sklearn.mixture  # noqa: F401 - limits apply to loaded libraries only
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def fit(
    vectors: Vectors,
    least: int,
    seed: int,
    raptor: bool = False,
    reduction: Reduction = "pca",
    is_local: bool = False,
) -> GaussianMixtureFit:
    """Fit a mixture with at least ``least`` components, if there are as many distinct vectors.

    Covariances are diagonal: after PCA the axes are uncorrelated overall, and twenty members are too few to estimate
    the 55 parameters of a full covariance. Some numbers of components are tried, up to the first that increase the BIC.
    Of more than SAMPLE vectors, a sample is fitted and the rest is assigned.

    Parameters
    ----------
    vectors
        Shape (n, d).
    least
        Minimum number of components; BIC chooses among larger ones.
    seed
        Random seed of the reduction, the sample and the initialization.
    raptor
        Use full covariances, and the number of components below RAPTOR_COMPONENTS with the lowest BIC, as RAPTOR does
        (arXiv 2401.18059).
    reduction
        How to reduce the dimensions of the vectors; UMAP is RAPTOR's way.
    is_local
        Whether the vectors are those of a cluster (RAPTOR's second stage).
    """
    sample = _sample(len(vectors), seed)
    points = reduced(vectors, sample, seed, reduction, is_local)
    if points is None:
        return GaussianMixtureFit(np.ones((len(vectors), 1)), np.zeros(len(vectors)))
    fitted = points[sample]
    distinct = len(np.unique(fitted, axis=0))
    if raptor:
        counts = range(min(least, distinct), max(min(least, distinct) + 1, min(RAPTOR_COMPONENTS, len(fitted))))
        model = min((_fitted(fitted, count, seed, "full") for count in counts), key=lambda one: float(one.bic(fitted)))
    else:
        model = _best(fitted, _counts(least, distinct), seed)
    return GaussianMixtureFit(model.predict_proba(points), points[:, 0])


def _sample(n: int, seed: int) -> Places:
    if n <= SAMPLE:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, SAMPLE, replace=False))


def _counts(least: int, distinct: int) -> list[int]:
    """Numbers of components to try, in ascending order, up to two distinct members per component."""
    low = min(least, distinct, MOST_COMPONENTS)
    return [low, *(count for count in _COMPONENT_COUNTS if low < count <= min(distinct // 2, MOST_COMPONENTS))]


def _best(points: Floats, counts: list[int], seed: int) -> "GaussianMixture":
    """Fit mixtures and return the one with the lowest BIC; stop after two increases in a row."""
    best = _fitted(points, counts[0], seed)
    least, increases = best.bic(points), 0
    for count in counts[1:]:
        model = _fitted(points, count, seed)
        bic = model.bic(points)
        if bic < least:
            best, least, increases = model, bic, 0
        else:
            increases += 1
        if increases == 2:
            break
    return best


def _fitted(points: Floats, count: int, seed: int, covariance: Literal["diag", "full"] = "diag") -> "GaussianMixture":
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    model = GaussianMixture(
        count, covariance_type=covariance, reg_covar=_MIN_VARIANCE, max_iter=_MAX_ITERATIONS, random_state=seed
    )
    with warnings.catch_warnings():
        # Convergence to the last digit is not needed for clusters.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(points)
