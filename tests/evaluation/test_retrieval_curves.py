"""Curves and breakdowns, worked out by hand on a few records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.evaluation.breakdown import breakdowns
from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.measures.ranking_measures import AllGold, PassageRecall
from polyadic.evaluation.question_record import QuestionRecord, QuestionTimes, RetrievedRecord
from polyadic.evaluation.retrieval_curves import KS, curves, fitting
from polyadic.evaluation.score_table import ScoreColumn, ScoreTable

QUESTION = DatasetQuestion("q", "?", (), frozenset({"a", "b"}))
NO_TIME = QuestionTimes(0, 0)


def record(*found: tuple[int, str], question: str = "q") -> QuestionRecord:
    items = tuple(RetrievedRecord("chunk", f"{n} {passages}", n, tuple(passages)) for n, passages in found)
    return QuestionRecord(question, "walk", items, 0, None, NO_TIME)


def test_retrieval_curves_equal_values_computed_by_hand() -> None:
    found = curves([QUESTION], [[record((100, "x"), (300, "ax"), (50, "cb"))], [None]], 1000)
    assert found.recall[0, :5].tolist() == [0, 0.5, 0.5, 1, 1]
    assert found.all_gold[0, :5].tolist() == [0, 0, 0, 1, 1]
    assert found.tokens[0, :5].tolist() == [100, 400, 450, 450, 450]
    assert found.limits == (250, 500, 750, 1000)
    # Within 250 tokens the item of 300 is passed over, and what is shorter takes its place.
    assert found.covered[0].tolist() == [0.5, 1, 1, 1]
    assert np.isnan(found.recall[1]).all() and np.isnan(found.covered[1]).all()


def test_questions_without_gold_passages_are_left_out() -> None:
    other = DatasetQuestion("o", "?", (), frozenset())
    both = curves([QUESTION, other], [[record((1, "a")), record((1, "a"), question="o")]], 1000)
    assert both.recall[0].tolist() == curves([QUESTION], [[record((1, "a"))]], 1000).recall[0].tolist()


def test_budget_below_every_limit_becomes_the_limit() -> None:
    assert curves([QUESTION], [[record((1, "ab"))]], 100).limits == (100,)


@given(st.lists(st.tuples(st.integers(1, 400), st.text("abcdefgh", max_size=3)), max_size=30))
def test_curve_at_k_equals_the_measure_at_k(found: list[tuple[int, str]]) -> None:
    one = record(*found)
    drawn, outcome = curves([QUESTION], [[one]], 8000), one.outcome(QUESTION)
    for k in (1, 3, 8, 20):
        assert drawn.recall[0, k - 1] == PassageRecall(k).score(outcome)
        assert drawn.all_gold[0, k - 1] == AllGold(k).score(outcome)
    assert len(KS) == 20 and (np.diff(drawn.tokens[0]) >= 0).all()


def test_facts_without_tokens_fit_with_a_chunk_of_their_passage() -> None:
    free = RetrievedRecord("fact", "one", 0, ("a",))
    chunk = RetrievedRecord("chunk", "all", 300, ("a",))
    other = RetrievedRecord("fact", "two", 100, ("a", "b"))
    one = QuestionRecord("q", "walk", (free, other, chunk), 0, None, NO_TIME)
    assert fitting(one, 400) == [0, 1, 2]
    assert fitting(one, 250) == [1]


@given(st.lists(st.integers(1, 400), max_size=30), st.integers(0, 2000))
def test_budget_curve_includes_exactly_what_fits(tokens: list[int], limit: int) -> None:
    one = record(*((n, "a") for n in tokens))
    kept = fitting(one, limit)
    left = limit - sum(tokens[place] for place in kept)
    assert left >= 0 and kept == sorted(kept)
    assert all(n > left for place, n in enumerate(tokens) if place not in kept)


def test_breakdowns_by_question_properties() -> None:
    questions = [
        DatasetQuestion(str(n), "?", (), frozenset({"a"}), arity=arity, hops=1, kind=kind)
        for n, (arity, kind) in enumerate([(2, ""), (3, ""), (10, "bridge"), (3, "comparison")])
    ]
    values = np.array([[[1.0], [0.0], [0.5], [np.nan]]])
    found = breakdowns(questions, ScoreTable((ScoreColumn("recall@5", 1.0),), values, np.zeros((1, 1), dtype=np.int64)))
    assert [(one.by, one.groups, one.sizes) for one in found] == [
        ("arity", ("2", "3", "10 or more", "n-ary (3 or more)"), (1, 2, 1, 3)),
        ("kind", ("bridge", "comparison"), (1, 1)),
    ]
    assert found[0].means[:, 0, 0].tolist() == [1.0, 0.0, 0.5, 0.25]
    assert np.isnan(found[1].means[1, 0, 0])


@pytest.mark.parametrize("questions", [[], [QUESTION]])
def test_uniform_questions_have_no_breakdown(questions: list[DatasetQuestion]) -> None:
    scores = ScoreTable((ScoreColumn("f1", 100.0),), np.zeros((1, len(questions), 1)), np.zeros((1, 1), dtype=np.int64))
    assert breakdowns(questions, scores) == []
