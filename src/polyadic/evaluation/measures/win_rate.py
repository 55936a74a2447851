"""Win rate: which of two answers to a question a judge prefers, with each pair shown in both orders."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from polyadic.errors import NotFound
from polyadic.evaluation.measures.judge import indented, prompt_name, read_winners
from polyadic.evaluation.measures.measure import PURPOSE
from polyadic.evaluation.question_record import QuestionOutcome
from polyadic.llm.language_model import ModelRequest, ReplySchema
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.text.tokens import count_tokens

CRITERIA = ("comprehensiveness", "diversity", "empowerment", "overall")

_WINNER = {
    "type": "object",
    "properties": {"winner": {"type": "string", "enum": ["Answer 1", "Answer 2"]}, "reason": {"type": "string"}},
    "required": ["winner", "reason"],
    "additionalProperties": False,
}
_VERDICT = ReplySchema(
    "comparison",
    {
        "type": "object",
        "properties": dict.fromkeys(CRITERIA, _WINNER),
        "required": list(CRITERIA),
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """A question (id and text) with the answers of the first and the second set."""

    id: str
    question: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """Verdict of a judge on a pair in one order: for each of CRITERIA 1 or 2, as shown, or None if unreadable.

    ``in_order`` is True if the answer of the first set was shown as Answer 1.
    """

    id: str
    in_order: bool
    winners: tuple[int | None, ...]

    def won(self, criterion: str) -> bool | None:
        """Whether the answer of the first set was preferred.

        >>> PairVerdict("q", False, (1, 2, None, 2)).won("diversity")
        True
        """
        winner = self.winners[CRITERIA.index(criterion)]
        return None if winner is None else (winner == 1) == self.in_order


class WinRate:
    """Percentage of readable verdicts, over both orders, that prefer the answer of the first set.

    Source: HiRAG (arXiv 2503.10150), Table 1, after LightRAG, with our own prompt. One call gives the verdicts on all
    of CRITERIA. :mod:`polyadic.evaluation.measures.win_rate` counts the verdicts.
    """

    name = "win-rate"
    best = 100.0

    def __init__(self, prompts: PromptLibrary) -> None:
        self._prompt = prompts.get(prompt_name("comparison"))

    def requests(self, pair: AnswerPair) -> tuple[ModelRequest, ModelRequest]:
        """Return the request with the pair in order, and the one with the answers swapped."""
        return self._request(pair.question, pair.first, pair.second), self._request(
            pair.question, pair.second, pair.first
        )

    def is_readable(self, reply: str) -> bool:
        """Whether a reply names a winner for every criterion."""
        return None not in read_winners(reply, CRITERIA)

    def read(self, pair: AnswerPair, replies: Sequence[str | None]) -> tuple[PairVerdict, PairVerdict]:
        """Parse the verdicts from the replies to both requests, in order; None for a missing reply."""
        in_order, swapped = (read_winners(reply or "", CRITERIA) for reply in replies)
        return PairVerdict(pair.id, True, in_order), PairVerdict(pair.id, False, swapped)

    def _request(self, question: str, one: str, two: str) -> ModelRequest:
        shown = self._prompt.messages(question=indented(question), first=indented(one), second=indented(two))
        return ModelRequest(PURPOSE, shown, _VERDICT)


def pairs(first: Sequence[QuestionOutcome], second: Sequence[QuestionOutcome]) -> list[AnswerPair]:
    """Pair the answers of two sets by question id, in the order of the first set.

    Raises
    ------
    NotFound
        A question has an answer in one of the sets only.
    """
    answers, others = dict(_answers(first)), dict(_answers(second))
    if unpaired := answers.keys() ^ others.keys():
        which = "first" if min(unpaired) in answers else "second"
        raise NotFound(
            f"question {min(unpaired)} has an answer in the {which} set only ({len(unpaired)} such questions)",
            "compare answers to the same questions",
        )
    questions = {outcome.question.id: outcome.question.text for outcome in first}
    return [AnswerPair(id, questions[id], answer, others[id]) for id, answer in answers.items()]


def _answers(outcomes: Sequence[QuestionOutcome]) -> Iterator[tuple[str, str]]:
    return ((outcome.question.id, outcome.answer) for outcome in outcomes if outcome.answer is not None)


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
