"""Parse a name for entity resolution: words, numbers, qualifier and distinguishing signs."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from polyadic.model.identity import entity_key, loose_name
from polyadic.model.value_entities import is_value
from polyadic.text.stopwords import words as listed

_QUALIFIER = re.compile(r"\(([^()]+)\)\s*$")
_WORD = re.compile(r"[^\W\d_]+(?:['’.&][^\W\d_]+)*|\d+")
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_LETTERS = re.compile(r"[^\W_]+")
_ONE_LETTER_WORDS = frozenset("AI")
_SYMBOLS = frozenset("+#*=<>%°$€£@")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.?){2,8}")
_POSSESSIVE = re.compile(r"['’]s\b")
# Matches ".ch", "--connect", "!pattern", but not quotation marks, brackets or inverted Spanish marks.
_LEADING_SIGN = re.compile(r"[^\w\s\"'“”„‟«»‹›‘’‚‛`´()\[\]{}<>¿¡*_]+(?=\w)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_BRITISH = (
    (re.compile(r"isation(s|al)?$"), r"ization\1"),
    (re.compile(r"(?<=[^\W\d_]{3})our(s?)$"), r"or\1"),
    # With other consonants, the two endings are those of different names, such as Andre and Ander.
    (re.compile(r"(?<=[^\W\d_]{2}[bcght])re(s?)$"), r"er\1"),
)
_PATH = re.compile(r"(?:[A-Za-z][A-Za-z\d+.-]*:/|~|\.{1,2})?/\S*")
_LONE_LETTER = re.compile(r"(?<![^\W\d_])[^\W\d_](?![^\W\d_])\W?")

SMALL = listed(
    "of the and for in on at to a an de del della di da la le les des du der die das und et y e von van den en el al"
)
"""Words that acronyms skip, and that introduce another entity."""
LEGAL = listed(
    "inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag kg se sa sas sarl spa srl bv nv ab as"
    " oy kk pty sl"
)
"""Legal forms of companies."""
_DISTINGUISHING = listed(
    "north south east west northern southern eastern western central new old upper lower inner outer great greater"
    " lesser little junior senior jr sr mr mrs ms miss lady lord sir king queen prince princess men women mens womens"
    " boys girls male female younger elder father mother son daughter brother sister first last pre post anti non un"
    " born nord sud ouest est norte sur este oeste nuevo nueva neu alt ober unter"
)
_NUMBERS = {
    word: str(number)
    for words in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    )
    for number, word in enumerate(words.split())
}


@dataclass(frozen=True)
class ParsedName:
    """A parsed name; ``words`` are those of its loose form.

    >>> (ParsedName.of("Mercury (planet)").qualifier, ParsedName.of("World War II").numbers,
    ... ParsedName.of("J. R. R. Tolkien").words)
    ('planet', ('2',), ('j', 'r', 'r', 'tolkien'))
    """

    text: str
    words: tuple[str, ...]
    qualifier: str
    numbers: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "ParsedName":
        qualifier = _QUALIFIER.search(entity_key(text))
        bare = _QUALIFIER.sub("", text).strip() or text
        return cls(text, tuple(loose_name(text).split()), qualifier[1].strip() if qualifier else "", _numbers(bare))

    @cached_property
    def squeezed(self) -> str:
        """Letters and digits only, without modifier letters."""
        return "".join(c for word in self.words for c in word if unicodedata.category(c) != "Lm") or "".join(self.words)

    @cached_property
    def american(self) -> tuple[str, ...]:
        """Words in American spelling, as far as their endings tell.

        >>> ParsedName.of("Organisation of the Harbour Theatre").american
        ('organization', 'of', 'the', 'harbor', 'theater')
        >>> ParsedName.of("Andre's Four Hours in Acre").american
        ('andre', 'four', 'hours', 'in', 'acre')
        """
        return tuple(map(_american, self.words))

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """Significant signs that ``words`` omits: they distinguish C++ from C#, and ".ch" from "CH"."""
        leading = _LEADING_SIGN.match(self.text)
        return (leading[0] if leading else "", *sorted(sign for sign in self.text if sign in _SYMBOLS))

    @cached_property
    def digits(self) -> tuple[str, ...]:
        """Runs of digits in order: "1.6" has two, "16" has one, "10,000" has one."""
        return tuple(_DIGITS.findall(_THOUSANDS.sub("", _QUALIFIER.sub("", self.text))))

    @cached_property
    def accented(self) -> str:
        """Letters and digits only, with the accents that ``squeezed`` omits."""
        return "".join(filter(str.isalnum, _QUALIFIER.sub("", entity_key(self.text))))

    @cached_property
    def core(self) -> tuple[str, ...]:
        """Words without a capitalized legal form at the end."""
        kept, letters = list(self.words), _LETTERS.findall(self.text)
        while len(kept) > 1 and kept[-1] in LEGAL and not letters[-1][0].islower():
            kept, letters = kept[:-1], letters[:-1]
        # "S.A." and "A.G." are split into letters.
        while len(kept) > 2 and len(kept[-1]) == len(kept[-2]) == 1 and kept[-2] + kept[-1] in LEGAL:
            kept = kept[:-2]
        return tuple(kept)

    @cached_property
    def may_have_initials(self) -> bool:
        """Whether its single letters may be initials of a person: "J. K. Rowling", but not "N-th" or "rc.d.gz".

        All words other than small ones are capitalized. Each single letter is followed by a full stop or a space; one
        without a full stop is not a word ("A", "I").
        """
        words = self.text.split()
        if any(word[0].islower() and word.casefold() not in SMALL for word in words):
            return False
        return all(map(_may_be_initial, _LONE_LETTER.findall(self.text)))

    @cached_property
    def is_acronym(self) -> bool:
        """Whether it looks like an acronym: capitals, possibly with full stops."""
        letters = self.text.replace(".", "").replace("&", "")
        return bool(_ACRONYM.fullmatch(self.text.replace("&", ""))) and letters.isupper() and 2 <= len(letters) <= 8

    @cached_property
    def acronyms(self) -> frozenset[str]:
        """Possible acronyms: first letters of its words, with and without small words."""
        if len(self.words) < 2:
            return frozenset()
        parts = _POSSESSIVE.sub("", self.text).replace("-", " ").split()
        words = [word.casefold() for part in parts if (word := "".join(c for c in part if c.isalnum()))]
        large = [word for word in words if word not in SMALL]
        found = {"".join(w[0] for w in some) for some in (words, large, [w for w in large if w not in LEGAL])}
        return frozenset(short for short in found if len(short) >= 2)

    @cached_property
    def has_digits(self) -> bool:
        return bool(_DIGITS.search(self.squeezed))

    @cached_property
    def path(self) -> str:
        """The name without a final slash if it is an absolute path, one from a home or current folder, or a URL.

        >>> [ParsedName.of(name).path for name in ("/usr/lib/", "https://example.org", "AC/DC", "/ is the root")]
        ['/usr/lib', 'https://example.org', '', '']
        """
        return (self.text.rstrip("/") or "/") if _PATH.fullmatch(self.text) else ""

    @cached_property
    def is_value(self) -> bool:
        """Whether it is a date, an amount or a number; such names match only if they are equal."""
        return is_value(self.text)

    def is_distinguishing(self, words: Iterable[str]) -> bool:
        """Return whether one of these words distinguishes entities with otherwise equal names."""
        return any(word in _DISTINGUISHING or word in _NUMBERS or _DIGITS.search(word) for word in words)


