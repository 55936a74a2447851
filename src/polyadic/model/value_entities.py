"""Tell values (dates, amounts, numbers) from named entities, by type and name.

A value takes part in facts, but sharing one does not relate them: facts that share "1962" or "three times" have no
topic in common. So values are neither clustered nor merged, and contexts do not describe them.
"""

import re

from polyadic.text.numeric_names import is_a_number
from polyadic.text.stopwords import words as listed

VALUE_TYPES = listed(
    "date datetime time timestamp year month weekday decade century duration num number numeral integer ordinal"
    " cardinal amount quantity measurement money percent percentage"
)
"""Types of entities that are values, whatever their names."""
# Types of values and of named entities: an area may be 50 hectares or the Bay Area.
_MEASURED_TYPES = listed(
    "age altitude area capacity cost count day depth distance frequency height length mass measure period population"
    " price rate ratio score season size speed sum temperature value velocity volume weight width"
)
_COMPLEMENT = re.compile(r"\s+(?:of|in|per)\s.*|\s*\(.*", re.DOTALL)


def is_value(name: str, entity_type: str = "") -> bool:
    """Return whether an entity is a date, an amount or a number.

    A type decides if there is one: "1984" is a value if it is a year, but not if it is a novel. Without a type, as
    after extraction without a language model, the name decides.

    >>> is_value("20 July 1969"), is_value("three times"), is_value("Apollo 11"), is_value("Neil Armstrong")
    (True, True, False, False)
    >>> is_value("1984", "novel"), is_value("1984", "publication year"), is_value("Bay Area", "area")
    (False, True, False)
    """
    if not entity_type:
        return is_a_number(name)
    head = _COMPLEMENT.sub("", entity_type.casefold()).strip().rpartition(" ")[2]
    if head in VALUE_TYPES or head.removesuffix("s") in VALUE_TYPES:
        return True
    return head in _MEASURED_TYPES and is_a_number(name)
