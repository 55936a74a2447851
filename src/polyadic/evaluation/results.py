"""Evaluation results, and their serialization to ``results.json``."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from polyadic.evaluation.bootstrap import Interval
from polyadic.evaluation.breakdown import ScoreBreakdown
from polyadic.evaluation.budget_sweep import BudgetSweep
from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.indexing_cost import IndexingCost
from polyadic.evaluation.measures.win_rate import AnswerComparison
from polyadic.evaluation.plan import EvalPlan
from polyadic.evaluation.question_record import QuestionRecord, RetrievedRecord
from polyadic.evaluation.question_runner import QuestionFailure
from polyadic.evaluation.retrieval_curves import Curves
from polyadic.evaluation.score_table import PairedDifference, ScoreTable
from polyadic.model.types import Usage

FILE_NAME = "results.json"


@dataclass(frozen=True, slots=True)
class RunTimes:
    """Seconds of this run for indexing, asking (0 if all records existed), and scoring, including the judge."""

    indexing: float = 0.0
    asking: float = 0.0
    scoring: float = 0.0


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Comparison of the answers of two methods by a judge; ``overall`` is the win rate."""

    method: str
    other: str
    comparison: AnswerComparison
    overall: Interval | None


@dataclass(frozen=True, slots=True)
class MethodCost:
    """Cost of a method: mean tokens and seconds per question, median retrieval seconds, and total model usage."""

    questions: int
    tokens: float
    retrieval_seconds: float
    retrieval_median: float
    answering_seconds: float
    retrieval_usage: Usage
    answering_usage: Usage

    @property
    def money_per_1000_questions(self) -> float:
        """CP1kQ: money per 1,000 questions."""
        money = self.retrieval_usage.money + self.answering_usage.money
        return 1000 * money / self.questions if self.questions else 0.0


@dataclass(frozen=True)
class EvaluationResults:
    """Results of an evaluation; ``records`` are indexed by method and question, in the order of the plan.

    ``model`` is the name of the answering model, empty if there was none. ``notes`` are remarks on how to read the
    numbers.
    """

    dataset: str
    plan: EvalPlan
    questions: tuple[DatasetQuestion, ...]
    records: tuple[tuple[QuestionRecord | None, ...], ...]
    scores: ScoreTable
    differences: tuple[PairedDifference, ...]
    comparisons: tuple[HeadToHead, ...]
    breakdowns: tuple[ScoreBreakdown, ...]
    sweep: BudgetSweep | None
    curves: Curves
    construction: IndexingCost
    costs: tuple[MethodCost, ...]
    failures: tuple[QuestionFailure, ...]
    stopped: str
    model: str
    notes: tuple[str, ...]
    clock: RunTimes

    @property
    def is_whole(self) -> bool:
        """Whether every question was answered with every method and scored."""
        return not self.failures and not self.stopped


def cost_of(records: Sequence[QuestionRecord | None]) -> MethodCost:
    """Compute the cost of one method."""
    present = [record for record in records if record is not None]
    seconds = [record.times.retrieval for record in present] or [0.0]
    return MethodCost(
        len(present),
        fmean([record.tokens for record in present] or [0]),
        fmean(seconds),
        median(seconds),
        fmean([record.times.answering for record in present] or [0.0]),
        sum((record.retrieval_usage for record in present), Usage()),
        sum((record.answering_usage for record in present), Usage()),
    )


def write_results(results: EvaluationResults, folder: Path) -> Path:
    """Write ``results.json`` atomically."""
    file = folder / FILE_NAME
    partial_file = file.with_suffix(".json.part")
    with partial_file.open("w", encoding="utf-8", errors="surrogatepass") as output:
        json.dump(as_json(results), output, ensure_ascii=False, indent=1)
        output.write("\n")
    partial_file.replace(file)
    return file


def as_json(results: EvaluationResults) -> dict[str, Any]:
    """Convert the results to JSON values; all times, and only these, are under keys named ``seconds``."""
    return {
        **summary_json(results),
        "curves": _curves(results.curves),
        "sweep": _sweep(results),
        "breakdowns": [_breakdown(one, results) for one in results.breakdowns],
        "questions": [_question(place, results) for place in range(len(results.questions))],
        "items": _items(results),
    }


def summary_json(results: EvaluationResults) -> dict[str, Any]:
    """Convert the results to JSON values, without the individual questions."""
    construction = asdict(results.construction)
    build_seconds = construction.pop("seconds")
    return {
        "dataset": results.dataset,
        "plan": asdict(results.plan),
        "model": results.model,
        "questions_asked": len(results.questions),
        "methods": [_method(place, results) for place in range(len(results.plan.names))],
        "differences": [_difference(one, results) for one in results.differences],
        "comparisons": [_comparison(one) for one in results.comparisons],
        "construction": construction
        | {
            "money_per_1000_tokens": results.construction.money_per_1000_tokens,
            "seconds": {"total": build_seconds, "per_1000_tokens": results.construction.seconds_per_1000_tokens},
        },
        "failures": [asdict(failure) for failure in results.failures],
        "stopped": results.stopped,
        "notes": list(results.notes),
        "seconds": asdict(results.clock),
    }


