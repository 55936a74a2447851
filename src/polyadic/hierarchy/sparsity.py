"""Cluster sparsity, the stopping criterion for layers (HiRAG, Eq. 17)."""

from collections.abc import Sequence

FEWEST = 3
"""Minimum number of members of a layer that is summarized."""


def sparsity(sizes: Sequence[int], members: int) -> float:
    """Compute the share of pairs of members that are in different clusters; 0 for fewer than two members.

    If clusters do not overlap, the share is in [0, 1]. With soft membership, pairs count more than once, and it can
    become negative.

    Parameters
    ----------
    sizes
        Number of members of each cluster.
    members
        Number of members of the layer.

    >>> sparsity([2, 2], 4), sparsity([4], 4), sparsity([4, 3], 4)
    (0.6666666666666667, 0.0, -0.5)
    """
    if members < 2:
        return 0.0
    return 1 - sum(size * (size - 1) for size in sizes) / (members * (members - 1))


def goes_on(sparsities: Sequence[float], change: float) -> bool:
    """Return whether to summarize the last clusters into another layer.

    Parameters
    ----------
    sparsities
        Sparsity of each layer, from layer 0 up to the last one.
    change
        Epsilon: minimum relative change of the sparsity from the layer below. The first layer is always built, and
        none follows a layer with a single cluster.

    >>> goes_on([0.99], 0.05), goes_on([0.99, 0.8], 0.05), goes_on([0.99, 0.98], 0.05), goes_on([0.9, 0.0], 0.05)
    (True, True, False, False)
    """
    if not sparsities:
        return False
    if len(sparsities) == 1:
        return True
    former, last = sparsities[-2:]
    return former > 0 and last > 0 and abs(last - former) / former > change
