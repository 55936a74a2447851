"""Remarks on how to read the results of an evaluation."""

from collections.abc import Iterator, Sequence

from polyadic.evaluation.indexing_cost import IndexingCost
from polyadic.evaluation.plan import EvalPlan
from polyadic.evaluation.results import MethodCost
from polyadic.indexing.report import IndexReport

_EQUAL_FILL = 0.9
"""Share of the tokens of the fullest context below which a context counts as less filled."""
_WITHOUT_KNOWLEDGE = ("none", "hypergraph-without-all")
"""Methods that retrieve nothing by definition."""


def notes(
    plan: EvalPlan, report: IndexReport, construction: IndexingCost, costs: Sequence[MethodCost]
) -> Iterator[str]:
    """Yield what a reader of the results must know: incomplete input, other documents, unequal contexts."""
    if report.skipped:
        yield f"skipped passages: {len(report.skipped):,}; the first: {report.skipped[0]}"
    if report.failed:
        yield f"chunks without facts: {len(report.failed):,}; the first: {report.failed[0].reason}"
    if construction.counts.documents > report.documents:
        others = construction.counts.documents - report.documents
        yield f"documents in the workspace that are not in the data set: {others:,}"
    for hierarchy in construction.hierarchies:
        if not hierarchy.summaries and not hierarchy.communities:
            yield f"the hierarchy of {', '.join(hierarchy.systems)} is empty: there are too few facts to build one"
    yield from _unequal_fill(plan, costs)
    if plan.answers == "quotes":
        yield "answers are sentences quoted from the retrieved text, without a language model"


def _unequal_fill(plan: EvalPlan, costs: Sequence[MethodCost]) -> Iterator[str]:
    """Name the systems that use much less of the common token budget than others. Some retrieve none by definition."""
    used = {
        system.name: cost.tokens
        for system, cost in zip(plan.systems, costs, strict=True)
        if system.method not in _WITHOUT_KNOWLEDGE and cost.questions
    }
    most = max(used.values(), default=0.0)
    less = [f"{name} {tokens:,.0f}" for name, tokens in used.items() if tokens < _EQUAL_FILL * most]
    if less:
        next_step = "" if plan.budgets else "; compare them with --budgets as well"
        yield (
            f"all methods may use {plan.context_tokens:,} tokens, but some use fewer on average: {', '.join(less)} "
            f"(the most: {most:,.0f}){next_step}"
        )
