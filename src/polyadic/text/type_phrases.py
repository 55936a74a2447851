"""Read from a sentence what kind of thing a name refers to: "the dog Laika", "Skylab was a space station".

English only. The patterns are those of Hearst (1992), definitions and appositions.
"""

import re
from collections.abc import Iterator

from polyadic.text.stopwords import function_words, words

_LONGEST = 5
_REACH = 160
_BRACKETS = r"(?:\s*\([^()]*\))?"
_IS = re.compile(
    rf"{_BRACKETS}(?:\s+(?:is|was|are|were)\s+(?:(?:also|still|then|one of)\s+)?|,\s+)(?:an?|the)\s+(?P<phrase>\w.*)",
    re.DOTALL,
)
_AND_OTHER = re.compile(rf"{_BRACKETS},?\s+(?:and|or)\s+other\s+(?P<phrase>\w.*)", re.DOTALL)
_NAME = r"[A-Z0-9][\w.'’-]*(?:\s+[A-Z0-9][\w.'’-]*)*"
_LISTED_BEFORE = re.compile(rf"(?:{_NAME}(?:,?\s+and\s+|,\s+))*$")
_SUCH_AS = re.compile(r"(?P<phrase>(?:[a-z][\w-]*\s+){0,2}[a-z][\w-]*),?\s+(?:such as|including|like)\s+$")
_LAST_WORD = re.compile(r"(?P<word>[^\W_]+(?:-[^\W_]+)*)(?P<after>['’]s)?[\s\"“'‘]+$")
# What may stand before "dog Laika"; after other words, "flew" of "She flew Endeavour" would be its kind.
_BEFORE_A_KIND = words("the a an his her its their our my and or of by on in at from to with for aboard as")
_PHRASE_WORD = re.compile(r"\s*([^\W_]+(?:[-'’][^\W_]+)*)")
_PARTICIPLE = re.compile(r"\w+(?:ed|ing)|built|made|known|written|held|shot|won|sent|born|found")


def type_phrases(name: str, sentence: str) -> Iterator[str]:
    """Yield the phrases that a sentence uses for the kind of a name, in lower case; their last word is the noun.

    >>> list(type_phrases("Enos", "The chimpanzee Enos circled the Earth twice."))
    ['chimpanzee']
    >>> list(type_phrases("Strelka", "The dogs Belka and Strelka came back."))
    ['dogs']
    >>> list(type_phrases("Challans", "Challans is a railway station located in Vendée."))
    ['railway station']
    >>> list(type_phrases("COSTAR", "They installed COSTAR, a set of mirrors, and left."))
    ['set']
    >>> list(type_phrases("Mir", "Sally Ride flew to stations such as Skylab and Mir."))
    ['stations']
    """
    start = sentence.find(name)
    if not name or start < 0:
        return
    before, after = sentence[max(0, start - _REACH) : start], sentence[start + len(name) :][:_REACH]
    for pattern in (_IS, _AND_OTHER):
        if (found := pattern.match(after)) and (phrase := _noun_phrase(found["phrase"])):
            yield phrase
    listed = _LISTED_BEFORE.search(before)
    before = before[: listed.start()] if listed else before
    found = _SUCH_AS.search(before)
    if phrase := _nouns_before(f"the {found['phrase']} " if found else before):
        yield phrase


def _noun_phrase(text: str) -> str:
    """Return the noun phrase with which a text begins, without participles at its end."""
    words: list[str] = []
    end = 0
    while len(words) < _LONGEST and (found := _PHRASE_WORD.match(text, end)):
        if found[1].lower() in function_words("en"):
            break
        words.append(found[1].lower())
        end = found.end()
    while words and _PARTICIPLE.fullmatch(words[-1]):
        words.pop()
    return " ".join(words)


def _nouns_before(text: str) -> str:
    """Return the words in lower case with which a text ends, if an article or a preposition precedes them.

    >>> [_nouns_before(text) for text in ("aboard the cargo ship ", "They installed ", "Apollo 11's module ")]
    ['cargo ship', '', 'module']
    """
    found: list[str] = []
    while match := _LAST_WORD.search(text):
        word = match["word"]
        if match["after"] or word in _BEFORE_A_KIND or not word.islower():
            break
        if word in function_words("en") or len(found) == _LONGEST:
            return ""
        found.append(word)
        text = text[: match.start()]
    match = _LAST_WORD.search(text)
    is_nominal = match is not None and (bool(match["after"]) or match["word"].lower() in _BEFORE_A_KIND)
    is_phrase = is_nominal and bool(found) and not _PARTICIPLE.fullmatch(found[0])
    return " ".join(reversed(found)) if is_phrase else ""
