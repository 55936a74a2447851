"""Protocols of measures: a measure scores an outcome, or returns None if it does not apply.

There are three protocols, by what scoring requires: nothing further (:class:`Measure`), vectors
(:class:`EmbeddingMeasure`), or a judging language model (:class:`JudgedMeasure`). For comparisons of two sets of
answers see :mod:`polyadic.evaluation.measures.win_rate`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from polyadic.evaluation.question_record import QuestionOutcome
from polyadic.llm.language_model import ModelRequest

PURPOSE = "judge"
"""Purpose of judge requests in the ledger and in batch files."""


@runtime_checkable
class Measure(Protocol):
    """A measure that needs nothing but the outcome.

    Attributes
    ----------
    name
        Name in plans and column headings.
    best
        The score of a perfect outcome: 100 for measures of HyperGraphRAG and HiRAG, which are in percent, otherwise 1.
    """

    @property
    def name(self) -> str: ...

    @property
    def best(self) -> float: ...

    def score(self, outcome: QuestionOutcome) -> float | None:
        """Score an outcome from 0 to ``best``; None if the measure does not apply."""
        ...


@runtime_checkable
class EmbeddingMeasure(Protocol):
    """A measure that needs an embedder; it scores all outcomes in one batch, which is faster."""

    @property
    def name(self) -> str: ...

    @property
    def best(self) -> float: ...

    async def scores(self, outcomes: Sequence[QuestionOutcome]) -> list[float | None]:
        """Return the score of each outcome, in order; raises the errors of ``Embedder.embed``."""
        ...


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One component of a judged score; None if its reply was unreadable."""

    name: str
    score: float | None


@dataclass(frozen=True, slots=True)
class JudgedScore:
    """Score of a judged outcome, or None; ``unreadable`` counts replies without a judgement.

    An unreadable reply never becomes a number, neither 0 nor the mean of the others.
    """

    score: float | None
    unreadable: int = 0
    parts: tuple[ScorePart, ...] = ()


@runtime_checkable
class JudgedMeasure(Protocol):
    """A measure that needs a judging language model.

    Requests and parsing are separate, so that requests can be sent concurrently or written to a batch file whose
    replies arrive later.
    """

    @property
    def name(self) -> str: ...

    @property
    def best(self) -> float: ...

    def requests(self, outcome: QuestionOutcome) -> tuple[ModelRequest, ...]:
        """Return the requests to send; none if the measure does not apply."""
        ...

    def is_readable(self, reply: str) -> bool:
        """Whether a reply holds a judgement and is worth caching."""
        ...

    def read(self, outcome: QuestionOutcome, replies: Sequence[str | None]) -> JudgedScore:
        """Compute the judgement from one reply per request, in order; None for a missing reply."""
        ...


def scores_of(measure: Measure, outcomes: Iterable[QuestionOutcome]) -> list[float]:
    """Return the scores of the outcomes to which a measure applies."""
    return [score for outcome in outcomes if (score := measure.score(outcome)) is not None]
