"""Detect names that are numbers or codes."""

import re

from polyadic.text.named_entities import NameKind, Vocabulary, names

# "139 km", "150 million records": numbers, and words without a capital.
_COUNTED = re.compile(r"\d[\d.,]*(?:\s+(?:\d[\d.,]*|[^\W\d_]+))*")
# "000A", "4f3c", "12-b"; not "3D printing".
_CODE = re.compile(r"[\W_]*\d[\w.:/#-]*|[^\W\d]")


def is_a_code(name: str) -> bool:
    """Return whether a name is a single letter, or one word that begins with a digit.

    >>> is_a_code("000A"), is_a_code("N"), is_a_code("STS-71"), is_a_code("船")
    (True, True, False, False)
    """
    return _CODE.fullmatch(name) is not None and not (len(name) == 1 and name > "\u2e80")


def is_a_number(name: str) -> bool:
    """Return whether a name is a number, an amount or a date.

    >>> is_a_number("12 May 1843"), is_a_number("139 km"), is_a_number("1984 (novel)"), is_a_number("ada")
    (True, True, False, False)
    """
    if not any(character.isdigit() for character in name):
        return False
    if not any(character.isalpha() for character in name) or (name.islower() and _COUNTED.fullmatch(name)):
        return True
    found = names(name, Vocabulary("en"))
    sorts = {one.sort for one in found}
    return bool(found) and sorts <= {NameKind.NUMBER, NameKind.DATE} and len(found[0].text) == len(name.strip())
