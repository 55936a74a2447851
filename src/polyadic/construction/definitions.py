"""What a text defines first: "The Last Coupon (1932) is a comedy" is about The Last Coupon."""

import re

from polyadic.text.function_words import ARTICLES, function_words

_COPULAS = {
    "en": "is|was|are|were",
    "de": "ist|war|sind|waren",
    "es": "es|fue|era|son|fueron|eran",
    "fr": "est|était|fut|sont|étaient",
    "it": "è|era|fu|sono|erano",
    "pt": "é|era|foi|são|eram",
    "nl": "is|was|zijn|waren",
}
_BRACKETS = re.compile(r"\s*[(\[（][^()\[\]（）]*(?:\([^()]*\)[^()\[\]（）]*)*[)\]）]")
_OPENS_BRACKETS = r"\s*[(\[（]"
_ENDS = re.compile(r"[.;:]\s")
_ANOTHER_NAME = re.compile(r"\s(?:or|oder|ou|o)\s")
_MARKS = ' "“”„«»*_,'
_LONGEST, _MOST_WORDS = 120, 10


def defined(opening: str, language: str, first_name: str) -> str:
    """What the first sentence of a text says what it is; empty where it is no definition.

    Parameters
    ----------
    opening
        The first few hundred characters.
    language
        Its language (ISO 639-1); of one whose "is" is not known here nothing is taken for a definition.
    first_name
        The first name in it: what begins with a name may go on in small letters.

    Examples
    --------
    >>> defined("Love, Honor and Oh-Baby! is a 1940 American comedy film.", "en", "Love")
    'Love, Honor and Oh-Baby!'
    >>> defined("Cotula australis (Sieber) is a species of plant.", "en", "Cotula")
    'Cotula australis'
    >>> defined("He was a poet.", "en", ""), defined("In 1815 she was born.", "en", "")
    ('', '')
    """
    copulas = _COPULAS.get(language)
    if copulas is None:
        return ""
    end = re.search(rf"{_OPENS_BRACKETS}|,?\s(?:{copulas})\s", opening)
    if end is None or end.start() > _LONGEST:
        return ""
    rest = _BRACKETS.sub("", opening[end.start() :], count=1)
    head = _ANOTHER_NAME.split(opening[: end.start()].strip(_MARKS), maxsplit=1)[0]
    if not re.match(rf"[^.;]{{0,80}}?\b(?:{copulas})\s", rest) or _ENDS.search(head):
        return ""
    return head if _is_name(head.split(), language, first_name.casefold()) else ""


def _is_name(words: list[str], language: str, first_name: str) -> bool:
    """Whether these words may be a name: an article apart it begins like one, and has small letters as names do."""
    if not 0 < len(words) <= _MOST_WORDS:
        return False
    common = function_words(language)
    bare = words[1:] if words[0].casefold() in ARTICLES else words
    if not bare or bare[0].casefold() in common or bare[0][0].islower():
        return False
    goes_on = first_name and " ".join(bare).casefold().startswith(first_name)
    return bool(goes_on) or all(not word[0].islower() or word in common for word in bare)
