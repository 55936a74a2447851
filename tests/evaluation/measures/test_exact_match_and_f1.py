"""Exact matches."""

import pytest

from polyadic.evaluation.measures.exact_match_and_f1 import F1, ExactMatch
from tests.evaluation.measures.outcomes import outcome


@pytest.mark.parametrize(
    ("answer", "golds", "expected"),
    [
        ("<answer>The Palme d'Or.</answer>", ["palme dor"], 100),
        ("1992", ["1991", "1992"], 100),
        ("in 1992", ["1992"], 0),
        ("", [""], 100),
        ("Ada", [], None),
        (None, ["Ada"], None),
    ],
)
def test_exact_match_compares_normalized_answers(answer: str | None, golds: list[str], expected: float | None) -> None:
    assert ExactMatch().score(outcome(answer, golds)) == expected


# 22 words, two of which are in the gold answer: 2 · 2 / (22 + 3).
LONG = (
    "Doctors may lower blood pressure by renal denervation which cuts nerves around kidneys with radio waves "
    "when drugs have not helped enough"
)


@pytest.mark.parametrize(
    ("answer", "golds", "expected"),
    [
        ("Ada Lovelace", ["Ada Lovelace"], 100),
        ("The ADA, Lovelace!", ["ada lovelace"], 100),
        ("Ada", ["Ada Lovelace"], 200 / 3),
        ("Charles Babbage", ["Ada Lovelace"], 0),
        ("", ["Ada Lovelace"], 0),
        ("the", ["a"], 0),
        ("Ada Lovelace", ["Babbage", "Ada", "Lady Ada Lovelace"], 80),
        ("no no no", ["no"], 50),
        ("no no", ["no no"], 100),
        (LONG, ["ultrasound renal denervation"], 16),
    ],
)
def test_f1_counts_common_words_with_multiplicity(answer: str, golds: list[str], expected: float) -> None:
    assert F1().score(outcome(answer, golds)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("generation", "expected"),
    [
        ("<think>Not Babbage.</think><answer>Ada Lovelace [2]</answer> I hope so.", 100),
        ("<think>Not Babbage.</think>Ada Lovelace", 200 * 2 / 6),
        ("Ada Lovelace [2]", 100),
    ],
)
def test_only_the_tagged_answer_counts_or_else_the_whole_generation(generation: str, expected: float) -> None:
    assert F1().score(outcome(generation, ["Ada Lovelace"])) == pytest.approx(expected)


def test_f1_needs_an_answer_and_a_gold_answer() -> None:
    assert F1().score(outcome(None, ["Ada"])) is None
    assert F1().score(outcome("Ada", [])) is None
