"""Result tables of ``polyadic eval``: methods by measures, split to fit the terminal."""

import shutil
from collections.abc import Iterator, Sequence

import numpy as np

from polyadic.cli.common import say, spent
from polyadic.evaluation.bootstrap import Interval
from polyadic.evaluation.budget_sweep import BudgetSweep
from polyadic.evaluation.report_tables import score_text, signed_score_text
from polyadic.evaluation.results import EvaluationResults, HeadToHead
from polyadic.evaluation.score_table import ScoreColumn
from polyadic.model.types import Usage
from polyadic.text.counts import count

_FAILURES_SHOWN = 20
_GAP = "  "


def print_results(results: EvaluationResults) -> None:
    """Print the tables to standard output and failures to standard error."""
    plan = results.plan
    say(
        f"{results.dataset}: {count(len(results.questions), 'question')}, at most {plan.context_tokens:,} tokens each",
        bold=True,
    )
    columns = [_method_names(results), *_score_columns(results), *_cost_columns(results)]
    width = shutil.get_terminal_size((100, 24)).columns
    for part in _fitting(columns, width):
        say()
        _print_table(part)
    say("in brackets: 95 % bootstrap confidence interval of the mean over the questions")
    if results.sweep:
        _print_by_budget(results.plan.names, results.sweep, width)
    if plan.variants:
        _print_differences(results, width)
    for one in results.comparisons:
        say(_wins(one))
    paid = sum((cost.retrieval_usage + cost.answering_usage for cost in results.costs), Usage())
    if paid.calls:
        say(f"questions: {spent(paid)}")
    for note in results.notes:
        say(note)
    for failure in results.failures[:_FAILURES_SHOWN]:
        say(f"  {failure.question} by {failure.method}: {failure.reason}", err=True)
    if results.failures:
        say(f"{count(len(results.failures), 'question')} failed; run the same command again to retry", err=True)
    if results.stopped:
        say(f"stopped: {results.stopped}; finished work is kept, run the same command again to resume", err=True)


def _print_by_budget(names: Sequence[str], sweep: BudgetSweep, width: int) -> None:
    """Print the means of the methods with each token budget, a table for each measure that is shown."""
    for column, means in sweep.shown():
        columns = [[f"{column.name} by tokens", *names]]
        for budget, scores in zip(sweep.budgets, means.T, strict=True):
            columns.append(
                [f"{budget:,}", *("–" if np.isnan(score) else score_text(column, score) for score in scores)]
            )
        for part in _fitting(columns, width):
            say()
            _print_table(part)


def _print_differences(results: EvaluationResults, width: int) -> None:
    """Print the paired differences of the variants from their methods, with intervals."""
    variants = {system.name for system in results.plan.systems if system.changes}
    of_variants = [one for one in results.differences if one.system in variants]
    columns = [["difference from its method", *(one.system for one in of_variants)]]
    for place, column in enumerate(results.scores.columns):
        if results.scores.applies(place):
            columns.append([column.name, *(_change(column, one.intervals[place]) for one in of_variants)])
    for part in _fitting(columns, width):
        say()
        _print_table(part)
    say("in brackets: 95 % bootstrap confidence interval of the mean difference, paired by question")


def _change(column: ScoreColumn, interval: Interval | None) -> str:
    if interval is None:
        return "–"
    low, mean, high = (signed_score_text(column, value) for value in (interval.low, interval.mean, interval.high))
    return f"{mean} [{low}, {high}]"


def _method_names(results: EvaluationResults) -> list[str]:
    return ["method", *results.plan.names]


def _score_columns(results: EvaluationResults) -> Iterator[list[str]]:
    for place, column in enumerate(results.scores.columns):
        if results.scores.applies(place):
            yield [
                column.name,
                *(_score(column, results, method, place) for method in range(len(results.plan.names))),
            ]


def _cost_columns(results: EvaluationResults) -> Iterator[list[str]]:
    yield ["tokens", *(f"{cost.tokens:,.0f}" for cost in results.costs)]
    yield ["ms to retrieve", *(f"{1000 * cost.retrieval_seconds:,.1f}" for cost in results.costs)]
    if results.plan.answers != "none":
        yield ["ms to answer", *(f"{1000 * cost.answering_seconds:,.1f}" for cost in results.costs)]
    if any(cost.money_per_1000_questions for cost in results.costs):
        yield ["$ per 1,000", *(f"{cost.money_per_1000_questions:.2f}" for cost in results.costs)]


def _score(column: ScoreColumn, results: EvaluationResults, method: int, place: int) -> str:
    interval, unreadable = results.scores.intervals[method][place], int(results.scores.unreadable[method, place])
    note = f" ({unreadable} unreadable)" if unreadable else ""
    if interval is None:
        return f"–{note}"
    low, high = score_text(column, interval.low), score_text(column, interval.high)
    return f"{score_text(column, interval.mean)} [{low}, {high}]{note}"


def _wins(one: HeadToHead) -> str:
    rates = (f"{c.criterion} {'–' if c.rate is None else f'{c.rate:.1f} %'}" for c in one.comparison.counts)
    return f"{one.method} preferred to {one.other}: {', '.join(rates)}"


def _fitting(columns: Sequence[list[str]], width: int) -> Iterator[list[list[str]]]:
    """Split the columns into tables of at most this width; each table repeats the first column.

    >>> [len(part) for part in _fitting([["m", "walk"], ["a", "0.5"], ["b", "0.6"], ["c", "0.7"]], 14)]
    [3, 2]
    """
    first, part = columns[0], [columns[0]]
    for column in columns[1:]:
        if len(part) > 1 and sum(_width(one) + len(_GAP) for one in [*part, column]) - len(_GAP) > width:
            yield part
            part = [first]
        part.append(column)
    yield part


def _print_table(columns: Sequence[list[str]]) -> None:
    widths = [_width(column) for column in columns]
    for number, row in enumerate(zip(*columns, strict=True)):
        cells = [
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        say(_GAP.join(cells), bold=not number)


def _width(column: Sequence[str]) -> int:
    return max(len(cell) for cell in column)
