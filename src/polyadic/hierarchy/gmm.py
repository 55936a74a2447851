"""A Gaussian mixture over reduced vectors, with as many components as the Bayesian information criterion asks for."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.protocol import Vectors

if TYPE_CHECKING:
    from sklearn.mixture import GaussianMixture

Floats = NDArray[np.float64]

DIMENSIONS = 10
SAMPLE = 4000
MOST_COMPONENTS = 32
_COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
_ROUNDS = 100
# Of a mean variance of 1: copies of one vector are no component that is infinitely dense.
_LEAST_VARIANCE = 0.01
_NO_SPREAD = 1e-6


@dataclass(frozen=True, slots=True)
class GaussianMixtureFit:
    """How likely each place belongs to each component, shape (places, components); each row sums to 1.

    ``along`` is where each place lies on the direction in which they differ most, shape (places,).
    """

    posteriors: Floats
    along: Floats


@contextmanager
def one_thread() -> Iterator[None]:
    """Let no sum be shared among threads, which would round it differently from run to run."""
    import sklearn.mixture  # noqa: F401 - what is not loaded yet cannot be held back
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def fit(vectors: Vectors, least: int, seed: int) -> GaussianMixtureFit:
    """Fit a mixture of at least so many components, if there are as many distinct vectors.

    The covariances are diagonal: after the reduction the axes are uncorrelated as a whole, and a component of twenty
    members could not tell the 55 numbers of a full one. Of more than SAMPLE vectors, so many are fitted, and the rest
    is placed.

    Parameters
    ----------
    vectors
        Shape (n, d).
    least
        Components; from there on, BIC chooses.
    seed
        Of the sample and the starting points.
    """
    sample = _sample(len(vectors), seed)
    points = _reduced(vectors, sample, seed)
    if points is None:
        return GaussianMixtureFit(np.ones((len(vectors), 1)), np.zeros(len(vectors)))
    fitted = points[sample]
    distinct = len(np.unique(fitted, axis=0))
    model = _best(fitted, _counts(least, distinct), seed)
    return GaussianMixtureFit(model.predict_proba(points), points[:, 0])


def _sample(n: int, seed: int) -> NDArray[np.int64]:
    if n <= SAMPLE:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, SAMPLE, replace=False))


def _reduced(vectors: Vectors, sample: NDArray[np.int64], seed: int) -> Floats | None:
    """The vectors on the axes along which the sample differs most, scaled to a mean variance of 1; None if it does not.

    Rounded, so that equal vectors stay equal.
    """
    from sklearn.decomposition import PCA

    shown = vectors[sample]
    if float(np.ptp(shown, axis=0).max()) < _NO_SPREAD:
        return None
    reduction = PCA(min(DIMENSIONS, len(shown) - 1, vectors.shape[1]), random_state=seed).fit(shown)
    points = np.asarray(reduction.transform(vectors), dtype=np.float64)
    return np.asarray(np.round(points / np.sqrt(points.var(axis=0).mean()), 5))


def _counts(least: int, distinct: int) -> list[int]:
    """The numbers of components to try, rising: up to as many as can have two distinct members each."""
    low = min(least, distinct, MOST_COMPONENTS)
    return [low, *(count for count in _COUNTS if low < count <= min(distinct // 2, MOST_COMPONENTS))]


def _best(points: Floats, counts: list[int], seed: int) -> "GaussianMixture":
    """The mixture with the least BIC; where it has risen twice, no larger count is tried."""
    best = _fitted(points, counts[0], seed)
    least, risen = best.bic(points), 0
    for count in counts[1:]:
        model = _fitted(points, count, seed)
        bic = model.bic(points)
        if bic < least:
            best, least, risen = model, bic, 0
        else:
            risen += 1
        if risen == 2:
            break
    return best


def _fitted(points: Floats, count: int, seed: int) -> "GaussianMixture":
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    model = GaussianMixture(
        count, covariance_type="diag", reg_covar=_LEAST_VARIANCE, max_iter=_ROUNDS, random_state=seed
    )
    with warnings.catch_warnings():
        # Where the rounds end is good enough: what a cluster is does not hang on the last digit.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(points)
