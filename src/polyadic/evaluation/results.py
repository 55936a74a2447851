"""All that an evaluation found, and ``results.json``."""

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
from polyadic.evaluation.curves import Curves
from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.indexing_cost import IndexingCost
from polyadic.evaluation.judge_verdicts import AnswerComparison
from polyadic.evaluation.plan import EvalPlan
from polyadic.evaluation.record import QuestionRecord, RetrievedRecord
from polyadic.evaluation.runner import QuestionFailure
from polyadic.evaluation.scores import ScoreTable
from polyadic.model.types import Usage

FILE_NAME = "results.json"


@dataclass(frozen=True, slots=True)
class RunTimes:
    """Seconds of this run: reading the corpus, asking (nothing where all was known), and scoring with any judging."""

    indexing: float = 0.0
    asking: float = 0.0
    scoring: float = 0.0


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """How the answers of a method fare against those of another, by a judge; ``overall`` is the share of wins."""

    method: str
    other: str
    comparison: AnswerComparison
    overall: Interval | None


@dataclass(frozen=True, slots=True)
class MethodCost:
    """What a method's questions took: means and the median in seconds and tokens, and what models were paid in all."""

    questions: int
    tokens: float
    retrieval_seconds: float
    retrieval_median: float
    answering_seconds: float
    retrieval_usage: Usage
    answering_usage: Usage

    @property
    def money_per_1000_questions(self) -> float:
        """CP1kQ."""
        money = self.retrieval_usage.money + self.answering_usage.money
        return 1000 * money / self.questions if self.questions else 0.0


@dataclass(frozen=True)
class EvaluationResults:
    """All that an evaluation found; ``records`` and all rows are by method and question, in the order of the plan.

    ``model`` and ``judge`` name the language models that answered and judged, empty where none did. ``notes`` are what
    has to be known beside the numbers.
    """

    dataset: str
    plan: EvalPlan
    questions: tuple[DatasetQuestion, ...]
    records: tuple[tuple[QuestionRecord | None, ...], ...]
    scores: ScoreTable
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
        """Whether every question was put to every method, and all of it was measured."""
        return not self.failures and not self.stopped


def cost_of(records: Sequence[QuestionRecord | None]) -> MethodCost:
    """What the questions of one method took."""
    there = [record for record in records if record is not None]
    seconds = [record.times.retrieval for record in there] or [0.0]
    return MethodCost(
        len(there),
        fmean([record.tokens for record in there] or [0]),
        fmean(seconds),
        median(seconds),
        fmean([record.times.answering for record in there] or [0.0]),
        sum((record.retrieval_usage for record in there), Usage()),
        sum((record.answering_usage for record in there), Usage()),
    )


def write_results(results: EvaluationResults, folder: Path) -> Path:
    """Write ``results.json``, aside first, so that nobody reads half of it."""
    file = folder / FILE_NAME
    aside = file.with_suffix(".json.part")
    with aside.open("w", encoding="utf-8", errors="surrogatepass") as written:
        json.dump(as_json(results), written, ensure_ascii=False, indent=1)
        written.write("\n")
    aside.replace(file)
    return file


def as_json(results: EvaluationResults) -> dict[str, Any]:
    """The results in terms of JSON; whatever is a time stands under a key ``seconds`` and under no other."""
    return {
        **summary_json(results),
        "curves": _curves(results.curves),
        "sweep": _sweep(results),
        "breakdowns": [_breakdown(one, results) for one in results.breakdowns],
        "questions": [_question(place, results) for place in range(len(results.questions))],
        "items": _items(results),
    }


def summary_json(results: EvaluationResults) -> dict[str, Any]:
    """All but the single questions."""
    construction = asdict(results.construction)
    built = construction.pop("seconds")
    return {
        "dataset": results.dataset,
        "plan": asdict(results.plan),
        "model": results.model,
        "questions_asked": len(results.questions),
        "methods": [_method(place, results) for place in range(len(results.plan.methods))],
        "comparisons": [_against(one) for one in results.comparisons],
        "construction": construction
        | {
            "money_per_1000_tokens": results.construction.money_per_1000_tokens,
            "seconds": {"total": built, "per_1000_tokens": results.construction.seconds_per_1000_tokens},
        },
        "failures": [asdict(failure) for failure in results.failures],
        "stopped": results.stopped,
        "notes": list(results.notes),
        "seconds": asdict(results.clock),
    }


