"""Break scores down by question group: arity, hops, number of gold passages, and the data set's question type."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.score_table import ScoreTable

_MOST_GROUPS = 12
ARITY = "arity"
_BY: tuple[tuple[str, Callable[[DatasetQuestion], str]], ...] = (
    ("hops", lambda question: str(question.hops or "")),
    ("gold passages", lambda question: str(len(question.gold) or "")),
    ("kind", lambda question: question.kind),
)
_BINARY, _N_ARY, _LAST_ARITY = 2, "n-ary (3 or more)", 10

_Places = dict[str, list[int]]


@dataclass(frozen=True)
class ScoreBreakdown:
    """Mean scores by group: ``means[g, m, c]`` for groups, methods and columns; ``sizes`` counts the questions.

    Groups may overlap: by arity, all n-ary questions also form one group.
    """

    by: str
    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    means: NDArray[np.float64]


def breakdowns(questions: Sequence[DatasetQuestion], scores: ScoreTable) -> list[ScoreBreakdown]:
    """Compute the breakdown by arity, if the data set has arities, and the others with 2 to 12 groups."""
    by_arity = _arities(questions)
    results = [_breakdown(ARITY, by_arity, scores)] if by_arity else []
    for by, group_of in _BY:
        places: _Places = {}
        for place, question in enumerate(questions):
            if group := group_of(question):
                places.setdefault(group, []).append(place)
        if 2 <= len(places) <= _MOST_GROUPS:
            groups = sorted(places, key=lambda group: (len(group), group) if group.isdecimal() else (99, group))
            results.append(_breakdown(by, {group: places[group] for group in groups}, scores))
    return results


def _arities(questions: Sequence[DatasetQuestion]) -> _Places:
    """Group questions by arity, high arities together; the last group pools all n-ary questions."""
    known = sorted((question.arity, place) for place, question in enumerate(questions) if question.arity)
    groups: _Places = {}
    for arity, place in known:
        group = str(arity) if arity < _LAST_ARITY else f"{_LAST_ARITY} or more"
        groups.setdefault(group, []).append(place)
    if n_ary := [place for arity, place in known if arity > _BINARY]:
        groups[_N_ARY] = sorted(n_ary)
    return groups


def _breakdown(by: str, groups: _Places, scores: ScoreTable) -> ScoreBreakdown:
    means = np.array([scores.means(places) for places in groups.values()])
    return ScoreBreakdown(by, tuple(groups), tuple(map(len, groups.values())), means)
