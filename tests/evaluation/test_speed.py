"""How long scoring takes, and what the harness adds to retrieval."""

import asyncio
import random
import time
from pathlib import Path

import numpy as np
import pytest

from polyadic.config import METHODS
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.evaluation.breakdown import breakdowns
from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.indexing_cost import IndexingCost
from polyadic.evaluation.journal import RecordJournal
from polyadic.evaluation.measures.registry import MeasureResources, measure_named
from polyadic.evaluation.plan import MEASURES, EvalPlan
from polyadic.evaluation.question_record import AnswerRecord, QuestionRecord, QuestionTimes, RetrievedRecord
from polyadic.evaluation.report import write_report
from polyadic.evaluation.results import EvaluationResults, RunTimes, cost_of, write_results
from polyadic.evaluation.retrieval_curves import curves
from polyadic.evaluation.score_table import JudgeModel, scored
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Usage
from polyadic.storage.protocol import Counts
from tests.evaluation.tiny_dataset import evaluated, write_beir

QUESTIONS, PASSAGES = 200, 1000
WORDS = [f"word{n}" for n in range(3000)]
CHOSEN = METHODS[:8]


def stored(drawn: random.Random) -> tuple[list[DatasetQuestion], list[QuestionRecord]]:
    """Questions, and what eight methods made of each."""
    found = [RetrievedRecord("chunk", " ".join(drawn.choices(WORDS, k=60)), 110, (str(n),)) for n in range(PASSAGES)]
    questions = [
        DatasetQuestion(
            str(n),
            " ".join(drawn.choices(WORDS, k=12)),
            (" ".join(drawn.choices(WORDS, k=3)),),
            frozenset({str(n), str(n + 1)}),
            arity=2 + n % 3,
            hops=1 + n % 3,
        )
        for n in range(QUESTIONS)
    ]
    records = [
        QuestionRecord(
            question.id,
            method,
            tuple(drawn.sample(found, 30)),
            0,
            AnswerRecord(" ".join(drawn.choices(WORDS, k=80)), "", True, "quotes"),
            QuestionTimes(0.02, 0.01, 0.1),
        )
        for method in CHOSEN
        for question in questions
    ]
    return questions, records


def no_judge() -> JudgeModel:
    raise AssertionError("nothing has to be judged")


@pytest.mark.slow
def test_scoring_1600_records_takes_under_12_seconds(tmp_path: Path) -> None:
    questions, stored_records = stored(random.Random(0))
    with RecordJournal(tmp_path / "records.jsonl", {}) as journal:
        for record in stored_records:
            journal.add(record)
    started = time.process_time()
    with RecordJournal(tmp_path / "records.jsonl", {}) as journal:
        rows = tuple(tuple(journal.get(q.id, method) for q in questions) for method in CHOSEN)
    tools = MeasureResources(HashingEmbedder, PromptLibrary())
    measures = [measure_named(name, tools) for name in (*MEASURES, "r-s")]
    outcomes = [[r.outcome(q) if r else None for r, q in zip(row, questions, strict=True)] for row in rows]
    scores = asyncio.run(scored(outcomes, measures, no_judge))
    assert len(scores.intervals) == 8
    built = IndexingCost(Counts(1, 1, 1, 1, 1, 2, 3, 1, 9), 9, 9, 1, ((2, 1),), ((1, 2),), ("x",), "x", Usage(), 1.0)
    results = EvaluationResults(
        "large",
        EvalPlan(CHOSEN),
        tuple(questions),
        rows,
        scores,
        (),
        (),
        tuple(breakdowns(questions, scores)),
        None,
        curves(questions, rows, 4000),
        built,
        tuple(cost_of(row) for row in rows),
        (),
        "",
        "",
        (),
        RunTimes(),
    )
    write_results(results, tmp_path)
    written = write_report(results, tmp_path)
    assert time.process_time() - started < 12
    assert written.stat().st_size < 4_000_000


@pytest.mark.slow
def test_harness_overhead_is_small(tmp_path: Path) -> None:
    """What the harness itself does for a question, against what retrieval by the quickest method costs."""
    people = {f"p{n}": (f"Person {n} Falk", f"Person {n} Falk met Ada Lovelace in Town {n}.") for n in range(60)}
    asked = [
        {"id": f"q{n}", "text": f"Whom did Person {n} Falk meet?", "answers": ["Ada"], "gold": [f"p{n}"]}
        for n in range(60)
    ]
    results = evaluated(write_beir(tmp_path / "little", people, asked), tmp_path / "out", methods=("chunks", "walk"))
    own = sum(record.times.total for row in results.records for record in row if record)
    assert results.clock.asking < 1.2 * own
    assert not np.isnan(results.curves.recall).any()
