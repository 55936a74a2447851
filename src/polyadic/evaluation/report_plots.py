"""Plots of the evaluation report."""

from collections.abc import Iterator, Sequence

import numpy as np

from polyadic.evaluation.results import EvaluationResults
from polyadic.evaluation.svg_plots import Plot, bars, distribution, groups, lines, points, profile

_JUDGED_IN_PARTS = "g-e"
_ANSWER_MEASURES = ("g-e", "f1")
_LONGEST_GROUP = 14


def shown_columns(results: EvaluationResults) -> list[int]:
    """Return the columns that plots show: the first measure with values, and one answer measure."""
    names = [column.name for column in results.scores.columns]
    applies = [place for place in range(len(names)) if not np.isnan(results.scores.values[:, :, place]).all()]
    of_answers = [place for name in _ANSWER_MEASURES for place in applies if names[place] == name]
    return list(dict.fromkeys([*applies[:1], *of_answers[:1]]))


def quality_plots(results: EvaluationResults) -> Iterator[Plot]:
    """Plot quality and tokens over k and over a token limit, by dimension, and by question group."""
    curves = results.curves
    has_gold = not np.isnan(curves.recall).all()
    if has_gold:
        yield lines(
            "Recall of gold passages",
            "Share of a question's gold passages among the first k passages.",
            curves.ks,
            curves.recall,
            "k passages",
            "recall@k",
            1.0,
        )
        yield lines(
            "All gold passages",
            "Share of questions with all gold passages among the first k passages.",
            curves.ks,
            curves.all_gold,
            "k passages",
            "all-gold@k",
            1.0,
        )
        yield lines(
            "Tokens for k passages",
            "Tokens of the items that cover the first k passages.",
            curves.ks,
            curves.tokens,
            "k passages",
            "tokens",
        )
        if len(curves.limits) > 1:
            yield lines(
                "Coverage within a token limit",
                "Share of gold passages covered by the best items that fit; from one retrieval with the full budget.",
                curves.limits,
                curves.covered,
                "token limit",
                "covered",
                1.0,
            )
    yield from _by_budget(results)
    yield from _against_tokens(results)
    yield from _dimensions(results)
    yield from _breakdowns(results)


def construction_plots(results: EvaluationResults) -> Iterator[Plot]:
    """Plot the size of the index."""
    built = results.construction
    counts = built.counts
    statistics = [
        ("documents", counts.documents),
        ("chunks", counts.chunks),
        ("entities", counts.entities),
        ("facts", counts.facts),
        ("participations", counts.participations),
        ("entity pairs", built.pairs),
        ("corpus tokens", built.tokens),
        ("fact tokens", built.fact_tokens),
    ]
    names, values = [name for name, _ in statistics], [float(value) for _, value in statistics]
    caption = "Counts of index contents; logarithmic."
    yield bars("Index size", caption, names, [values], "count", log=True)
    if built.arities:
        caption = "Distribution of the number of entities per fact."
        yield distribution("Arity of facts", caption, _until(built.arities, 30), "entities per fact", "facts")
        caption = "Distribution of the number of facts per entity; both axes logarithmic."
        yield distribution("Degree of entities", caption, built.degrees, "facts per entity", "entities", log=True)


def cost_plots(results: EvaluationResults) -> Iterator[Plot]:
    """Plot the time and tokens per question."""
    names = list(results.plan.names)
    retrieval = [1000 * cost.retrieval_seconds for cost in results.costs]
    answering = [1000 * cost.answering_seconds for cost in results.costs]
    caption = "Mean time per question, including the embedding of the question."
    parts, part_names = ([retrieval, answering], ["retrieval", "answer"]) if any(answering) else ([retrieval], [])
    yield bars("Time per question", caption, names, parts, "milliseconds", part_names)
    tokens = [cost.tokens for cost in results.costs]
    yield bars("Context tokens", "Mean tokens of the retrieved context.", names, [tokens], "tokens")


def _against_tokens(results: EvaluationResults) -> Iterator[Plot]:
    for place in shown_columns(results):
        name = results.scores.columns[place].name
        yield points(
            f"Quality by tokens: {name}",
            f"Mean {name} with its 95 % interval, over the mean context tokens.",
            [cost.tokens for cost in results.costs],
            [row[place] for row in results.scores.intervals],
            "context tokens",
            name,
        )


def _by_budget(results: EvaluationResults) -> Iterator[Plot]:
    """Plot quality by token budget, if the plan has several budgets."""
    sweep = results.sweep
    if sweep is None:
        return
    for column, means in sweep.shown():
        caption = f"Mean {column.name} of each method with each token budget."
        top = column.best if column.best == 1 else 0
        yield lines(f"{column.name} by budget", caption, sweep.budgets, means, "token budget", column.name, top)


def _dimensions(results: EvaluationResults) -> Iterator[Plot]:
    """Plot the seven dimensions of G-E, if judged."""
    prefix = f"{_JUDGED_IN_PARTS}: "
    places = [place for place, column in enumerate(results.scores.columns) if column.name.startswith(prefix)]
    if places:
        names = [results.scores.columns[place].name.removeprefix(prefix) for place in places]
        means = np.array(
            [[interval.mean if interval else np.nan for interval in row] for row in results.scores.intervals]
        )
        caption = "The judge's mark in each dimension, averaged with F1."
        yield profile("Seven dimensions", caption, names, means[:, places], "G-E")


def _breakdowns(results: EvaluationResults) -> Iterator[Plot]:
    for breakdown in results.breakdowns:
        names = [
            f"{group[:_LONGEST_GROUP]}\n(n = {size})"
            for group, size in zip(breakdown.groups, breakdown.sizes, strict=True)
        ]
        for place in shown_columns(results):
            column = results.scores.columns[place]
            caption = f"Mean {column.name} by question group."
            rows = breakdown.means[:, :, place].T
            yield groups(f"By {breakdown.by}: {column.name}", caption, names, rows, column.name, column.best)


def _until(counts: Sequence[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """Return the counts of numbers up to ``most``; a few outliers would compress the rest of the plot.

    >>> _until([(2, 9), (3, 4), (90, 1)], 30)
    [(2, 9), (3, 4)]
    """
    return [(number, many) for number, many in counts if number <= most]
