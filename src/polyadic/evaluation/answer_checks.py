"""Check whether answers contain a gold answer."""

import re
from collections.abc import Sequence

from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.model.identity import loose_name
from polyadic.model.types import Answer

_NOT_QUOTABLE = {"yes", "no"}
_CITATION = re.compile(r"\[\d+\]")
_MONTHS = tuple(
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)}|{'|'.join(month[:3] for month in _MONTHS)}|sept)"
_YEAR = r"(?P<year>[12]\d{3})"
_DATES = tuple(
    re.compile(rf"\b{form}\b")
    for form in (
        f"{_MONTH} {_DAY} {_YEAR}",
        f"{_DAY}(?: of)? {_MONTH} {_YEAR}",
        f"{_YEAR} (?P<month>0[1-9]|1[0-2]) {_DAY}",
    )
)


def can_be_quoted(question: DatasetQuestion) -> bool:
    """Whether a gold answer can be quoted; "yes" and "no" must be inferred instead."""
    return any(answer.lower() not in _NOT_QUOTABLE for answer in question.answers)


def quotes_the_answer(answer: Answer, gold: Sequence[str]) -> bool:
    """Whether the text of an answer contains a gold answer; see :func:`holds_an_answer`."""
    return holds_an_answer(answer.text, gold)


def holds_an_answer(text: str, gold: Sequence[str]) -> bool:
    """Whether a text contains a gold answer as whole words.

    Case, accents, punctuation, possessives and date formats are ignored. Text in parentheses counts, and may also
    interrupt an answer. Citation markers such as ``[1]`` are removed.

    >>> holds_an_answer("Born in Port-of-Spain.", ["Port of Spain"]), holds_an_answer("in Port-of-Spain", ["Spa"])
    (True, False)
    >>> holds_an_answer("Ada Lovelace (born December 10th, 1815) wrote it.", ["10 December 1815"])
    True
    >>> holds_an_answer("Agnes (Mother Teresa) Bojaxhiu", ["Mother Teresa"])
    True
    """
    texts = {f" {words} " for words in _forms(_CITATION.sub(" ", text))}
    gold_forms = {words for answer in gold for words in _forms(answer) if words}
    return any(f" {words} " in form for words in gold_forms for form in texts)


def _forms(text: str) -> set[str]:
    """Return the normalized words of a text, with and without the text in parentheses."""
    return {_with_plain_dates(loose_name(form)) for form in (text, text.replace("(", " ").replace(")", " "))}


def _with_plain_dates(words: str) -> str:
    """Rewrite full dates as ``10 december 1815``, so that day, month and year match as well."""
    for form in _DATES:
        words = form.sub(_day_month_year, words)
    return words


def _day_month_year(date: re.Match[str]) -> str:
    name = date["month"]
    month = (
        _MONTHS[int(name) - 1]
        if name.isdigit()
        else next(month_name for month_name in _MONTHS if month_name.startswith(name[:3]))
    )
    return f"{int(date['day'])} {month} {date['year']}"
