"""What a measure is: a name, a source, and how an outcome is scored; None where a measure does not apply to it.

There are three kinds, told apart by what scoring takes: nothing further (:class:`Measure`), vectors
(:class:`EmbeddingMeasure`), or a judging language model (:class:`JudgedMeasure`). Two sets of answers are compared by
:mod:`polyadic.evaluation.measures.win_rate`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from polyadic.evaluation.outcome import QuestionOutcome
from polyadic.llm.language_model import ModelRequest

PURPOSE = "judge"
"""What requests of judged measures are for, as ledgers and batch files say it."""


@runtime_checkable
class Measure(Protocol):
    """Scores an outcome by itself.

    Attributes
    ----------
    name
        What it is asked for by, and the head of its column.
    best
        The score of a perfect outcome: 100 for measures of HyperGraphRAG and HiRAG, which print percent, otherwise 1.
    """

    @property
    def name(self) -> str: ...

    @property
    def best(self) -> float: ...

    def score(self, outcome: QuestionOutcome) -> float | None:
        """From 0 to ``best``; None where it does not apply."""
        ...


@runtime_checkable
class EmbeddingMeasure(Protocol):
    """Scores outcomes with an embedder, all at once, since that is faster."""

    @property
    def name(self) -> str: ...

    @property
    def best(self) -> float: ...

    async def scores(self, outcomes: Sequence[QuestionOutcome]) -> list[float | None]:
        """One an outcome, in their order; raises as Embedder.embed does."""
        ...


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One of the scores that a judgement consists of; None where its reply could not be read."""

    name: str
    score: float | None


@dataclass(frozen=True, slots=True)
class JudgedScore:
    """The score of a judged outcome, None where it cannot be told; ``unreadable`` counts replies without a judgement.

    A reply that cannot be read never becomes a number, neither 0 nor the mean of the others.
    """

    score: float | None
    unreadable: int = 0
    parts: tuple[ScorePart, ...] = ()


@runtime_checkable
class JudgedMeasure(Protocol):
    """Scores an outcome by what a language model says of it.

    Asking and reading are apart, so that the requests can be asked at once, or written into a batch file and their
    replies read another day.
    """

    @property
    def name(self) -> str: ...

    @property
    def best(self) -> float: ...

    def requests(self, outcome: QuestionOutcome) -> tuple[ModelRequest, ...]:
        """What has to be asked; nothing where the measure does not apply."""
        ...

    def is_readable(self, reply: str) -> bool:
        """Whether a reply holds a judgement, and is worth remembering."""
        ...

    def read(self, outcome: QuestionOutcome, replies: Sequence[str | None]) -> JudgedScore:
        """The judgement, from one reply a request, in their order; None for a request that got no reply."""
        ...


def scores_of(measure: Measure, outcomes: Iterable[QuestionOutcome]) -> list[float]:
    """The scores of those outcomes that a measure applies to."""
    return [score for outcome in outcomes if (score := measure.score(outcome)) is not None]
