"""Quantities of claims and sentences: numbers with a unit, which the other may give in another unit.

"20 cm" supports "0.2 m", and "three weeks" supports "21 days", but not "three days".
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal

CARDINALS = {
    "en": (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
        " eighteen nineteen twenty"
    ),
    "de": "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
}
_NUMERALS = {word: Decimal(number) for words in CARDINALS.values() for number, word in enumerate(words.split(), 1)} | {
    "half a": Decimal("0.5"),
    "half an": Decimal("0.5"),
}
# For each dimension its units: their size in the base unit (s, month, m, kg, l, %), and their names.
_DIMENSIONS = {
    "time": {
        "1": "second seconds sec sekunde sekunden",
        "60": "minute minutes min minuten",
        "3600": "hour hours h stunde stunden",
        "86400": "day days tag tage tagen",
        "604800": "week weeks woche wochen",
    },
    "months": {"1": "month months monat monate monaten", "12": "year years jahr jahre jahren"},
    "length": {
        "0.001": "mm millimetre millimetres millimeter millimeters",
        "0.01": "cm centimetre centimetres centimeter centimeters zentimeter",
        "1": "m metre metres meter meters metern",
        "1000": "km kilometre kilometres kilometer kilometers kilometern",
    },
    "mass": {
        "0.001": "g gram grams gramm",
        "1": "kg kilogram kilograms kilo kilos kilogramm",
        "1000": "t tonne tonnes tonnen",
    },
    "volume": {
        "0.001": "ml millilitre millilitres milliliter milliliters",
        "1": "l litre litres liter liters litern",
    },
    "share": {"1": "% percent prozent"},
}
_UNITS = {
    name: (dimension, Decimal(size))
    for dimension, units in _DIMENSIONS.items()
    for size, names in units.items()
    for name in names.split()
}
_PERCENT = re.compile(r"\bper cent\b", re.IGNORECASE)
_DIGITS = r"\d+(?:\.\d+)?"
# "$5m" and "2,5 km" are none, and of "20 to 30 minutes" both numbers have the unit.
_QUANTITY = re.compile(
    rf"(?<![\w.,:$€£])(?:(?P<first>{_DIGITS}) ?(?:to|or|bis|oder|[-–]) ?)?"
    rf"(?:(?P<digits>{_DIGITS})[ -]?|(?P<word>{'|'.join(_NUMERALS)})[ -])"
    rf"(?P<unit>{'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})(?!\w)",
    re.IGNORECASE,
)
# Decimals of a converted number.
_DECIMALS = 3


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount in the base unit of its dimension, and its number in digits."""

    dimension: str
    amount: Decimal
    number: str

    @property
    def written(self) -> Iterator[tuple[str, str]]:
        """The quantity in each unit of its dimension, as a number and a name of the unit."""
        for name, (dimension, size) in _UNITS.items():
            converted = self.amount / size
            if dimension == self.dimension and converted == round(converted, _DECIMALS):
                yield f"{converted.normalize():f}", name


def quantities(text: str) -> frozenset[Quantity]:
    """Return the quantities of a text whose thousands have no marks, and that has no "per cent".

    >>> sorted((one.dimension, str(one.amount)) for one in quantities("in three weeks, 20 cm or 9 %"))
    [('length', '0.20'), ('share', '9'), ('time', '1814400')]
    >>> sorted(one.number for one in quantities("20 to 30 minutes; the eighth tent, 5G, $5m"))
    ['20', '30']
    """
    found = set()
    for match in _QUANTITY.finditer(text):
        unit = match["unit"]
        # 5M and 5G are no lengths and weights.
        if len(unit) == 1 and unit.isupper():
            continue
        dimension, size = _UNITS[unit.lower()]
        last = _NUMERALS[match["word"].lower()] if match["word"] else Decimal(match["digits"])
        for value in [last, Decimal(match["first"])] if match["first"] else [last]:
            found.add(Quantity(dimension, value * size, f"{value.normalize():f}"))
    return frozenset(found)


def with_percent(text: str) -> str:
    """Write "per cent" as one word."""
    return _PERCENT.sub("percent", text)


def contradicted(claimed: Collection[Quantity], stated: Collection[Quantity]) -> bool:
    """Return whether a quantity of a claim is not among those of its sentences, but others of its dimension are."""
    amounts = {(one.dimension, one.amount) for one in stated}
    dimensions = {one.dimension for one in stated}
    return any(one.dimension in dimensions and (one.dimension, one.amount) not in amounts for one in claimed)
