"""Render the tables of a report as HTML, with all values escaped."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from polyadic.evaluation.bootstrap import Interval
from polyadic.evaluation.breakdown import ScoreBreakdown
from polyadic.evaluation.indexing_cost import HierarchyCost
from polyadic.evaluation.measures.win_rate import CRITERIA
from polyadic.evaluation.results import EvaluationResults, HeadToHead
from polyadic.evaluation.score_table import ScoreColumn
from polyadic.model.types import Usage


@dataclass(frozen=True, slots=True)
class ReportCell:
    """A table cell: text, small text below it, and whether it is the best of its column."""

    text: str
    small: str = ""
    is_best: bool = False


def quality_table(results: EvaluationResults) -> str:
    """Render scores by method and measure, with intervals; the best of each column is marked."""
    scores = results.scores
    places = [place for place in range(len(scores.columns)) if scores.applies(place)]
    best = {place: _best([row[place] for row in scores.intervals]) for place in places}
    rows = []
    for method, row, unreadable in zip(results.plan.names, scores.intervals, scores.unreadable.tolist(), strict=True):
        cells = [_score(scores.columns[place], row[place], best[place], unreadable[place]) for place in places]
        rows.append([ReportCell(method), *cells])
    caption = "Means over the questions with 95 % bootstrap intervals; the best of each column is marked."
    return table(caption, ["method", *(scores.columns[place].name for place in places)], rows)


def difference_table(results: EvaluationResults) -> str:
    """Render paired differences by measure, with intervals; those that exclude 0 are marked."""
    scores = results.scores
    places = [place for place in range(len(scores.columns)) if scores.applies(place)]
    rows = [
        [
            ReportCell(f"{one.system} − {one.other}"),
            *(_difference(scores.columns[place], one.intervals[place]) for place in places),
        ]
        for one in results.differences
    ]
    caption = (
        "Mean differences, paired by question, with 95 % bootstrap intervals: variants from their method, other methods"
        " from the first; a difference whose interval excludes 0 is marked."
    )
    return table(caption, ["methods", *(scores.columns[place].name for place in places)], rows)


def arity_table(results: EvaluationResults, breakdown: ScoreBreakdown, place: int) -> str:
    """Render the mean of one measure (by column) by method and arity."""
    column = results.scores.columns[place]
    rows = [
        [ReportCell(name), *(ReportCell(_mean(column, value)) for value in breakdown.means[:, number, place].tolist())]
        for number, name in enumerate(results.plan.names)
    ]
    groups = zip(breakdown.groups, breakdown.sizes, strict=True)
    caption = f"Mean {column.name} by arity; n is the number of questions."
    return table(caption, ["method", *(f"{group}, n = {size:,}" for group, size in groups)], rows)


def question_cost_table(results: EvaluationResults) -> str:
    """Render the cost per question: HyperGraphRAG's TPQ and CP1kQ, HiRAG's tokens, calls and seconds."""
    rows = [
        [
            ReportCell(method),
            ReportCell(f"{cost.questions:,}"),
            ReportCell(f"{cost.tokens:,.0f}", f"{100 * cost.tokens / results.plan.context_tokens:.0f} % of the budget"),
            ReportCell(_ms(cost.retrieval_seconds), f"median {_ms(cost.retrieval_median)}"),
            ReportCell(_ms(cost.answering_seconds)),
            ReportCell(f"{cost.retrieval_seconds + cost.answering_seconds:.3f}"),
            ReportCell(*_per_question(cost.retrieval_usage, cost.questions)),
            ReportCell(*_per_question(cost.answering_usage, cost.questions)),
            ReportCell(_money(cost.money_per_1000_questions)),
        ]
        for method, cost in zip(results.plan.names, results.costs, strict=True)
    ]
    names = [
        "method",
        "questions",
        "context tokens",
        "retrieval, ms",
        "answer, ms",
        "TPQ, s",
        "model tokens, retrieval",
        "model tokens, answer",
        "CP1kQ, $",
    ]
    caption = "Means per question; TPQ: seconds per question, CP1kQ: dollars per 1,000 questions."
    return table(caption, names, rows)


def construction_table(results: EvaluationResults) -> str:
    """Render the cost of the index: HyperGraphRAG's TP1kT and CP1kT, HiRAG's tokens, calls and seconds."""
    built, used = results.construction, results.construction.usage
    per_1000 = built.seconds_per_1000_tokens
    arity = f"{built.counts.participations / built.counts.facts:.1f}" if built.counts.facts else "–"
    rows = [
        ("extractor", ", ".join(built.extractors) or "–"),
        ("embedder", built.embedder),
        ("corpus tokens", f"{built.tokens:,}"),
        ("fact tokens", f"{built.fact_tokens:,}"),
        ("documents, chunks", f"{built.counts.documents:,}, {built.counts.chunks:,}"),
        ("entities", f"{built.counts.entities:,}"),
        ("facts", f"{built.counts.facts:,}"),
        ("entities per fact", arity),
        ("entity pairs (clique expansion)", f"{built.pairs:,}"),
        ("seconds", "–" if built.seconds is None else f"{built.seconds:,.1f}"),
        ("TP1kT, seconds per 1,000 tokens", "–" if per_1000 is None else f"{per_1000:.3f}"),
        ("model calls", f"{used.calls:,}"),
        ("model tokens sent, received", f"{used.prompt_tokens:,}, {used.completion_tokens:,}"),
        ("CP1kT, dollars per 1,000 tokens", _money(built.money_per_1000_tokens)),
        *(_hierarchy(one) for one in built.hierarchies),
    ]
    caption = (
        "One index, shared by all methods. Model calls include those for the hierarchy, with its settings in the"
        " workspace; hierarchies of variants are listed with their own calls."
    )
    return table(caption, ["construction", ""], [[ReportCell(name), ReportCell(value)] for name, value in rows])


def _hierarchy(one: HierarchyCost) -> tuple[str, str]:
    paid = (
        f"; {one.usage.calls:,} model calls, {one.usage.tokens:,} tokens, ${one.usage.money:.4f}"
        if one.usage.calls
        else ""
    )
    size = f"{one.summaries:,} summaries, {one.communities:,} communities{paid}"
    return f"hierarchy of {', '.join(one.systems)}", size


def win_table(comparisons: Sequence[HeadToHead]) -> str:
    """Render win rates by criterion, with wins in both orders, flips and losses."""
    rows = [
        [ReportCell(f"{head_to_head.method} against {head_to_head.other}"), *_wins(head_to_head)]
        for head_to_head in comparisons
    ]
    caption = (
        "Share of verdicts that prefer the first method, each pair judged in both orders; below it the questions won in"
        " both orders, decided by the order (flips), lost in both, and replies without a verdict."
    )
    return table(caption, ["methods", *CRITERIA, "tokens per answer"], rows)


def table(caption: str, names: Sequence[str], rows: Sequence[Sequence[ReportCell]]) -> str:
    """Render a table that scrolls horizontally if it is too wide."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(f"<tr>{''.join(_cell(cell, not place) for place, cell in enumerate(row))}</tr>\n" for row in rows)
    return (
        f'<p class="quiet">{escape(caption)}</p>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def score_text(column: ScoreColumn, value: float) -> str:
    """Format a score.

    >>> score_text(ScoreColumn("recall@5", 1.0), 0.97531), score_text(ScoreColumn("f1", 100.0), 48.04)
    ('0.975', '48.0')
    """
    return f"{value:.3f}" if column.best == 1 else f"{value:.1f}"


def signed_score_text(column: ScoreColumn, value: float) -> str:
    """Format a difference of scores.

    >>> signed_score_text(ScoreColumn("recall@5", 1.0), 0.25), signed_score_text(ScoreColumn("f1", 100.0), -0.01)
    ('+0.250', '0.0')
    """
    digits = 3 if column.best == 1 else 1
    rounded = round(value, digits)
    return f"{rounded:+.{digits}f}" if rounded else f"{0:.{digits}f}"


def _cell(cell: ReportCell, is_head: bool) -> str:
    small = f"<small>{escape(cell.small)}</small>" if cell.small else ""
    if is_head:
        return f'<th scope="row">{escape(cell.text)}{small}</th>'
    best = ' class="best"' if cell.is_best else ""
    return f"<td{best}>{escape(cell.text)}{small}</td>"


def _score(column: ScoreColumn, interval: Interval | None, best: float, unreadable: int) -> ReportCell:
    if interval is None:
        return ReportCell("–", f"{unreadable} unreadable" if unreadable else "")
    bounds = f"{score_text(column, interval.low)} to {score_text(column, interval.high)}"
    small = f"{bounds}, {unreadable} unreadable" if unreadable else bounds
    return ReportCell(score_text(column, interval.mean), small, math.isclose(interval.mean, best) and interval.mean > 0)


def _difference(column: ScoreColumn, interval: Interval | None) -> ReportCell:
    if interval is None:
        return ReportCell("–")
    low, mean, high = (signed_score_text(column, value) for value in (interval.low, interval.mean, interval.high))
    return ReportCell(mean, f"{low} to {high}", not interval.low <= 0 <= interval.high)


def _mean(column: ScoreColumn, value: float) -> str:
    return "–" if math.isnan(value) else score_text(column, value)


def _best(intervals: Sequence[Interval | None]) -> float:
    """Return the best mean; NaN, which is close to nothing, if there are fewer than two."""
    means = [interval.mean for interval in intervals if interval is not None]
    return max(means) if len(means) > 1 else math.nan


def _wins(head_to_head: HeadToHead) -> Iterator[ReportCell]:
    for count in head_to_head.comparison.counts:
        rate = "–" if count.rate is None else f"{count.rate:.1f}"
        unreadable = f", {count.unreadable} unreadable" if count.unreadable else ""
        yield ReportCell(rate, f"{count.wins} won, {count.flips} flips, {count.losses} lost{unreadable}")
    yield ReportCell(
        f"{head_to_head.comparison.first_tokens:.0f}", f"against {head_to_head.comparison.second_tokens:.0f}"
    )


def _per_question(usage: Usage, questions: int) -> tuple[str, str]:
    if not usage.calls or not questions:
        return "–", ""
    return f"{usage.tokens / questions:,.0f}", f"{usage.calls / questions:.1f} calls"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:,.1f}"


def _money(money: float) -> str:
    return f"{money:.4f}" if money else "–"
