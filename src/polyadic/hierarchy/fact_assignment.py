"""Which community of a level each fact belongs to: the one of those that it is most about."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyadic.model.types import Fact
from polyadic.storage.protocol import Links, Rows

TOKENS_OF_A_LINE = 5
"""What stands around a fact where it is told: its number, and the end of the line."""


def assigned(links: Links, degrees: NDArray[np.float64], home: Rows, facts: int) -> Rows:
    """The community of each fact, shape (facts,); -1 where none of what it connects is in one.

    A participant that is in few facts says more about what a fact is about than one that is in many, so each counts
    by the inverse of that; of as much, the community with the smaller number has it.

    Parameters
    ----------
    links
        Facts and their entities.
    degrees
        In how many facts each entity takes part.
    home
        The community of each entity on this level, -1 for none.
    facts
        How many there are.

    >>> links = Links(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2]))
    >>> assigned(links, np.array([9.0, 2.0, 1.0]), np.array([0, 1, -1]), 3).tolist()
    [1, 1, -1]
    """
    belongs = np.full(facts, -1, dtype=np.int64)
    placed = home[links.targets] >= 0
    if not placed.any():
        return belongs
    sources, targets = links.sources[placed], links.targets[placed]
    width = int(home.max()) + 1
    pairs, inverse = np.unique(sources * width + home[targets], return_inverse=True)
    pulls = np.bincount(inverse, 1 / degrees[targets])
    # The last one that is written stays: the strongest, of as strong ones the first.
    order = np.lexsort((-pairs, pulls))
    belongs[pairs[order] // width] = pairs[order] % width
    return belongs


def within(rows: Sequence[int], facts: Sequence[Fact], most: int) -> list[int]:
    """As many of the facts (by row), from the first, as have so many tokens together; the first in any case."""
    chosen: list[int] = []
    for row in rows:
        most -= facts[row].tokens + TOKENS_OF_A_LINE
        if chosen and most < 0:
            break
        chosen.append(row)
    return chosen
