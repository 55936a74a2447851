"""Reduce the dimensions of vectors, so that Gaussian mixtures can be fitted to them."""

import warnings
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.protocol import Vectors

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

Reduction = Literal["pca", "umap", "umap-unseeded"]
"""PCA; UMAP with a random seed; UMAP without one, as in RAPTOR, so that each run has another result."""

DIMENSIONS = 10
_LOCAL_NEIGHBORS = 10
_MIN_RANGE = 1e-6


def reduced(vectors: Vectors, sample: Places, seed: int, reduction: Reduction, is_local: bool) -> Floats | None:
    """Reduce vectors to DIMENSIONS coordinates, or fewer, with mean variance 1.

    The result of PCA is rounded, so that equal vectors stay equal. UMAP needs more than DIMENSIONS + 1 vectors; fewer
    are reduced by PCA.

    Parameters
    ----------
    vectors
        Shape (n, d).
    sample
        Rows that determine the principal axes. UMAP is fitted to all rows.
    seed
        Random seed.
    reduction
        PCA or UMAP.
    is_local
        Whether the vectors are those of a cluster, which UMAP reduces with fewer neighbours.

    Returns
    -------
    array or None
        Shape (n, at most DIMENSIONS); None if the vectors of the sample are equal.
    """
    if float(np.ptp(vectors[sample], axis=0).max()) < _MIN_RANGE:
        return None
    if reduction == "pca" or len(vectors) <= DIMENSIONS + 1:
        points = _principal(vectors, sample, seed)
    else:
        points = _umap(vectors, None if reduction == "umap-unseeded" else seed, is_local)
    return np.asarray(np.round(points / np.sqrt(points.var(axis=0).mean()), 5))


def _principal(vectors: Vectors, sample: Places, seed: int) -> Floats:
    from sklearn.decomposition import PCA

    axes = PCA(min(DIMENSIONS, len(sample) - 1, vectors.shape[1]), random_state=seed).fit(vectors[sample])
    return np.asarray(axes.transform(vectors), dtype=np.float64)


def _umap(vectors: Vectors, seed: int | None, is_local: bool) -> Floats:
    """Reduce with the numbers of neighbours that RAPTOR's program uses, globally and locally."""
    from umap import UMAP

    neighbors = _LOCAL_NEIGHBORS if is_local else int((len(vectors) - 1) ** 0.5)
    # One thread, because with a seed UMAP allows no more.
    model = UMAP(n_neighbors=neighbors, n_components=DIMENSIONS, metric="cosine", random_state=seed, n_jobs=1)
    with warnings.catch_warnings():
        # That a neighbourhood graph falls into parts, as of well separated vectors, is no defect.
        warnings.simplefilter("ignore")
        return np.asarray(model.fit_transform(vectors), dtype=np.float64)
