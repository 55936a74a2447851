"""The recorded verdicts on facts, and the tables made from them."""

from collections import Counter

import pytest

from benchmarks.fact_scores import HEADING, PAGE, JudgedFact, calibration_error, discrimination, read, tables
from benchmarks.report_sections import section


def fact(score: float, right: bool) -> JudgedFact:
    return JudgedFact("", "", score, True, right)


def test_at_least_300_facts_are_judged() -> None:
    assert min(Counter(one.group for one in read()).values()) >= 100 and len({one.fact for one in read()}) >= 300


def test_page_has_the_tables_of_the_verdicts() -> None:
    assert section(PAGE.read_text(encoding="utf-8"), HEADING).strip() == "\n".join([HEADING, *tables(read())]).strip()


def test_scores_that_are_probabilities_have_no_calibration_error() -> None:
    calibrated = [fact(5, True), fact(5, False), fact(10, True)]
    assert calibration_error(calibrated) == 0
    assert calibration_error([*calibrated, fact(10, False)]) == pytest.approx(0.25)


def test_discrimination_counts_ties_half() -> None:
    assert discrimination([fact(8, True), fact(8, False), fact(6, False)]) == 0.75
    assert discrimination([fact(8, True)]) is None
