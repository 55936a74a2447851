"""Differences between systems, paired by question."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyadic.evaluation.bootstrap import Interval, intervals
from polyadic.evaluation.scores import ScoreTable
from polyadic.evaluation.systems import System


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Mean differences of one system from another (by name), over the questions that both have a score for.

    ``intervals`` has one entry per column of the scores; None without such a question.
    """

    system: str
    other: str
    intervals: tuple[Interval | None, ...]


def differences(systems: Sequence[System], scores: ScoreTable) -> Iterator[PairedDifference]:
    """Compare each variant with its method, and each other method with the first one.

    Parameters
    ----------
    systems
        The systems, in the order of the scores.
    scores
        Scores by system, question and column.
    """
    places = {system.name: place for place, system in enumerate(systems)}
    for place, system in enumerate(systems):
        other = places[system.method] if system.changes else 0
        if other != place:
            paired = (scores.values[place] - scores.values[other]).T
            found = intervals(paired, scores.seed) if paired.shape[1] else [None] * len(paired)
            yield PairedDifference(system.name, systems[other].name, tuple(found))
