"""The terms of a claim that a sentence must contain to support it: numbers, names and other content words."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal

from polyadic.generation.claim_quantities import CARDINALS, Quantity, quantities, with_percent
from polyadic.retrieval.relevance.stemming import stem, tokens
from polyadic.text.stopwords import function_words

# Numbers and names are what a claim can get wrong; a verb may be any of several.
_NUMBER_WEIGHT, _NAME_WEIGHT, _WORD_WEIGHT = 2.0, 1.5, 1.0
# A part of a word with hyphens or dots, 103 of STS-103; and the year of a month.
_PART_WEIGHT = 0.5
# The number of a numbered name does not count alone: the 6 of Vostok 6 is in any date. A year does.
_YEAR_DIGITS = 4
# Shortest part of a compound: spacewalk, airlock.
_COMPOUND_PART = 3
_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:([,.\u00a0\u202f'’])\d{3})(?:\1\d{3})*(?!\w|[.,]\d)")
# A number with its magnitude: 3.2 million, which may also be written 3,200,000.
_MAGNITUDES = {"thousand": 3, "tausend": 3, "million": 6, "millionen": 6, "billion": 9, "milliarde": 9, "milliarden": 9}
_MAGNITUDE = re.compile(rf"\b(\d+(?:[.,]\d+)?) ({'|'.join(_MAGNITUDES)})\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DECIMAL = re.compile(r"\d+\.\d+")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
_WORD = re.compile(r"[^\W_]+(?:[-./'’][^\W_]+)*")
# A word with its number: Vostok 1, April 1961.
_NUMBERED = re.compile(r"\b(?P<word>(?P<capital>[A-ZÀ-ÖØ-ÞΑ-ΩА-Я])?[^\W\d_]+) (?P<number>\d+[A-Za-z]?)\b")
_CAPITAL = re.compile(r"[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
# An ordinal may stand for a count: "his fourth flight" for "four flights".
_NUMERALS = {
    language: {word: str(number) for listed in words for number, word in enumerate(listed.split(), 1)}
    for language, words in {"en": (CARDINALS["en"], _ORDINALS), "de": (CARDINALS["de"],)}.items()
}
_NUMERALS["en"]["twice"] = "2"


@dataclass(frozen=True, slots=True)
class ClaimTerms:
    """Terms of a clause with their weights; ``numbers`` are those that are written in digits."""

    weights: Mapping[str, float]
    numbers: frozenset[str]
    quantities: frozenset[Quantity]

    @property
    def specific(self) -> frozenset[str]:
        """Numbers and names."""
        return frozenset(term for term, weight in self.weights.items() if weight > _WORD_WEIGHT)

    @property
    def whole(self) -> frozenset[str]:
        """All but parts of words."""
        return frozenset(term for term, weight in self.weights.items() if weight > _PART_WEIGHT)

    def share(self, terms: Collection[str]) -> float:
        """Return the weighted share of these terms, in [0, 1]; 1 for a clause without terms."""
        return self.mean(lambda term: float(contains(terms, term)))

    def mean(self, value: Callable[[str], float]) -> float:
        """Return the weighted mean of a value of each term; 1 for a clause without terms."""
        total = sum(self.weights.values())
        return sum(weight * value(term) for term, weight in self.weights.items()) / total if total else 1.0


def claim_terms(clause: str, language: str) -> ClaimTerms:
    """Return the terms of a clause.

    >>> sorted(claim_terms("He spent 1,804 days on Soyuz 36", "en").weights.items())
    [('1804', 2.0), ('day', 1.0), ('soyuz', 1.5), ('soyuz 36', 1.5), ('spend', 1.0)]
    """
    text = unformatted(clause, language)
    weights: dict[str, float] = {}
    numbers = set()
    numbered = {match["number"]: _numbered(match, language) for match in _NUMBERED.finditer(text) if match["capital"]}
    for word in _WORD.findall(text):
        whole, *parts = _tokens(word) or [""]
        for token in (whole, *parts):
            if not token or token in function_words(language):
                continue
            term = _term(token, language)
            if token == whole and _NUMBER.fullmatch(token):
                numbers.add(term)
            if token in numbered and len(token) < _YEAR_DIGITS:
                continue
            weight = _PART_WEIGHT if token in parts or token in numbered else _weight(word, language)
            weights[term] = max(weight, weights.get(term, 0.0))
    weights |= dict.fromkeys(numbered.values(), _NAME_WEIGHT)
    return ClaimTerms(weights, frozenset(numbers), quantities(text))


def _weight(word: str, language: str) -> float:
    """Return the weight of a word; a German noun has a capital whether it is a name or not."""
    if word[0].isdigit():
        return _NUMBER_WEIGHT
    if language == "de":
        return _WORD_WEIGHT
    return _NAME_WEIGHT if _CAPITAL.search(word) else _WORD_WEIGHT


def contains(terms: Collection[str], term: str) -> bool:
    """Return whether a term is among others, as one word or as a compound of two.

    >>> contains({"walk", "space"}, "spacewalk"), contains({"walk"}, "spacewalk")
    (True, False)
    """
    cuts = range(_COMPOUND_PART, len(term) - _COMPOUND_PART + 1)
    return term in terms or any(term[:cut] in terms and term[cut:] in terms for cut in cuts)


def text_terms(text: str, language: str) -> frozenset[str]:
    """Return the terms of a sentence, in the form in which a claim of this language has them."""
    plain = unformatted(text, language)
    words = {_term(token, language) for token in _tokens(plain)}
    numbered = {_numbered(match, language) for match in _NUMBERED.finditer(plain)}
    written = {term for one in quantities(plain) for pair in one.written for term in pair}
    return frozenset(words | numbered | {_term(term, language) for term in written})


def _tokens(text: str) -> list[str]:
    """Return the words of a text, those that are joined by marks also in parts, but not decimal numbers.

    >>> _tokens("1.9 m in STS-103")
    ['1.9', 'm', 'in', 'sts-103', 'sts', '103']
    """
    found, rest = [], iter(tokens(text))
    for token in rest:
        found.append(token)
        if _DECIMAL.fullmatch(token):
            next(rest), next(rest)
    return found


def _numbered(match: re.Match[str], language: str) -> str:
    return f"{stem(match['word'].lower(), language)} {match['number'].lower()}"


def _term(token: str, language: str) -> str:
    if number := _NUMERALS.get(language, {}).get(token):
        return number
    return token.lstrip("0") or "0" if token.isdecimal() else stem(token, language)


def unformatted(text: str, language: str) -> str:
    """Write numbers in digits without marks between thousands, and remove the English possessive.

    >>> unformatted("Duke's 1,804 days of 2.5 in 1961, 1962, for $3.2 million", "en")
    'Duke 1804 days of 2.5 in 1961, 1962, for $3200000'
    """
    owned = _POSSESSIVE.sub("", text) if language == "en" else text
    unmarked = _THOUSANDS.sub(lambda match: re.sub(r"\D", "", match[0]), owned)
    return with_percent(_MAGNITUDE.sub(_in_digits, unmarked))


def _in_digits(match: re.Match[str]) -> str:
    number = Decimal(match[1].replace(",", ".")).scaleb(_MAGNITUDES[match[2].lower()])
    return f"{number:f}".removesuffix(".0")
