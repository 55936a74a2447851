"""Assign facts to the communities of a level."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyadic.model.types import Fact
from polyadic.storage.protocol import Links, Rows

TOKENS_OF_A_LINE = 5
"""Tokens added to a fact in a prompt: its number and the line break."""


def assigned(links: Links, degrees: NDArray[np.float64], home: Rows, facts: int) -> Rows:
    """Assign each fact to the community with the greatest weight of its entities.

    An entity weighs the inverse of its degree, because rare entities say more about the topic of a fact. Ties go to the
    community with the smaller number.

    Parameters
    ----------
    links
        Links from facts to entities.
    degrees
        Number of facts of each entity.
    home
        Community of each entity on this level, -1 for none.
    facts
        Number of facts.

    Returns
    -------
    array of shape (facts,)
        Community of each fact; -1 if none of its entities is in a community.

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
    # The last assignment wins: the strongest, ties by the smaller number.
    order = np.lexsort((-pairs, pulls))
    belongs[pairs[order] // width] = pairs[order] % width
    return belongs


def within(rows: Sequence[int], facts: Sequence[Fact], most: int) -> list[int]:
    """Take fact rows from the start within a budget of ``most`` tokens; at least the first one."""
    chosen: list[int] = []
    for row in rows:
        most -= facts[row].tokens + TOKENS_OF_A_LINE
        if chosen and most < 0:
            break
        chosen.append(row)
    return chosen
