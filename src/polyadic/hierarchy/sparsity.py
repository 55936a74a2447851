"""Cluster sparsity, which says when further layers bring nothing new (HiRAG, Eq. 17)."""

from collections.abc import Sequence

FEWEST = 3
"""A layer of fewer members is not summed up."""


def sparsity(own_sizes: Sequence[int]) -> float:
    """The share of pairs of members that are in different clusters, in [0, 1]; 0 for fewer than two members.

    Each member counts where it is most likely, and nowhere else: with soft membership pairs would count more than
    once, and the share could become negative.

    >>> sparsity([2, 2]), sparsity([4])
    (0.6666666666666667, 0.0)
    """
    members = sum(own_sizes)
    if members < 2:
        return 0.0
    return 1 - sum(size * (size - 1) for size in own_sizes) / (members * (members - 1))


def goes_on(sparsities: Sequence[float], change: float) -> bool:
    """Whether the clusters that were found last are to be summed up into a further layer.

    Parameters
    ----------
    sparsities
        Of the clusters of each layer, from layer 0 up to those in question.
    change
        Epsilon: the sparsity must have changed by more than this, relative to that of the layer below. The first
        layer is always made, and none follows where all were one cluster.

    >>> goes_on([0.99], 0.05), goes_on([0.99, 0.8], 0.05), goes_on([0.99, 0.98], 0.05), goes_on([0.9, 0.0], 0.05)
    (True, True, False, False)
    """
    if not sparsities:
        return False
    if len(sparsities) == 1:
        return True
    former, last = sparsities[-2:]
    return former > 0 and last > 0 and abs(last - former) / former > change
