"""Scores as language models write them, on the scale that was asked for."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from polyadic.llm.replies.model import Problems

_WRITTEN = re.compile(
    r"\s*(?P<number>[+-]?\d{1,12}(?:[.,]\d{1,12})?)\s*"
    r"(?:(?P<percent>%)|(?:/|out of)\s*(?P<of>\d{1,6}(?:\.\d{1,6})?))?\s*"
)
_LONGEST_SCORE = 60


class NoScoreField:
    """Stands where the format has no place for a score, so that none is missing."""


UNSCORED: Final = NoScoreField()


class _Number(NamedTuple):
    """A score that was read: a value, what it is out of where that was said, and whether it has decimals."""

    value: float
    of: float | None = None
    decimal: bool = False


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """Scores of one sort in one reply: in (0, ``top``], ``default`` where none can be read.

    ``unit`` says that the reply uses (0, 1] instead; ``with_zero`` that 0 is in the range as well.
    """

    top: float
    default: float
    unit: bool = False
    with_zero: bool = False

    def read(self, raw: object, problems: Problems) -> float | None:
        """The score in (0, top], or None where none can be read; what is mended is counted.

        >>> scale, problems = ScoreScale(10.0, 5.0), Problems()
        >>> scale.read("85%", problems), scale.read(12, problems), scale.read("high", problems)
        (8.5, 10.0, None)
        """
        if isinstance(raw, NoScoreField):
            return None
        number = _number(raw)
        if number is None:
            problems["score missing" if raw is None or raw == "" else "score not a number"] += 1
            return None
        of = number.of or (1.0 if self.unit else self.top)
        if of != self.top:
            problems["score mended"] += 1
        return self._clamped(number.value * self.top / of, problems)

    def _clamped(self, score: float, problems: Problems) -> float:
        """Where zero is outside the range as well, the least score is a hundredth of the highest."""
        clamped = min(max(score, 0.0 if self.with_zero else self.top / 100), self.top)
        if clamped != score:
            problems["score out of range"] += 1
        return clamped


def scale_of(raws: Iterable[object], top: float, default: float) -> ScoreScale:
    """The scale of all scores of one sort: (0, 1] only where all lie there and one at least has decimals.

    >>> scale_of([0.9, 1], top=10, default=5).unit, scale_of([0.9, 7], top=10, default=5).unit
    (True, False)
    """
    numbers = [number for raw in raws if (number := _number(raw)) and number.of is None]
    unit = all(0 < number.value <= 1 for number in numbers) and any(number.decimal for number in numbers)
    return ScoreScale(top, default, unit)


def _number(raw: object) -> _Number | None:
    if isinstance(raw, str):
        return _written(raw)
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    try:
        value = float(raw)
    except OverflowError:
        value = math.inf if raw > 0 else -math.inf
    return None if math.isnan(value) else _Number(value, decimal=isinstance(raw, float))


def _written(raw: str) -> _Number | None:
    match = _WRITTEN.fullmatch(raw[:_LONGEST_SCORE])
    if match is None:
        return None
    number = match["number"].replace(",", ".")
    of = 100.0 if match["percent"] else float(match["of"] or 0)
    return _Number(float(number), of or None, decimal="." in number)
