"""What is alike in one layer: Gaussian mixtures with soft membership, what is too large split again (HiRAG, RAPTOR)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.hierarchy import gmm
from polyadic.storage.protocol import Vectors

FEWEST = 2
_LEAST_BOUND = 3
_DEPTH = 12
"""Mixtures within mixtures, after which what is still too large is cut: four are common, and it has to end."""

Places = NDArray[np.int64]

_NOTHING: Places = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class SoftCluster:
    """A cluster: places in the vectors, sorted; ``own`` are those members that are more likely here than elsewhere."""

    members: tuple[int, ...]
    own: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """Some places that are alike, and further ones that may belong there as well.

    ``likely`` says how likely each belongs here: the own ones, then the further ones.
    """

    own: Places
    further: Places
    likely: gmm.Floats
    depth: int


def cluster(vectors: Vectors, most_members: int, soft_above: float, seed: int) -> list[SoftCluster]:
    """Group vectors by a Gaussian mixture, and what is still too large by further ones.

    Every place is in exactly one ``own``, which holds two places or more; further memberships are those with a
    probability of at least ``soft_above``, as far as the cluster has room. Where a mixture finds nothing to tell its
    vectors apart, they are cut evenly. The same vectors and seed give the same groups, bit for bit.

    Parameters
    ----------
    vectors
        Shape (n, d).
    most_members
        Of a cluster; 2 counts as 3, for three cannot be cut into pairs.
    soft_above
        Least probability of a further membership, in (0, 1).
    seed
        Of all that is drawn.

    Returns
    -------
    list of Grouping
        In the order of their members; empty for fewer than two vectors.

    >>> [grouping.own for grouping in cluster(np.eye(2, dtype=np.float32)[[0, 0, 1, 1]], 3, 0.1, seed=0)]
    [(0, 1), (2, 3)]
    """
    if len(vectors) < FEWEST:
        return []
    most = max(most_members, _LEAST_BOUND)
    found: list[SoftCluster] = []
    waiting = [_Group(np.arange(len(vectors)), _NOTHING, np.ones(len(vectors)), 0)]
    with gmm.one_thread():
        while waiting:
            for group in _split(waiting.pop(), vectors, most, soft_above, seed):
                if len(group.own) > most:
                    waiting.append(group)
                else:
                    found.append(_grouping(group, most))
    return sorted(found, key=lambda grouping: (grouping.members, grouping.own))


def _grouping(group: _Group, most: int) -> SoftCluster:
    likeliest = np.argsort(-group.likely[len(group.own) :], kind="stable")
    further = group.further[likeliest[: most - len(group.own)]]
    return SoftCluster(tuple(np.union1d(group.own, further).tolist()), tuple(group.own.tolist()))


def _split(group: _Group, vectors: Vectors, most: int, soft_above: float, seed: int) -> list[_Group]:
    """The groups of one mixture; those of an even cut where it leaves one group that is too large."""
    own = len(group.own)
    if group.depth == _DEPTH:
        return _evenly(group.own, np.zeros(own), most)
    places = np.concatenate([group.own, group.further])
    found = gmm.fit(vectors[places], -(-own // most), seed)
    labels = _labels(found.posteriors[:own])
    kinds = np.unique(labels)
    if len(kinds) == 1 and own > most:
        return _evenly(group.own, found.along[:own], most)
    likely = found.posteriors * group.likely[:, None]
    return [_part(group, places, labels == kind, likely[:, kind], soft_above) for kind in kinds]


def _labels(posteriors: gmm.Floats) -> Places:
    """The likeliest component of each place; of one that would be alone there, the likeliest where it is not."""
    labels = posteriors.argmax(axis=1)
    sizes = np.bincount(labels, minlength=posteriors.shape[1])
    alone = sizes[labels] < FEWEST
    if alone.all():
        return np.zeros(len(labels), dtype=np.int64)
    shared = np.where(sizes >= FEWEST, posteriors, -1.0)
    return np.asarray(np.where(alone, shared.argmax(axis=1), labels))


def _part(group: _Group, places: Places, here: NDArray[np.bool_], likely: gmm.Floats, soft_above: float) -> _Group:
    """The own places of a group that lie here, and all other places of it that are likely enough to."""
    others = likely >= soft_above
    others[: len(here)] &= ~here
    weights = np.concatenate([likely[: len(here)][here], likely[others]])
    return _Group(group.own[here], places[others], weights, group.depth + 1)


def _evenly(own: Places, along: gmm.Floats, most: int) -> list[_Group]:
    """Parts of equal size, of what lies side by side; ties in the order of the places."""
    order = own[np.argsort(along, kind="stable")]
    parts = np.array_split(order, -(-len(order) // most))
    return [_Group(np.sort(part), _NOTHING, np.ones(len(part)), _DEPTH) for part in parts]
