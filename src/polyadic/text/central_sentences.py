"""Which sentences may tell what a document is about by themselves, and which names may be those of a theme."""

import re

from polyadic.model.identity import normal_text
from polyadic.text.anaphoric_words import ANAPHORA, PROXIMAL
from polyadic.text.cjk import has_ideographs
from polyadic.text.headings import is_heading
from polyadic.text.numeric_names import is_a_code, is_a_number
from polyadic.text.stopwords import function_words

_SHORTEST, _LONGEST = 25, 400
_ENDS = (".", "!", "。", "！", "…", "؟", "।", '."', ".”", ".)")
_NUMBERED = re.compile(
    r"\s*(?:(?:\(?(?:\d{1,3}[a-z]?|[a-z]|[ivx]{1,5})\)|\d{1,3}(?:\.\d{1,3})*\.?|[-*•‣–o§]|第[\d零〇一二三四五六七八九十百千]+条)\s+)+",
    re.IGNORECASE,
)
# Speech, not a term that is defined: four words and more, or the mark of a clause before the quotation ends.
_SPEECH = re.compile(
    r"\W*[“„«»「『\"](?:[^”“»«」』\"]*[,.?!…—-][”“»«」』\"]|(?:[^\s”“»«」』\"]+\s+){3})|[“„][^”“]*[,?!][”“]"
)
_DIVISIONS = (
    r"(?:art(?:ikel|icle|ículo|icolo)?|abs(?:atz(?:es)?|ätzen?)?|satz|sätzen?|kapitel|chapter|cap[ií]tulo|teil|part|titel|title"
    r"|abschnitt|buch|book|nummer|nr|no|section|sections|sec|clause|clauses|figure|fig|table|tabelle|abbildung|anlage"
    r"|anhang|appendix|annex|rfc)"
)
_REFERENCE = re.compile(
    rf"§|\[[\w ,.-]{{1,20}}\]|\b{_DIVISIONS}\.?\s*\d|第[\d一二三四五六七八九十百]+[条條章节款]", re.IGNORECASE
)
_EXAMPLE = re.compile(
    r"(?:for )?examples?\b|see\b|siehe\b|véase\b|voir\b|e\.g\.|zum beispiel|z\. ?b\.|por ejemplo|par exemple|例如",
    re.IGNORECASE,
)
_DIVISION_OF_A_NAME = re.compile(
    rf"(?:{_DIVISIONS}\.?\s+(?:\d[\w.]*|[ivxlc]+\b)|§+\s*\d\w*|\d+(?:\.\d+)*\.?(?=\s)|[ivxlc]+\.)[\s:–—-]*",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_LEAST_LETTERS = 0.9
_TELLING_LETTERS = re.compile(r"[^\W\d_]|[\s,.'’-]")
# A German noun of this length is made of two.
_COMPOUND = 12
_IDEOGRAPHS_OF_A_TERM = 3


def without_number(sentence: str) -> int:
    """Where a sentence begins after the number or the mark of its paragraph.

    >>> without_number("(1) Human dignity is inviolable."), without_number("Human dignity.")
    (4, 0)
    """
    found = _NUMBERED.match(sentence)
    return found.end() if found else 0


def is_central(quote: str, language: str) -> bool:
    """Whether a sentence can stand alone: no speech, question, reference, example or fragment, and nothing refers back.

    >>> [is_central(said, "en") for said in ("Skylab was the first American space station.", "“No,” said he to Ada.")]
    [True, False]
    >>> [is_central(said, "en") for said in ("It was launched in May of that year.", "See Section 4 for the details.")]
    [False, False]
    """
    said = normal_text(quote)
    if not is_whole(quote):
        return False
    if "?" in said or "？" in said or _SPEECH.search(said) or _REFERENCE.search(said) or _EXAMPLE.match(said):
        return False
    first = _FIRST_WORD.search(said)
    if first is None or first.group()[0].islower() or _refers_back(first.group().lower(), language):
        return False
    return len(_TELLING_LETTERS.findall(said)) >= _LEAST_LETTERS * len(said)


def is_whole(quote: str) -> bool:
    """Whether something is a sentence of some length, and no heading."""
    said = normal_text(quote)
    long_enough = len(said) >= (_SHORTEST if said.isascii() else _SHORTEST // 3)
    return long_enough and len(said) <= _LONGEST and not is_heading(quote) and said.endswith(_ENDS)


def _refers_back(word: str, language: str) -> bool:
    known = ANAPHORA.get(language)
    return known is not None and (
        word in known.openers | known.pronouns | known.possessives | known.demonstratives or word in PROXIMAL
    )


def theme_name(name: str) -> str:
    """A name without the number of its section.

    >>> theme_name("4.1. Client Requirements"), theme_name("Kapitel 4 - Aufsicht"), theme_name("Art 74")
    ('Client Requirements', 'Aufsicht', '')
    """
    return _DIVISION_OF_A_NAME.sub("", name, count=1).strip() if _DIVISION_OF_A_NAME.match(name) else name


def is_theme(name: str, language: str) -> bool:
    """Whether a name says by itself what something is about: no number, code, reference or single everyday word.

    >>> [is_theme(name, "en") for name in ("Skylab", "flow control", "window", "Section 5")]
    [True, True, False, False]
    >>> is_theme("Vorschrift", "de"), is_theme("Familiengericht", "de"), is_theme("应当", "zh")
    (False, True, False)
    """
    said = theme_name(name)
    if not said or is_a_number(said) or is_a_code(said):
        return False
    found = [word for word in _FIRST_WORD.findall(said) if word.lower() not in function_words(language)]
    if not found:
        return False
    if len(found) > 1:
        return True
    if has_ideographs(said):
        return len(found[0]) >= _IDEOGRAPHS_OF_A_TERM
    return len(found[0]) >= _COMPOUND if language == "de" else not found[0].islower()