def _american(word: str) -> str:
    for ending, american in _BRITISH:
        word = ending.sub(american, word)
    return word


def _may_be_initial(letter: str) -> bool:
    """Return whether a single letter may be an initial, given the character after it, if any.

    >>> [_may_be_initial(letter) for letter in ("J.", "J ", "A.", "A ", "N-", "d.")]
    [True, True, True, False, False, False]
    """
    if letter[0].islower():
        return False
    return letter[1:] == "." or (letter[1:] in ("", " ") and letter[0] not in _ONE_LETTER_WORDS)


def _numbers(text: str) -> tuple[str, ...]:
    """Numbers in a name as sorted digit strings; reads digits, words and Roman numerals."""
    found = []
    for place, word in enumerate(_WORD.findall(text)):
        digits = _DIGITS.search(word)
        if digits:
            found.append(digits[0].lstrip("0") or "0")
        elif word.casefold() in _NUMBERS:
            found.append(_NUMBERS[word.casefold()])
        # A Roman numeral does not begin a name, and a single C or L may be a letter.
        elif place and word not in ("C", "L") and _ROMAN.fullmatch(word):
            found.append(str(_roman_value(word)))
    return tuple(sorted(found))


def _roman_value(roman: str) -> int:
    values = [{"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}[letter] for letter in roman]
    following = [*values[1:], 0]
    return sum(-one if one < then else one for one, then in zip(values, following, strict=True))
