"""Group pairs by complete linkage: every two members of a group are a scored pair."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

Pair = tuple[int, int]


def groups(scores: Mapping[Pair, float], least: float) -> list[tuple[int, ...]]:
    """Group by complete linkage, starting with the highest scores; each group is sorted and has at least two members.

    Parameters
    ----------
    scores
        Scores of pairs, the smaller index first.
    least
        Minimum score of every pair within a group.

    Examples
    --------
    >>> chain = {(0, 1): 0.99, (1, 2): 0.95}
    >>> groups(chain, 0.9), groups(chain | {(0, 2): 0.92}, 0.9)
    ([(0, 1)], [(0, 1, 2)])
    """
    group_of: dict[int, frozenset[int]] = defaultdict(frozenset)
    for pair in _best_first(scores, least):
        one, other = (group_of[row] or frozenset((row,)) for row in pair)
        if one is other:
            continue
        new_pairs = [(min(a, b), max(a, b)) for a in one for b in other]
        if all(scores.get(each, 0.0) >= least for each in new_pairs):
            for row in one | other:
                group_of[row] = one | other
    return sorted({tuple(sorted(group)) for group in group_of.values() if len(group) > 1})


def _best_first(scores: Mapping[Pair, float], least: float) -> Iterable[Pair]:
    ordered = [(-score, pair) for pair, score in scores.items() if score >= least]
    return [pair for _, pair in sorted(ordered)]
