"""Compute ranking measures with ``ir_measures``."""

from functools import cache
from typing import TYPE_CHECKING

from polyadic.errors import SettingsError
from polyadic.evaluation.outcome import QuestionOutcome

if TYPE_CHECKING:
    from ir_measures import Measure


@cache
def named(notation: str) -> "Measure":
    """Return a measure of ``ir_measures`` by its notation, such as ``R@5``.

    Raises
    ------
    SettingsError
        ``ir_measures`` is not installed.
    """
    # Imported here: it imports SciPy, and most commands need no measure.
    try:
        from ir_measures import parse_measure
    except ImportError as error:
        raise SettingsError(
            f"{notation} needs ir_measures, which is not installed", "pip install 'polyadic[eval]'"
        ) from error
    return parse_measure(notation)


def of_passages(notation: str, outcome: QuestionOutcome) -> float | None:
    """Compute a measure of the retrieved passages, 0 to 1; None if the question has no gold passages.

    A repeated passage keeps its rank but counts as not relevant.
    """
    measure = named(notation)
    if not outcome.question.gold:
        return None
    gold = dict.fromkeys(outcome.question.gold, 1)
    ranked: dict[str, float] = {}
    for place, passage in enumerate(outcome.passages):
        ranked[passage if passage not in ranked else f"\0{place}"] = float(-place)
    (result,) = measure.iter_calc({"": gold}, {"": ranked})
    return float(result.value)
