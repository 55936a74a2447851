"""Count a judge's verdicts on two sets of answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from polyadic.evaluation.measures.win_rate import CRITERIA, AnswerPair, PairVerdict
from polyadic.text.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """Counts of verdicts by one criterion.

    Attributes
    ----------
    won, verdicts
        Verdicts that prefer the first set, and all readable verdicts.
    unreadable
        Verdicts that name no winner.
    wins, losses
        Questions on which the first or the second set is preferred in both orders.
    flips
        Questions on which the preference depends on the order, as with a judge that always prefers the first answer.
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
        """Win rate in percent; None without readable verdicts."""
        return 100 * self.won / self.verdicts if self.verdicts else None


@dataclass(frozen=True, slots=True)
class AnswerComparison:
    """Counts by criterion, and the mean answer lengths in tokens, because judges tend to prefer longer answers."""

    counts: tuple[VerdictCount, ...]
    first_tokens: float
    second_tokens: float


def compare(pairs: Sequence[AnswerPair], verdicts: Sequence[PairVerdict]) -> AnswerComparison:
    """Count the verdicts of one judge on at least one pair, by all criteria."""
    return AnswerComparison(
        tuple(count(verdicts, criterion) for criterion in CRITERIA),
        fmean(count_tokens([pair.first for pair in pairs])),
        fmean(count_tokens([pair.second for pair in pairs])),
    )


def count(verdicts: Sequence[PairVerdict], criterion: str) -> VerdictCount:
    """Count the verdicts by one criterion.

    >>> verdicts = [PairVerdict("q", True, (1, 1, 1, 1)), PairVerdict("q", False, (1, 2, None, 2))]
    >>> count(verdicts, "overall").rate, count(verdicts, "comprehensiveness").flips
    (100.0, 1)
    >>> count(verdicts, "empowerment").unreadable
    1
    """
    won = [verdict.won(criterion) for verdict in verdicts]
    both = [sum(pair) for pair in _in_both_orders(verdicts, criterion)]
    readable = len(won) - won.count(None)
    return VerdictCount(
        criterion, won.count(True), readable, won.count(None), both.count(2), both.count(1), both.count(0)
    )


def shares(verdicts: Sequence[PairVerdict], criterion: str) -> list[float]:
    """Return the percentage of won verdicts of each question with a verdict, as the sample for an interval.

    >>> shares([PairVerdict("q", True, (1, 1, 1, 1)), PairVerdict("q", False, (1, 2, 2, 2))], "comprehensiveness")
    [50.0]
    """
    return [100 * fmean(won) for won in _by_question(verdicts, criterion)]


def _in_both_orders(verdicts: Sequence[PairVerdict], criterion: str) -> list[tuple[bool, bool]]:
    return [(won[0], won[1]) for won in _by_question(verdicts, criterion) if len(won) == 2]


def _by_question(verdicts: Sequence[PairVerdict], criterion: str) -> list[list[bool]]:
    """Group the readable verdicts by question."""
    by_question: dict[str, list[bool]] = {}
    for verdict in verdicts:
        won = verdict.won(criterion)
        if won is not None:
            by_question.setdefault(verdict.id, []).append(won)
    return list(by_question.values())