def _method(place: int, results: EvaluationResults) -> dict[str, Any]:
    cost, system = results.costs[place], results.plan.systems[place]
    return {
        "method": system.name,
        "settings": {f"{change.section}.{change.name}": change.value for change in system.changes},
        "questions": cost.questions,
        "tokens": cost.tokens,
        "scores": {
            column.name: None if score is None else asdict(score) | {"best": column.best}
            for column, score in zip(results.scores.columns, results.scores.intervals[place], strict=True)
        },
        "unreadable_judgements": int(results.scores.unreadable[place].sum()),
        "retrieval_usage": asdict(cost.retrieval_usage),
        "answering_usage": asdict(cost.answering_usage),
        "money_per_1000_questions": cost.money_per_1000_questions,
        "seconds": {
            "retrieval": cost.retrieval_seconds,
            "retrieval_median": cost.retrieval_median,
            "answering": cost.answering_seconds,
        },
    }


def _question(place: int, results: EvaluationResults) -> dict[str, Any]:
    question = results.questions[place]
    return {
        "id": question.id,
        "question": question.text,
        "gold_answers": list(question.answers),
        "gold": sorted(question.gold),
        "arity": question.arity or None,
        "hops": question.hops or None,
        "kind": question.kind or None,
        "results": {
            method: _record(record, place, number, results)
            for number, method in enumerate(results.plan.names)
            if (record := results.records[number][place]) is not None
        },
    }


def _record(record: QuestionRecord, place: int, number: int, results: EvaluationResults) -> dict[str, Any]:
    values = results.scores.values[number, place].tolist()
    return {
        "items": [item.key for item in record.found],
        "passages": list(record.passages),
        "tokens": record.tokens,
        "omitted": record.omitted,
        "answer": asdict(record.answer) if record.answer else None,
        "scores": {column.name: _number(value) for column, value in zip(results.scores.columns, values, strict=True)},
        "usage": asdict(record.usage),
        "seconds": asdict(record.times),
    }


def _items(results: EvaluationResults) -> dict[str, Any]:
    """Return the distinct retrieved items, in order of first appearance."""
    return {
        item.key: {"kind": item.kind, "text": item.text, "tokens": item.tokens, "passages": list(item.passages)}
        for item in all_found(results)
    }


def all_found(results: EvaluationResults) -> Iterator[RetrievedRecord]:
    """Iterate over the retrieved items of all questions, with repetitions."""
    for place in range(len(results.questions)):
        for row in results.records:
            if (record := row[place]) is not None:
                yield from record.found


def _difference(difference: PairedDifference, results: EvaluationResults) -> dict[str, Any]:
    columns = [column.name for column in results.scores.columns]
    found = zip(columns, difference.intervals, strict=True)
    return {
        "method": difference.system,
        "other": difference.other,
        "scores": {name: asdict(one) if one else None for name, one in found},
    }


def _comparison(comparison: HeadToHead) -> dict[str, Any]:
    counts = {count.criterion: asdict(count) | {"rate": count.rate} for count in comparison.comparison.counts}
    return {
        "method": comparison.method,
        "other": comparison.other,
        "criteria": counts,
        "tokens": comparison.comparison.first_tokens,
        "other_tokens": comparison.comparison.second_tokens,
        "overall": asdict(comparison.overall) if comparison.overall else None,
    }


def _curves(data: Curves) -> dict[str, Any]:
    return {
        "k": list(data.ks),
        "recall": _numbers(data.recall.tolist()),
        "all_gold": _numbers(data.all_gold.tolist()),
        "tokens": _numbers(data.tokens.tolist()),
        "limits": list(data.limits),
        "covered": _numbers(data.covered.tolist()),
    }


def _sweep(results: EvaluationResults) -> dict[str, Any] | None:
    sweep = results.sweep
    if sweep is None:
        return None
    return {
        "budgets": list(sweep.budgets),
        "tokens": dict(zip(results.plan.names, _numbers(sweep.tokens.tolist()), strict=True)),
        "means": {
            column.name: dict(zip(results.plan.names, _numbers(sweep.means[:, :, place].tolist()), strict=True))
            for place, column in enumerate(sweep.columns)
        },
    }


def _breakdown(breakdown: ScoreBreakdown, results: EvaluationResults) -> dict[str, Any]:
    columns = [column.name for column in results.scores.columns]
    return {
        "by": breakdown.by,
        "groups": list(breakdown.groups),
        "questions": list(breakdown.sizes),
        "means": {
            name: {
                method: _numbers(breakdown.means[:, number, place].tolist())
                for number, method in enumerate(results.plan.names)
            }
            for place, name in enumerate(columns)
        },
    }


def _numbers(values: list[Any]) -> list[Any]:
    return [_numbers(value) if isinstance(value, list) else _number(value) for value in values]


def _number(value: float) -> float | None:
    """Convert NaN, which JSON lacks, to None."""
    return None if math.isnan(value) else value
