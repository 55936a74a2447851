"""Parse scores as language models write them, and convert them to the requested scale."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from polyadic.llm.replies.parsed_reply import Problems

_WRITTEN = re.compile(
    r"\s*(?P<number>[+-]?\d{1,12}(?:[.,]\d{1,12})?)\s*"
    r"(?:(?P<percent>%)|(?:/|out of)\s*(?P<of>\d{1,6}(?:\.\d{1,6})?))?\s*"
)
_LONGEST_SCORE = 60


class NoScoreField:
    """Marks a format without a score field, so that the score does not count as missing."""


UNSCORED: Final = NoScoreField()


class _Number(NamedTuple):
    """A parsed score: value, maximum if one was given, and whether it has decimals."""

    value: float
    of: float | None = None
    decimal: bool = False


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """The scale of scores of one kind in a reply: (0, ``top``], with ``default`` for unreadable scores.

    ``unit`` means that the reply uses (0, 1] instead; ``with_zero`` includes 0 in the range.
    """

    top: float
    default: float
    unit: bool = False
    with_zero: bool = False

    def read(self, raw: object, problems: Problems) -> float | None:
        """Return the score in (0, top], or None if it cannot be read; conversions are counted.

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
        """Clamp a score to the range; if zero is excluded, the minimum is a hundredth of the maximum."""
        clamped = min(max(score, 0.0 if self.with_zero else self.top / 100), self.top)
        if clamped != score:
            problems["score out of range"] += 1
        return clamped


def scale_of(raws: Iterable[object], top: float, default: float) -> ScoreScale:
    """Infer the scale of the scores of one kind: (0, 1] only if all lie there and at least one has decimals.

    >>> scale_of([0.9, 1], top=10, default=5).unit, scale_of([0.9, 7], top=10, default=5).unit
    (True, False)
    """
    numbers = [number for raw in raws if (number := _number(raw)) and number.of is None]
    unit = all(0 < number.value <= 1 for number in numbers) and any(number.decimal for number in numbers)
    return ScoreScale(top, default, unit)


def _number(raw: object) -> _Number | None:
    if isinstance(raw, str):
        return _parsed(raw)
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    try:
        value = float(raw)
    except OverflowError:
        value = math.inf if raw > 0 else -math.inf
    return None if math.isnan(value) else _Number(value, decimal=isinstance(raw, float))


def _parsed(raw: str) -> _Number | None:
    match = _WRITTEN.fullmatch(raw[:_LONGEST_SCORE])
    if match is None:
        return None
    number = match["number"].replace(",", ".")
    of = 100.0 if match["percent"] else float(match["of"] or 0)
    return _Number(float(number), of or None, decimal="." in number)
