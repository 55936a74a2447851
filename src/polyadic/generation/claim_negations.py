"""Negations: a sentence that negates a word contradicts a claim that has this word and no negation.

The negated word is the next content word: "does not restart", "keine Fehler". Other languages than English and German
are not checked.
"""

import re
from itertools import islice, pairwise

from polyadic.generation.claim_terms import text_terms, unformatted
from polyadic.text.stopwords import function_words
from polyadic.text.words import WORD

_LANGUAGES = ("en", "de")
# Negations that stand before what they negate; "nobody may stay for more than a day" allows a day.
_PRECEDING = r"no longer|nicht (?:mehr|länger)|not|no|never|cannot|\w+n['’]t|nicht|nie|niemals|kein\w{0,2}"
_PRECEDING_NEGATION = re.compile(_PRECEDING, re.IGNORECASE)
_NEGATION = re.compile(
    rf"\b(?:{_PRECEDING}|without|nobody|nothing|none|neither|nor|except|instead"
    r"|ohne|niemand|nichts|weder|außer|statt)\b",
    re.IGNORECASE,
)
# Comparatives that bound a number ("no more than ten"), and emphasis ("not only").
_NO_NEGATION = re.compile(
    r"\b(?:not|no|nicht) (?:(?:more|less|fewer|longer|later|earlier|mehr|weniger|länger|später) (?:than|als)"
    r"|only|just|nur)\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:.!?()–—|]")
# So many words may stand between a negation and what it negates: "may not be".
_NEAR = 4


def is_negated(claim: str, sentence: str, language: str) -> bool:
    """Return whether a sentence negates a word of a claim that has no negation.

    >>> is_negated("It restarts by itself", "It does not restart by itself.", "en")
    True
    >>> is_negated("It waits for the switch", "It does not restart by itself.", "en")
    False
    >>> is_negated("Tickets are sold at the gate", "Tickets are no longer sold at the gate.", "en")
    True
    """
    if language not in _LANGUAGES or _NEGATION.search(_NO_NEGATION.sub("", claim)):
        return False
    plain = _NO_NEGATION.sub("", unformatted(sentence, language))
    negations = [match for match in _NEGATION.finditer(plain) if _PRECEDING_NEGATION.fullmatch(match[0])]
    negated = [span for match in negations if (span := _negated_word(plain, match.end(), language))]
    words = text_terms(" ".join(plain[start:end] for start, end in negated), language)
    rest = "".join(plain[a:b] for (_, a), (b, _) in pairwise([(0, 0), *negated, (len(plain), 0)]))
    return bool((words & text_terms(claim, language)) - text_terms(rest, language))


def _negated_word(text: str, start: int, language: str) -> tuple[int, int] | None:
    """Return the first content word after a negation, in its clause, as a start and an end; None if none is near."""
    end = _CLAUSE_END.search(text, start)
    words = islice(WORD.finditer(text, start, end.start() if end else len(text)), _NEAR)
    return next((match.span() for match in words if match[0].lower() not in function_words(language)), None)
