"""Whether quotations hold a golden answer."""

from collections.abc import Sequence

import pytest

from polyadic.evaluation.answers import can_be_quoted, quotes_the_answer
from polyadic.evaluation.datasets import Question
from polyadic.knowledge import Answer, Knowledge, Usage


def answer(text: str) -> Answer:
    return Answer("?", text, True, (), Knowledge("?", "none", (), 0, 0, ()), Usage(), "", ())


@pytest.mark.parametrize(
    ("golden", "expected"),
    [
        (["London"], True),
        (["london"], True),
        (["the Café de Flore"], True),
        (["Cafe de Flore"], True),
        (["Lond"], False),
        (["Paris", "10 December 1815"], True),
        (["December 1816"], False),
        ([], False),
    ],
)
def test_golden_answers_are_found_as_whole_words(golden: Sequence[str], expected: bool) -> None:
    text = '"She was born in London on 10 December 1815." [1]\n"They met at the Café de Flore." [2]'
    assert quotes_the_answer(answer(text), golden) is expected


@pytest.mark.parametrize(
    ("answers", "expected"),
    [((), False), (("yes",), False), (("No",), False), (("Yes", "Ada Lovelace"), True), (("Norway",), True)],
)
def test_yes_and_no_cannot_be_quoted(answers: tuple[str, ...], expected: bool) -> None:
    assert can_be_quoted(Question("q", "?", answers, frozenset())) is expected
