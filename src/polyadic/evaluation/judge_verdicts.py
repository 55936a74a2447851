"""What a judge's verdicts on two sets of answers come to."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from polyadic.evaluation.measures.win_rate import CRITERIA, AnswerPair, PairVerdict
from polyadic.text.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """The verdicts by one criterion.

    ``won`` of ``verdicts`` prefer the first set; ``unreadable`` name no winner, and count as neither. Of the questions
    with a verdict in both orders, ``wins`` go to the first set in both, ``losses`` to the second in both, and in
    ``flips`` the order decides: a judge that prefers whatever comes first flips always.
    """

    criterion: str
    won: int
    verdicts: int
    unreadable: int
    wins: int
    flips: int
    losses: int

    @property
    def rate(self) -> float | None:
        """In percent; None where no verdict can be read."""
        return 100 * self.won / self.verdicts if self.verdicts else None


@dataclass(frozen=True, slots=True)
class AnswerComparison:
    """Counts by criterion, and beside them the mean tokens of the answers of both sets: judges like length."""

    counts: tuple[VerdictCount, ...]
    first_tokens: float
    second_tokens: float


def compare(pairs: Sequence[AnswerPair], verdicts: Sequence[PairVerdict]) -> AnswerComparison:
    """All that can be said of the verdicts of one judge on these pairs; there is at least one pair."""
    return AnswerComparison(
        tuple(count(verdicts, criterion) for criterion in CRITERIA),
        fmean(count_tokens([pair.first for pair in pairs])),
        fmean(count_tokens([pair.second for pair in pairs])),
    )


def count(verdicts: Sequence[PairVerdict], criterion: str) -> VerdictCount:
    """The verdicts by one criterion.

    >>> said = [PairVerdict("q", True, (1, 1, 1, 1)), PairVerdict("q", False, (1, 2, None, 2))]
    >>> count(said, "overall").rate, count(said, "comprehensiveness").flips, count(said, "empowerment").unreadable
    (100.0, 1, 1)
    """
    won = [verdict.won(criterion) for verdict in verdicts]
    both = [sum(pair) for pair in _in_both_orders(verdicts, criterion)]
    readable = len(won) - won.count(None)
    return VerdictCount(
        criterion, won.count(True), readable, won.count(None), both.count(2), both.count(1), both.count(0)
    )


def shares(verdicts: Sequence[PairVerdict], criterion: str) -> list[float]:
    """For each question with a verdict, the percentage of its verdicts that were won: what an interval is drawn from.

    >>> shares([PairVerdict("q", True, (1, 1, 1, 1)), PairVerdict("q", False, (1, 2, 2, 2))], "comprehensiveness")
    [50.0]
    """
    return [100 * fmean(won) for won in _by_question(verdicts, criterion)]


def _in_both_orders(verdicts: Sequence[PairVerdict], criterion: str) -> list[tuple[bool, bool]]:
    return [(won[0], won[1]) for won in _by_question(verdicts, criterion) if len(won) == 2]


def _by_question(verdicts: Sequence[PairVerdict], criterion: str) -> list[list[bool]]:
    """What can be read of the verdicts on each question."""
    found: dict[str, list[bool]] = {}
    for verdict in verdicts:
        won = verdict.won(criterion)
        if won is not None:
            found.setdefault(verdict.id, []).append(won)
    return list(found.values())
