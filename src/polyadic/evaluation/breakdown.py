"""Break scores down by question group: arity, hops, number of gold passages, and the data set's question type."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.scores import ScoreTable

_MOST_GROUPS = 12
_BY: tuple[tuple[str, Callable[[DatasetQuestion], str]], ...] = (
    ("arity", lambda question: str(question.arity or "")),
    ("hops", lambda question: str(question.hops or "")),
    ("gold passages", lambda question: str(len(question.gold) or "")),
    ("kind", lambda question: question.kind),
)


@dataclass(frozen=True)
class ScoreBreakdown:
    """Mean scores by group: ``means[g, m, c]`` for groups, methods and columns; ``sizes`` counts the questions."""

    by: str
    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    means: NDArray[np.float64]


def breakdowns(questions: Sequence[DatasetQuestion], scores: ScoreTable) -> list[ScoreBreakdown]:
    """Compute the breakdowns with 2 to 12 groups."""
    results = []
    for by, group_of in _BY:
        places: dict[str, list[int]] = {}
        for place, question in enumerate(questions):
            if group := group_of(question):
                places.setdefault(group, []).append(place)
        if 2 <= len(places) <= _MOST_GROUPS:
            groups = sorted(places, key=lambda group: (len(group), group) if group.isdecimal() else (99, group))
            means = np.array([scores.means(places[group]) for group in groups])
            results.append(ScoreBreakdown(by, tuple(groups), tuple(len(places[group]) for group in groups), means))
    return results
