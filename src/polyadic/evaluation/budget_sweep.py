"""Compare methods across several token budgets, including their answers.

Source: HyperGraphRAG v3 (arXiv 2503.21322v3), Figure 6b.
"""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.journal import RecordJournal
from polyadic.evaluation.plan import EvalPlan
from polyadic.evaluation.score_table import Outcomes, ScoreColumn, ScoreTable

SHOWN = ("recall@5", "f1", "r-s")
"""Measures that are shown by budget."""


@dataclass(frozen=True)
class BudgetSweep:
    """Mean scores ``means[m, b, c]`` by method, budget and column, and mean context tokens ``tokens[m, b]``."""

    budgets: tuple[int, ...]
    columns: tuple[ScoreColumn, ...]
    means: NDArray[np.float64]
    tokens: NDArray[np.float64]

    def shown(self) -> Iterator[tuple[ScoreColumn, NDArray[np.float64]]]:
        """Yield the columns that are shown, each with its means by method and budget."""
        for place, column in enumerate(self.columns):
            means = self.means[:, :, place]
            if column.name in SHOWN and not np.isnan(means).all():
                yield column, means


async def swept(
    questions: Sequence[DatasetQuestion],
    plan: EvalPlan,
    journal: RecordJournal,
    measured: Callable[[Outcomes], Coroutine[Any, Any, ScoreTable]],
) -> BudgetSweep | None:
    """Score the journal's records by token budget; None if the plan has a single budget.

    Parameters
    ----------
    measured
        Scores outcomes, one row per method and budget.
    """
    budgets = tuple(sorted({plan.context_tokens, *plan.budgets}))
    if len(budgets) == 1:
        return None
    labels = [plan.label(method, budget) for method in plan.names for budget in budgets]
    rows = [[journal.get(question.id, label) for question in questions] for label in labels]
    outcomes = [
        [record.outcome(q) if record else None for record, q in zip(row, questions, strict=True)] for row in rows
    ]
    scores = await measured(outcomes)
    shape = (len(plan.names), len(budgets))
    means = scores.means(range(len(questions))).reshape(*shape, len(scores.columns))
    tokens = [fmean([record.tokens for record in row if record] or [np.nan]) for row in rows]
    return BudgetSweep(budgets, scores.columns, means, np.array(tokens).reshape(shape))