def _method(place: int, results: EvaluationResults) -> dict[str, Any]:
    cost = results.costs[place]
    return {
        "method": results.plan.methods[place],
        "questions": cost.questions,
        "tokens": cost.tokens,
        "scores": {
            column.name: None if found is None else asdict(found) | {"best": column.best}
            for column, found in zip(results.scores.columns, results.scores.intervals[place], strict=True)
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
        "golden_answers": list(question.answers),
        "gold": sorted(question.gold),
        "arity": question.arity or None,
        "hops": question.hops or None,
        "kind": question.kind or None,
        "results": {
            method: _record(record, place, number, results)
            for number, method in enumerate(results.plan.methods)
            if (record := results.records[number][place]) is not None
        },
    }


def _record(record: QuestionRecord, place: int, number: int, results: EvaluationResults) -> dict[str, Any]:
    values = results.scores.values[number, place].tolist()
    return {
        "items": [found.key for found in record.found],
        "passages": list(record.passages),
        "tokens": record.tokens,
        "omitted": record.omitted,
        "answer": asdict(record.said) if record.said else None,
        "scores": {column.name: _number(value) for column, value in zip(results.scores.columns, values, strict=True)},
        "usage": asdict(record.usage),
        "seconds": asdict(record.times),
    }


def _items(results: EvaluationResults) -> dict[str, Any]:
    """Every item that was retrieved, once, in the order in which the questions bring them."""
    return {
        found.key: {"kind": found.kind, "text": found.text, "tokens": found.tokens, "passages": list(found.passages)}
        for found in all_found(results)
    }


def all_found(results: EvaluationResults) -> Iterator[RetrievedRecord]:
    """Every item that was retrieved, as often as it was, question by question."""
    for place in range(len(results.questions)):
        for row in results.records:
            if (record := row[place]) is not None:
                yield from record.found


def _against(one: HeadToHead) -> dict[str, Any]:
    counts = {count.criterion: asdict(count) | {"rate": count.rate} for count in one.comparison.counts}
    return {
        "method": one.method,
        "other": one.other,
        "criteria": counts,
        "tokens": one.comparison.first_tokens,
        "other_tokens": one.comparison.second_tokens,
        "overall": asdict(one.overall) if one.overall else None,
    }


def _curves(found: Curves) -> dict[str, Any]:
    return {
        "k": list(found.ks),
        "recall": _numbers(found.recall.tolist()),
        "all_gold": _numbers(found.all_gold.tolist()),
        "tokens": _numbers(found.tokens.tolist()),
        "limits": list(found.limits),
        "covered": _numbers(found.covered.tolist()),
    }


def _sweep(results: EvaluationResults) -> dict[str, Any] | None:
    one = results.sweep
    if one is None:
        return None
    return {
        "budgets": list(one.budgets),
        "tokens": dict(zip(results.plan.methods, _numbers(one.tokens.tolist()), strict=True)),
        "means": {
            column.name: dict(zip(results.plan.methods, _numbers(one.means[:, :, place].tolist()), strict=True))
            for place, column in enumerate(one.columns)
        },
    }


def _breakdown(one: ScoreBreakdown, results: EvaluationResults) -> dict[str, Any]:
    columns = [column.name for column in results.scores.columns]
    return {
        "by": one.by,
        "groups": list(one.groups),
        "questions": list(one.sizes),
        "means": {
            name: {
                method: _numbers(one.means[:, number, place].tolist())
                for number, method in enumerate(results.plan.methods)
            }
            for place, name in enumerate(columns)
        },
    }


def _numbers(values: list[Any]) -> list[Any]:
    return [_numbers(value) if isinstance(value, list) else _number(value) for value in values]


def _number(value: float) -> float | None:
    """A number for JSON, which knows no NaN."""
    return None if math.isnan(value) else value
