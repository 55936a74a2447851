"""Decide whether a window supports what a model states as its fact: the numbers and names must be there."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from polyadic.extraction.letters import WORD, letters_of, stem_of
from polyadic.extraction.number_words import knows_digits, numbers_in_words
from polyadic.llm.replies.parsed_reply import ParsedFact
from polyadic.text.numeric_names import is_a_number
from polyadic.text.stopwords import words as listed

_NUMBER = re.compile(r"\d+(?:[.,’'\u00a0\u202f]\d+)*")
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2})+")
_SECOND_YEAR = re.compile(r"\b(\d\d)(\d\d)\s?[-–/]\s?(\d\d)\b")
_SHORTEST_NAME = 4
# Adjectives of countries have other letters than their names ("French", "Dutch").
_OF_A_COUNTRY = re.compile(r"(?:ish|ese|[aei]?an|ch|sh|ic|i|ek|ois|aise?|ien(?:ne)?)s?$")
# Languages whose common nouns are capitalized.
_CAPITALIZED_NOUNS = frozenset(("de", "lb"))
_WITHIN_A_SENTENCE = (" ", ", ")
# Before terms that a fact capitalizes, and hardly ever before a name of a person or place.
_ARTICLES = listed("a an the this that its le la les l el los las il lo gli o os as un une una uno een het de der")


class WindowText:
    """What a model was given of a window, for looking up names and numbers.

    Parameters
    ----------
    text
        The window with its title and context.
    language
        Its language (ISO 639-1). Numbers of one digit are only looked for if their words are known.
    document
        The whole document, where all words of a name may be that a window shortens.

    >>> window = WindowText("Mira Falk founded the museum of Osk in 1962–64.")
    >>> window.contains("Osk museum"), window.has_words("Osk museum"), window.has_name("Mira Turin")
    (False, True, False)
    >>> window.missing_numbers("From 1964 to 1987.")
    ['1987']
    >>> WindowText("Falk left.", "en", "Mira Falk came. Falk left.").has_name("Mira Falk")
    True
    """

    def __init__(self, text: str, language: str = "en", document: str = "") -> None:
        self.language = language
        self._text = text
        self._document = document

    def contains(self, name: str) -> bool:
        """Return whether the window has the letters of a name in a row."""
        letters = letters_of(name)
        return bool(letters) and letters in self._letters

    def has_name(self, name: str, kind: str = "") -> bool:
        """Return whether the window has a name: one of its capitalized words, and the document all others.

        Endings do not matter, nor numbers, which are looked for in the whole fact. Words of its kind may be missing
        ("Company" of a company), and a name may be in initials on either side ("NASA").
        """
        capitalized = [word for word in WORD.findall(name) if not word.islower() and not word.isdecimal()]
        if not capitalized or self._has_initials(capitalized):
            return True
        kinds = {stem_of(word) for word in WORD.findall(kind)}
        missing = [word for word in capitalized if not self._has_stem(word)]
        return len(missing) < len(capitalized) and all(
            len(word) == 1 or stem_of(word) in kinds or stem_of(word) in self._all_letters for word in missing
        )

    def has_words(self, name: str) -> bool:
        """Return whether the window has all words of a name, whatever their endings and wherever they are."""
        return all(map(self._has_stem, WORD.findall(name)))

    def has_inner_name(self, word: str) -> bool:
        """Return whether the document has a capitalized word of a fact, whatever its ending."""
        is_common = len(word) < _SHORTEST_NAME or is_a_number(word) or _OF_A_COUNTRY.search(word) is not None
        return is_common or self._has_stem(word) or stem_of(word) in self._all_letters

    def missing_numbers(self, fact: str) -> list[str]:
        """Return the numbers of a fact that the window does not contain."""
        return [number for number in _NUMBER.findall(fact) if not self._has_number(number)]

    def _has_stem(self, word: str) -> bool:
        return stem_of(word) in self._letters

    def _has_initials(self, name: Sequence[str]) -> bool:
        if len(name) > 1:
            return "".join(word[0] for word in name) in self._capitals
        return name[0].isupper() and len(name[0]) > 1 and name[0] in self._initials

    def _has_number(self, number: str) -> bool:
        digits = _digits(number)
        if digits in self._numbers or (len(digits) == 1 and not knows_digits(self.language)):
            return True
        # Section 2.1 may be the first paragraph below the heading "2. Restrictions".
        return _SECTION.fullmatch(number) is not None and self._numbers.issuperset(number.split("."))

    @cached_property
    def _letters(self) -> str:
        return letters_of(self._text)

    @cached_property
    def _all_letters(self) -> str:
        return letters_of(self._document) if self._document else self._letters

    @cached_property
    def _capitals(self) -> frozenset[str]:
        """Words in capitals, without full stops: U.S. is US."""
        return frozenset(word for word in WORD.findall(self._text.replace(".", "")) if word.isupper())

    @cached_property
    def _initials(self) -> str:
        return "".join(word[0] for word in WORD.findall(self._text) if word[0].isupper())

    @cached_property
    def _numbers(self) -> frozenset[str]:
        years = (century + year for century, _, year in _SECOND_YEAR.findall(self._text))
        in_words = numbers_in_words(self._text, self.language)
        return frozenset((*map(_digits, _NUMBER.findall(self._text)), *in_words, *years))


def why_unsupported(fact: ParsedFact, window: WindowText, is_cited: bool = True, is_translated: bool = False) -> str:
    """Say why a window does not support a fact; empty if it does, as far as names and numbers tell.

    Parameters
    ----------
    fact
        The fact as the model wrote it.
    window
        The window with its title and context.
    is_cited
        Whether it cites a sentence of the window, or need not.
    is_translated
        Whether it may be in another language than the window; then only names of entities are looked for.
    """
    if not is_cited:
        return "it cites no sentence of the text"
    if numbers := window.missing_numbers(fact.text):
        return f"the text does not contain the number {numbers[0]}"
    named = ((fact.form(entity), entity.type) for entity in fact.participants)
    name = next((form for form, kind in named if not window.has_name(form, kind)), None)
    if name is None and not is_translated:
        name = next(_unnamed(fact, window), None)
    return f"the text does not contain the name {name}" if name else ""


def _unnamed(fact: ParsedFact, window: WindowText) -> Iterator[str]:
    """Yield names within a fact that are in no name of an entity, and of which no word is in the document."""
    if window.language in _CAPITALIZED_NOUNS:
        return
    named = {stem_of(word) for entity in fact.participants for word in WORD.findall(fact.form(entity))}
    for words in _inner_names(fact.text):
        if not any(stem_of(word) in named or window.has_inner_name(word) for word in words):
            yield " ".join(words)


def _inner_names(text: str) -> Iterator[list[str]]:
    """Yield runs of capitalized words within sentences, but no terms ("the Company", "Section 2").

    >>> list(_inner_names("In 1962 Mira Falk met the King of Osk under Section 2. He left Jonas."))
    [['Mira', 'Falk'], ['Osk'], ['Jonas']]
    """
    tokens = list(WORD.finditer(text))
    gaps = ["", *(text[one.end() : other.start()] for one, other in pairwise(tokens)), ""]
    place = 0
    while place < len(tokens):
        first = place
        while place < len(tokens) and tokens[place][0][0].isupper() and (place == first or gaps[place] == " "):
            place += 1
        is_within = gaps[first] in _WITHIN_A_SENTENCE and tokens[first - 1][0].lower() not in _ARTICLES
        is_numbered = place < len(tokens) and gaps[place] == " " and tokens[place][0].isdecimal()
        if place > first and is_within and not is_numbered:
            yield [token[0] for token in tokens[first:place]]
        place = max(place, first + 1)


def _digits(number: str) -> str:
    return "".join(character for character in number if character.isdigit())
