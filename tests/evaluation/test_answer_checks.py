"""Whether quotations hold a gold answer."""

from collections.abc import Sequence

import pytest

from polyadic.evaluation.answer_checks import can_be_quoted, holds_an_answer, quotes_the_answer
from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.model.types import Answer, Knowledge, Usage


def answer(text: str) -> Answer:
    return Answer("?", text, True, (), Knowledge("?", "none", (), 0, 0, ()), Usage(), "", ())


@pytest.mark.parametrize(
    ("gold", "expected"),
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
def test_gold_answers_match_whole_words(gold: Sequence[str], expected: bool) -> None:
    text = '"She was born in London on 10 December 1815." [1]\n"They met at the Café de Flore." [2]'
    assert quotes_the_answer(answer(text), gold) is expected


@pytest.mark.parametrize(
    ("answers", "expected"),
    [((), False), (("yes",), False), (("No",), False), (("Yes", "Ada Lovelace"), True), (("Norway",), True)],
)
def test_yes_and_no_cannot_be_quoted(answers: tuple[str, ...], expected: bool) -> None:
    assert can_be_quoted(DatasetQuestion("q", "?", answers, frozenset())) is expected


@pytest.mark.parametrize(
    "written",
    [
        "10 December 1815",
        "December 10, 1815",
        "10th of December, 1815",
        "Dec. 10th, 1815",
        "1815-12-10",
    ],
)
@pytest.mark.parametrize("gold", ["10 December 1815", "December 10, 1815", "1815-12-10", "December 1815", "1815"])
def test_dates_match_in_any_format(written: str, gold: str) -> None:
    assert holds_an_answer(f"Ada Lovelace (born {written}) was a mathematician.", [gold])


@pytest.mark.parametrize("gold", ["11 December 1815", "10 November 1815", "10 December 1816", "0 December 1815"])
def test_different_dates_do_not_match(gold: str) -> None:
    assert not holds_an_answer("She was born on December 10, 1815.", [gold])


def test_other_answers_are_compared_as_words() -> None:
    assert holds_an_answer("The march 4 miles long", ["march 4 miles"])
    assert holds_an_answer("Extension 1815 12 99", ["1815 12 99"])


def test_parentheses_may_interrupt_an_answer() -> None:
    text = "Agnes (Mother Teresa) Bojaxhiu"
    assert holds_an_answer(text, ["mother teresa"])
    assert holds_an_answer(text, ["Agnes Bojaxhiu"])
    assert holds_an_answer(text, ["Agnes Bojaxhiu (nun)"])
    assert not holds_an_answer(text, ["Teresa Agnes"])


def test_citation_marker_is_not_an_answer() -> None:
    assert not holds_an_answer('"There were several of them." [2]', ["2"])
    assert holds_an_answer('"There were 2 of them." [1]', ["2"])
