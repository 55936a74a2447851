"""Which plots a report has."""

from collections.abc import Iterator, Sequence

import numpy as np

from polyadic.evaluation.plots import Plot, bars, distribution, groups, lines, points, profile
from polyadic.evaluation.results import EvaluationResults

_JUDGED_IN_PARTS = "g-e"
_OF_ANSWERS = ("g-e", "f1")
_SWEPT = ("recall@5", "f1", "r-s")
_LONGEST_GROUP = 14


def shown_columns(results: EvaluationResults) -> list[int]:
    """The places of the measures that plots show: the first that applies to any question, and one of answers."""
    names = [column.name for column in results.scores.columns]
    applies = [place for place in range(len(names)) if not np.isnan(results.scores.values[:, :, place]).all()]
    of_answers = [place for name in _OF_ANSWERS for place in applies if names[place] == name]
    return list(dict.fromkeys([*applies[:1], *of_answers[:1]]))


def quality_plots(results: EvaluationResults) -> Iterator[Plot]:
    """Quality and tokens against k and against a limit, by dimension, and by kind of question."""
    found = results.curves
    has_gold = not np.isnan(found.recall).all()
    if has_gold:
        yield lines(
            "Recall of gold passages",
            "Share of a question's gold passages among the first k.",
            found.ks,
            found.recall,
            "k passages",
            "recall@k",
            1.0,
        )
        yield lines(
            "All gold passages",
            "Share of questions whose gold passages are all among the first k.",
            found.ks,
            found.all_gold,
            "k passages",
            "all-gold@k",
            1.0,
        )
        yield lines(
            "Tokens for k passages",
            "Tokens of the items that bring the first k passages.",
            found.ks,
            found.tokens,
            "k passages",
            "tokens",
        )
        if len(found.limits) > 1:
            yield lines(
                "Coverage within a limit of tokens",
                "Share of gold passages under an item that fits, best first; from one retrieval with the whole budget.",
                found.limits,
                found.covered,
                "limit of tokens",
                "covered",
                1.0,
            )
    yield from _by_budget(results)
    yield from _against_tokens(results)
    yield from _dimensions(results)
    yield from _breakdowns(results)


def construction_plots(results: EvaluationResults) -> Iterator[Plot]:
    """What was constructed."""
    built = results.construction
    counts = built.counts
    statistics = [
        ("documents", counts.documents),
        ("chunks", counts.chunks),
        ("entities", counts.entities),
        ("facts", counts.facts),
        ("participations", counts.participations),
        ("pairs in facts", built.pairs),
        ("tokens of corpus", built.tokens),
        ("tokens of facts", built.fact_tokens),
    ]
    names, values = [name for name, _ in statistics], [float(value) for _, value in statistics]
    caption = "How much there is of everything; logarithmic."
    yield bars("What was constructed", caption, names, [values], "how many", log=True)
    if built.arities:
        caption = "How many entities a fact connects."
        yield distribution("Arities of facts", caption, _until(built.arities, 30), "entities of a fact", "facts")
        caption = "In how many facts an entity is; both axes logarithmic."
        yield distribution("Degrees of entities", caption, built.degrees, "facts of an entity", "entities", log=True)


def cost_plots(results: EvaluationResults) -> Iterator[Plot]:
    """What questions took."""
    names = list(results.plan.methods)
    retrieval = [1000 * cost.retrieval_seconds for cost in results.costs]
    answering = [1000 * cost.answering_seconds for cost in results.costs]
    caption = "Mean time of a question, the embedding of the question included."
    parts, named = ([retrieval, answering], ["retrieval", "answer"]) if any(answering) else ([retrieval], [])
    yield bars("Time of a question", caption, names, parts, "milliseconds", named)
    tokens = [cost.tokens for cost in results.costs]
    yield bars("Tokens of knowledge", "Mean tokens of what was retrieved.", names, [tokens], "tokens")


def _against_tokens(results: EvaluationResults) -> Iterator[Plot]:
    for place in shown_columns(results):
        name = results.scores.columns[place].name
        yield points(
            f"Quality for tokens: {name}",
            f"Mean {name} with its 95 % interval, over the mean tokens of what was retrieved.",
            [cost.tokens for cost in results.costs],
            [row[place] for row in results.scores.intervals],
            "tokens of knowledge",
            name,
        )


def _by_budget(results: EvaluationResults) -> Iterator[Plot]:
    """Asked anew with each budget, where that was wanted."""
    sweep = results.sweep
    for place, column in enumerate(sweep.columns if sweep else ()):
        if sweep and column.name in _SWEPT and not np.isnan(sweep.means[:, :, place]).all():
            caption = f"Mean {column.name} of each method, asked with each budget."
            rows, top = sweep.means[:, :, place], column.best if column.best == 1 else 0
            yield lines(f"{column.name} by budget", caption, sweep.budgets, rows, "budget of tokens", column.name, top)


def _dimensions(results: EvaluationResults) -> Iterator[Plot]:
    """The seven dimensions of G-E, where a judge gave marks."""
    start = f"{_JUDGED_IN_PARTS}: "
    places = [place for place, column in enumerate(results.scores.columns) if column.name.startswith(start)]
    if places:
        names = [results.scores.columns[place].name.removeprefix(start) for place in places]
        means = np.array([[one.mean if one else np.nan for one in row] for row in results.scores.intervals])
        caption = "Marks of the judge in each dimension, each averaged with F1."
        yield profile("Seven dimensions", caption, names, means[:, places], "G-E")


def _breakdowns(results: EvaluationResults) -> Iterator[Plot]:
    for one in results.breakdowns:
        names = [f"{group[:_LONGEST_GROUP]}\n(n = {size})" for group, size in zip(one.groups, one.sizes, strict=True)]
        for place in shown_columns(results):
            column = results.scores.columns[place]
            caption = f"Mean {column.name} of the questions of each group."
            rows = one.means[:, :, place].T
            yield groups(f"By {one.by}: {column.name}", caption, names, rows, column.name, column.best)


def _until(counts: Sequence[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """Those of at most so many; a few of far more would leave no room for the others.

    >>> _until([(2, 9), (3, 4), (90, 1)], 30)
    [(2, 9), (3, 4)]
    """
    return [(number, many) for number, many in counts if number <= most]
