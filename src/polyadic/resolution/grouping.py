"""From pairs to groups that may be merged: every two of a group are a pair, nobody is in by a friend of a friend."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

Pair = tuple[int, int]


def groups(scores: Mapping[Pair, float], least: float) -> list[tuple[int, ...]]:
    """Groups by complete linkage, the surest pairs first; each group sorted, none of one alone.

    Parameters
    ----------
    scores
        Of pairs, the smaller part first.
    least
        Every pair within a group has this score at least.

    Examples
    --------
    >>> chain = {(0, 1): 0.99, (1, 2): 0.95}
    >>> groups(chain, 0.9), groups(chain | {(0, 2): 0.92}, 0.9)
    ([(0, 1)], [(0, 1, 2)])
    """
    of: dict[int, frozenset[int]] = defaultdict(frozenset)
    for pair in _best_first(scores, least):
        one, other = (of[row] or frozenset((row,)) for row in pair)
        if one is other:
            continue
        joining = [(min(a, b), max(a, b)) for a in one for b in other]
        if all(scores.get(each, 0.0) >= least for each in joining):
            for row in one | other:
                of[row] = one | other
    return sorted({tuple(sorted(group)) for group in of.values() if len(group) > 1})


def _best_first(scores: Mapping[Pair, float], least: float) -> Iterable[Pair]:
    sure = [(-score, pair) for pair, score in scores.items() if score >= least]
    return [pair for _, pair in sorted(sure)]
