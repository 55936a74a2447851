"""Measures of rankings as ``ir_measures`` computes them."""

from functools import cache
from typing import TYPE_CHECKING

from polyadic.errors import SettingsError
from polyadic.evaluation.outcome import QuestionOutcome

if TYPE_CHECKING:
    from ir_measures import Measure


@cache
def named(notation: str) -> "Measure":
    """A measure of ``ir_measures`` by its notation, such as ``R@5``.

    Raises
    ------
    SettingsError
        That library is not installed.
    """
    # Imported late: it brings SciPy, and most commands measure nothing.
    try:
        from ir_measures import parse_measure
    except ImportError as error:
        raise SettingsError(
            f"{notation} is computed by ir_measures, which is not installed", "pip install 'polyadic[eval]'"
        ) from error
    return parse_measure(notation)


def of_passages(notation: str, outcome: QuestionOutcome) -> float | None:
    """A measure of the passages that were retrieved, in [0, 1]; None where a question has no gold passages.

    A passage that comes again is not relevant again, but takes its place in the ranking.
    """
    measure = named(notation)
    if not outcome.question.gold:
        return None
    gold = dict.fromkeys(outcome.question.gold, 1)
    ranked: dict[str, float] = {}
    for place, passage in enumerate(outcome.passages):
        ranked[passage if passage not in ranked else f"\0{place}"] = float(-place)
    (found,) = measure.iter_calc({"": gold}, {"": ranked})
    return float(found.value)
