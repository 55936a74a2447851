"""Compare two names for entity resolution; a pure function of both."""

import re
from dataclasses import dataclass
from enum import StrEnum

from polyadic.resolution.parsed_name import SMALL, ParsedName

SHORTEST_WITH_A_SLIP = 8
_JOINT = re.compile("[-–/]")


class SimilarityKind(StrEnum):
    """How two names are similar, as shown to users."""

    SPELLING = "the same but for accents, spaces and punctuation"
    AMERICAN = "the same but for British and American spelling"
    QUALIFIED = "the same except for a qualifier in parentheses"
    ORDER = "the same words in another order"
    LEGAL = "the same but for the kind of company"
    ACRONYM = "one is the first letters of the other"
    INITIALS = "the same but for a first name given by its initial"
    MIDDLE = "the same but for names in the middle"
    LAST = "one name ends with the other"
    FIRST = "one name begins with the other"
    SLIP = "the same but for one letter"
    MEANING = "their descriptions are alike"
    STATED = "a description gives the other name"


@dataclass(frozen=True, slots=True)
class NameSimilarity:
    """How two names are similar; ``short`` is the index (0 or 1) of the short form, or None."""

    likeness: SimilarityKind
    short: int | None = None


def compare_names(one: ParsedName, other: ParsedName) -> NameSimilarity | None:
    """Return how two names are similar; None if they are not, or if something distinguishes them.

    >>> compare_names(ParsedName.of("Apollo 11"), ParsedName.of("Apollo 12")) is None
    True
    >>> compare_names(ParsedName.of("IMF"), ParsedName.of("International Monetary Fund"))
    NameSimilarity(likeness=<SimilarityKind.ACRONYM: 'one is the first letters of the other'>, short=0)
    """
    if one.qualifier and other.qualifier and one.qualifier != other.qualifier:
        return None
    if one.symbols != other.symbols or not any(map(str.isalpha, one.squeezed)):
        return None
    if one.is_value or other.is_value or (one.path and other.path and one.path != other.path):
        return None
    if one.squeezed == other.squeezed:
        if one.digits != other.digits:
            return None
        return NameSimilarity(SimilarityKind.QUALIFIED if one.qualifier != other.qualifier else SimilarityKind.SPELLING)
    for place, (short, long) in enumerate(((one, other), (other, one))):
        if short.is_acronym and short.squeezed in long.acronyms:
            return NameSimilarity(SimilarityKind.ACRONYM, place)
    if one.numbers != other.numbers or one.qualifier != other.qualifier:
        return None
    if one.american == other.american:
        return NameSimilarity(SimilarityKind.AMERICAN)
    if sorted(one.words) == sorted(other.words):
        return NameSimilarity(SimilarityKind.ORDER)
    if one.core == other.core:
        return NameSimilarity(SimilarityKind.LEGAL)
    # In designations with numbers, letters distinguish as well: Soyuz T-12, Soyuz TM-12.
    is_designation = one.has_digits or other.has_digits
    if len(one.words) != len(other.words):
        place = 0 if len(one.words) < len(other.words) else 1
        short, long = (one, other) if place == 0 else (other, one)
        found = (None if is_designation else _middle(short, long) or _initials(short, long)) or _within(short, long)
        return NameSimilarity(found, place) if found else None
    if is_designation:
        return None
    if initial := _initials(one, other):
        return NameSimilarity(initial, 0 if len(one.squeezed) < len(other.squeezed) else 1)
    differs = one.is_distinguishing(set(one.words) - set(other.words)) or one.is_distinguishing(
        set(other.words) - set(one.words)
    )
    return NameSimilarity(SimilarityKind.SLIP) if _slip(one, other) and not differs else None


def _middle(short: ParsedName, long: ParsedName) -> SimilarityKind | None:
    """Match Henrik Angell and Henrik August Angell; J. Angell is left to :func:`_initials`."""
    if len(short.words) < 2 or len(short.words[0]) == 1 or short.text.islower():
        return None
    rest = iter(long.words[1:-1])
    ends_agree = short.words[0] == long.words[0] and short.words[-1] == long.words[-1]
    if not ends_agree or not all(word in rest for word in short.words[1:-1]):
        return None
    added = [word for word in long.words if word not in short.words]
    distinct = long.is_distinguishing(added) or any(word in SMALL for word in added)
    return None if distinct else SimilarityKind.MIDDLE


def _initials(one: ParsedName, other: ParsedName) -> SimilarityKind | None:
    """Match names word by word; words may be initials, middle names may be missing, last names must be equal."""
    if not (one.may_have_initials and other.may_have_initials):
        return None
    short, long = sorted((one.words, other.words), key=len)
    if len(short) < 2 or short[-1] != long[-1] or len(short[-1]) < 2:
        return None
    rest = iter(long[:-1])
    matches = all(any(_is_initial(word, whole) for whole in rest) for word in short[:-1])
    if not matches or not _is_initial(short[0], long[0]):
        return None
    return SimilarityKind.INITIALS if any(len(word) == 1 for word in (*short[:-1], *long[:-1])) else None


def _is_initial(word: str, whole: str) -> bool:
    return word == whole or (1 in (len(word), len(whole)) and word[0] == whole[0])


def _within(short: ParsedName, long: ParsedName) -> SimilarityKind | None:
    """Match Curtis and Ian Curtis, Taito and Taito Station; after "of" or "in" comes another entity.

    A longer common noun ("character actor") is a kind of what the shorter one means.
    """
    count = len(short.words)
    if len(short.squeezed) < 3 or short.words[0] in SMALL or long.is_distinguishing(short.words):
        return None
    if short.text.islower() or _is_part(short, long):
        return None
    added_before, added_after = long.words[:-count], long.words[count:]
    if long.words[-count:] == short.words:
        distinct = added_before[-1] in SMALL or long.is_distinguishing(added_before)
        return None if distinct else SimilarityKind.LAST
    if long.words[:count] == short.words:
        distinct = long.is_distinguishing(added_after) or "and" in added_after
        return None if distinct else SimilarityKind.FIRST
    return None


def _is_part(short: ParsedName, long: ParsedName) -> bool:
    """Return whether a name is part of a compound ("Danish-German"), or a place in which another one lies.

    >>> whole = ParsedName.of("Rome, Italy")
    >>> _is_part(ParsedName.of("Italy"), whole), _is_part(ParsedName.of("Rome"), whole)
    (True, False)
    """
    compounds = (_JOINT.split(word) for word in long.text.split() if _JOINT.search(word))
    is_compound = len(short.words) == 1 and any(short.text in parts for parts in compounds)
    return is_compound or long.text.endswith(f", {short.text}")


def _slip(one: ParsedName, other: ParsedName) -> bool:
    """Whether two long names differ by one substitution, insertion, deletion or transposition of letters."""
    short, long = sorted((one.squeezed, other.squeezed), key=len)
    if len(short) < SHORTEST_WITH_A_SLIP or len(long) - len(short) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[start:] == long[start + 1 :]
    swapped = short[start + 1 : start + 2] + short[start : start + 1] + short[start + 2 :]
    return short[start + 1 :] == long[start + 1 :] or swapped == long[start:]
