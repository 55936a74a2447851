"""Exact matches."""

import pytest

from polyadic.evaluation.measures.exact_match import ExactMatch
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
