"""Cluster a layer by Gaussian mixtures with soft membership, splitting large clusters again (HiRAG, RAPTOR)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.clustering import gmm
from polyadic.clustering.dimension_reduction import DIMENSIONS, Floats, Places, Reduction
from polyadic.storage.protocol import Vectors

FEWEST = 2
_MIN_LIMIT = 3
_MAX_DEPTH = 12
"""Maximum depth of nested mixtures, after which large groups are cut evenly; a depth of four is common."""
_RAPTOR_STAGES = 2

_EMPTY: Places = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class SoftCluster:
    """A cluster as sorted row indices; ``own`` are the members whose most likely cluster is this one."""

    members: tuple[int, ...]
    own: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows of a group, and further rows with soft membership.

    ``likely`` has the membership probabilities: of the own rows, then of the further ones.
    """

    own: Places
    further: Places
    likely: Floats
    depth: int

    @property
    def size(self) -> int:
        return len(self.own) + len(self.further)


def cluster(
    vectors: Vectors,
    most_members: int,
    soft_above: float,
    seed: int,
    raptor: bool = False,
    reduction: Reduction = "pca",
) -> list[SoftCluster]:
    """Cluster vectors by a Gaussian mixture, and split clusters that are too large by further mixtures.

    Every row is an own member of exactly one cluster, and every cluster has at least two own members. Further (soft)
    members have a probability of at least ``soft_above``; the most likely ones are added while the cluster has room. A
    group that a mixture cannot separate is cut evenly. The same vectors and seed give identical clusters, unless UMAP
    is used without a seed.

    Parameters
    ----------
    vectors
        Shape (n, d).
    most_members
        Maximum number of members of a cluster; 2 counts as 3, because three rows cannot be cut into pairs.
    soft_above
        Minimum probability of a soft membership, in (0, 1).
    seed
        Random seed.
    raptor
        Cluster in two stages, as RAPTOR does: all rows, then the members of each cluster. The mixtures are those of
        RAPTOR as well (see ``gmm.fit``).
    reduction
        How to reduce the dimensions of the vectors before a mixture is fitted.

    Returns
    -------
    list of SoftCluster
        Sorted by members; empty for fewer than two vectors.

    >>> [grouping.own for grouping in cluster(np.eye(2, dtype=np.float32)[[0, 0, 1, 1]], 3, 0.1, seed=0)]
    [(0, 1), (2, 3)]
    """
    if len(vectors) < FEWEST:
        return []
    most = max(most_members, _MIN_LIMIT)
    found: list[SoftCluster] = []
    queue = [_Group(np.arange(len(vectors)), _EMPTY, np.ones(len(vectors)), 0)]
    with gmm.one_thread():
        while queue:
            for group in _split(queue.pop(), vectors, most, soft_above, seed, raptor, reduction):
                is_local = raptor and group.depth < _RAPTOR_STAGES and group.size > DIMENSIONS + 1
                if len(group.own) > most or is_local:
                    queue.append(group)
                else:
                    found.append(_soft_cluster(group, most))
    return sorted(found, key=lambda grouping: (grouping.members, grouping.own))


def _soft_cluster(group: _Group, most: int) -> SoftCluster:
    likeliest = np.argsort(-group.likely[len(group.own) :], kind="stable")
    further = group.further[likeliest[: most - len(group.own)]]
    return SoftCluster(tuple(np.union1d(group.own, further).tolist()), tuple(group.own.tolist()))


def _split(
    group: _Group, vectors: Vectors, most: int, soft_above: float, seed: int, raptor: bool, reduction: Reduction
) -> list[_Group]:
    """Split a group by one mixture, or evenly if the mixture leaves it whole and too large."""
    own = len(group.own)
    if group.depth == _MAX_DEPTH:
        return _evenly(group.own, np.zeros(own), most)
    places = np.concatenate([group.own, group.further])
    found = gmm.fit(vectors[places], -(-own // most), seed, raptor, reduction, is_local=group.depth > 0)
    labels = _labels(found.posteriors[:own])
    labels_used = np.unique(labels)
    if len(labels_used) == 1 and own > most:
        return _evenly(group.own, found.along[:own], most)
    # RAPTOR compares the probabilities of each stage with the threshold, not their product.
    likely = found.posteriors if raptor else found.posteriors * group.likely[:, None]
    return [_part(group, places, labels == label, likely[:, label], soft_above) for label in labels_used]


def _labels(posteriors: Floats) -> Places:
    """Most likely component of each row; a row that would be alone gets the most likely shared one."""
    labels = posteriors.argmax(axis=1)
    sizes = np.bincount(labels, minlength=posteriors.shape[1])
    alone = sizes[labels] < FEWEST
    if alone.all():
        return np.zeros(len(labels), dtype=np.int64)
    shared = np.where(sizes >= FEWEST, posteriors, -1.0)
    return np.asarray(np.where(alone, shared.argmax(axis=1), labels))


def _part(group: _Group, places: Places, here: NDArray[np.bool_], likely: Floats, soft_above: float) -> _Group:
    """Build the group of one component: its own rows, and other rows that are likely enough."""
    others = likely >= soft_above
    others[: len(here)] &= ~here
    weights = np.concatenate([likely[: len(here)][here], likely[others]])
    return _Group(group.own[here], places[others], weights, group.depth + 1)


def _evenly(own: Places, along: Floats, most: int) -> list[_Group]:
    """Cut a group into parts of equal size along the first axis; ties in row order."""
    order = own[np.argsort(along, kind="stable")]
    parts = np.array_split(order, -(-len(order) // most))
    return [_Group(np.sort(part), _EMPTY, np.ones(len(part)), _MAX_DEPTH) for part in parts]
