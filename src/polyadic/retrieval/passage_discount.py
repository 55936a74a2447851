"""Order facts so that those of one passage do not crowd out others."""

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.protocol import Reader, Rows, Vectors


def discounted_order(facts: Rows, scores: Vectors, discount: float, reader: Reader) -> NDArray[np.intp]:
    """Order facts by score, multiplied by ``discount`` for each better fact of the same passage.

    A passage's next fact partly repeats the one before, and tokens are scarce. With a discount of 1, the order is that
    of the scores.
    """
    order = np.argsort(-scores, kind="stable")
    if discount == 1:
        return order
    passages = reader.links("fact_chunks", facts[order], 1).targets
    discounted = np.maximum(scores[order], 0).astype(np.float64) * discount ** _times_before(passages)
    return order[np.argsort(-discounted, kind="stable")]


def _times_before(values: Rows) -> Rows:
    """Return how often each value has occurred before its position.

    >>> _times_before(np.array([5, 4, 5, 5])).tolist()
    [0, 0, 1, 2]
    """
    together = np.argsort(values, kind="stable")
    ordered = values[together]
    times = np.empty(len(values), dtype=np.int64)
    times[together] = np.arange(len(values)) - ordered.searchsorted(ordered)
    return times
