"""Recognize questions that ask for all items of a kind: "Which ships recovered capsules?", "List all museums".

Only forms that nearly always ask for several items are recognized: a command with "all" in English, German, Spanish or
French, and in English "which" or "what" before a noun in the plural, and "list" or "name" with nothing but such a noun.
"Which two films ..." and "Which of these films ..." compare items that the question names, and are not recognized. Nor
is "Which company supplies the pumps?", in which the word in -s is a verb.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.text.english_words import DETERMINERS, PREPOSITIONS, VERBS, is_adverb, is_participle
from polyadic.text.stopwords import function_words, words

PERSON = "person"
"""The kind that questions with "who" ask for."""

_MAX_LENGTH = 300
# Words of a noun phrase before the noun in the plural: "United States Navy aircraft carriers".
_LONGEST_PHRASE = 5

_COMMAND = re.compile(
    r"(?:please |can you |could you )*(?:list|name|enumerate|mention|give|show|tell|find)(?: me| us)?"
    r" (?:all|every|each)(?: of)?(?: the| these| those| our| my)? (?P<en>\w.*)"
    r"|(?:bitte )?(?:nenne|liste|zähle|gib|zeige?)(?: mir| uns)?(?: bitte)? alle (?P<de>\w.*?)(?: auf| an)?"
    r"|(?:por favor,? )?(?:enumera|lista|nombra|menciona|dame|di)(?:me)? tod[oa]s l[oa]s (?P<es>\w.*)"
    r"|(?:énumérez?|listez?|nommez?|citez?|donnez?)(?:[- ]moi)? tou(?:s|tes) les (?P<fr>\w.*)",
    re.IGNORECASE,
)
# Without "all", and without a condition that only some items of the kind meet.
_ENUMERATE = re.compile(
    r"(?:please |can you |could you )*(?:list|name|enumerate)(?: me| us)?(?: the| your| our)?"
    r" (?P<kind>(?:\w+ ){0,3}\w+)",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"(?:please )?(?:list|name|enumerate|mention|give|show)(?: me| us)? (?:them all|all(?: of them)?|every one|all .+)"
    r"|(?:bitte )?(?:nenne|liste|zähle)(?: mir| uns)? (?:sie )?alle(?: auf)?",
    re.IGNORECASE,
)
_WHICH = re.compile(r"(?:which|what)(?P<are> (?:are|were)(?: all)? the)? (?P<rest>\w.*)", re.IGNORECASE)
_WHO = re.compile(r"who (?:is|are|was|were|has|have|had|did) .+", re.IGNORECASE)
_DOCUMENTS = re.compile(
    r",? (?:that|which)?(?: are| is)? ?(?:described|mentioned|listed|covered|there|called|(?:the|these|all) documents"
    r" (?:describe|mention|list|name|tell of|cover))\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
# Nouns with the same form in singular and plural: only "all" indicates a list.
_INVARIABLE = words("aircraft spacecraft watercraft hovercraft sheep fish species series")
# Nouns that are not recognized as plurals by their form, although most of them end in -s.
_NO_PLURALS = _INVARIABLE | words("news physics mathematics economics politics means lens canvas atlas alias")
_NO_ENDINGS = ("ss", "us", "is", "'s", "’s")
_IRREGULAR = {
    "women": "woman", "men": "man", "people": "person", "children": "child", "mice": "mouse", "feet": "foot",
    "teeth": "tooth", "criteria": "criterion", "phenomena": "phenomenon", "bacteria": "bacterium", "buses": "bus",
    "viruses": "virus", "lives": "life", "wives": "wife", "knives": "knife", "movies": "movie",
}  # fmt: skip
_NUMBERS = words("one two three four five six seven eight nine ten both either")
# Before or at a verb in the plural or in the past, which follows a noun in the plural.
_AUXILIARIES = words("are were have had do does did can could will would may might must shall should")
_CLAUSES = words("that which who whose where when because if")
# What follows a verb in the singular: its object or direction.
_AFTER_A_VERB = DETERMINERS - words("both") | words("me you him it us them to up out off away down back if as when")


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """A question for all items of a kind.

    Parameters
    ----------
    kind
        The kind in the singular, in lower case: "ship".
    phrase
        The question without its form: "ships of the US Navy that recovered capsules".
    asks_for_all
        Whether the question says so ("list all", "name them all"); otherwise a plural alone suggests it.
    """

    kind: str
    phrase: str
    asks_for_all: bool


def list_question(question: str) -> ListQuestion | None:
    """Recognize a question for all items of a kind; None for other questions.

    >>> list_question("List all ships of the US Navy that recovered capsules.")
    ListQuestion(kind='ship', phrase='ships of the US Navy that recovered capsules', asks_for_all=True)
    >>> list_question("Which universities are in Ohio?")
    ListQuestion(kind='university', phrase='universities are in Ohio', asks_for_all=False)
    >>> [list_question(text) for text in ("Which ship recovered Apollo 13?", "Which two ships are older than Noa?")]
    [None, None]
    """
    if len(question) > _MAX_LENGTH:
        return None
    first, *others = [part.strip(" ¿¡.?!") for part in _SENTENCE_END.split(" ".join(question.split()))]
    asks_for_all = any(_ALL.fullmatch(other) for other in others)
    if command := _COMMAND.fullmatch(first):
        language, rest = next((name, text) for name, text in command.groupdict().items() if text is not None)
        kind = _plural_of(rest, _INVARIABLE) if language == "en" else _first_noun(rest, language)
        return _found(kind, rest, True)
    invariable = _INVARIABLE if asks_for_all else frozenset()
    if which := _WHICH.fullmatch(first):
        kind = _plural_of(which["rest"], invariable, has_verb=not which["are"])
        return _found(kind, which["rest"], asks_for_all)
    if enumerated := _ENUMERATE.fullmatch(first):
        kind = _plural_of(enumerated["kind"], invariable)
        is_kind = kind == _singular(enumerated["kind"].lower().split()[-1])
        return _found(kind if is_kind else "", enumerated["kind"], asks_for_all)
    return _found(PERSON, first, True) if asks_for_all and _WHO.fullmatch(first) else None


def _found(kind: str, phrase: str, asks_for_all: bool) -> ListQuestion | None:
    return ListQuestion(kind, _DOCUMENTS.sub("", phrase).removesuffix(" are"), asks_for_all) if kind else None


def _plural_of(phrase: str, invariable: frozenset[str] = frozenset(), has_verb: bool = False) -> str:
    """Return the singular of the noun in the plural with which a phrase begins; empty if there is none.

    ``invariable`` are nouns that count as plurals although their form is that of the singular. ``has_verb`` if the verb
    of the question follows the noun.

    >>> _plural_of("Shuttle missions serviced Hubble"), _plural_of("book lists of Ada"), _plural_of("of the ships")
    ('mission', 'list', '')
    >>> _plural_of("book lists all kings", has_verb=True)
    ''
    """
    found, last = "", 0
    all_words: list[str] = _WORD.findall(phrase)
    for place, word in enumerate(map(_lowered, all_words[:_LONGEST_PHRASE])):
        if word in _NUMBERS or word in function_words("en"):
            break
        singular = word if word in invariable else _singular(word)
        if found and not singular:
            break
        if found and has_verb and last and all_words[last - 1].islower():
            # "department handles complaints", but "sports clubs".
            return ""
        if singular:
            found, last = singular, place
    return "" if found and has_verb and _is_verb(all_words, last) else found


def _is_verb(phrase: Sequence[str], place: int) -> bool:
    """Return whether a word in -s, with which a noun phrase may end, is a verb in the singular.

    After the noun of a phrase comes a verb in the plural or in the past; after a verb its object or its adverbial.

    >>> [_is_verb(text.split(), 1) for text in ("bus goes to Arden", "bus lines go to Arden", "shop sells bread")]
    [True, False, True]
    >>> [_is_verb(text.split(), 1) for text in ("bus stops at noon", "bus stops at Mill Street have a roof")]
    [True, False]
    """
    word, following = phrase[place].lower(), phrase[place + 1 :]
    if not following:
        return place > 0
    after = following[0].lower()
    if _is_plural_verb(following[0]):
        return False
    if after in _AFTER_A_VERB or word in VERBS:
        return True
    if not place or after in _CLAUSES:
        return False
    if after in PREPOSITIONS:
        clause = next((at for at, one in enumerate(following) if one.lower() in _CLAUSES), len(following))
        return not any(map(_is_plural_verb, following[:clause]))
    # "bus lines cross Arden", but "person owns boats".
    beyond = following[1] if len(following) > 1 else ""
    has_object = beyond.istitle() or beyond.lower() in DETERMINERS | PREPOSITIONS or is_adverb(beyond)
    return not has_object or bool(_singular(after)) or not following[0].islower()


def _is_plural_verb(word: str) -> bool:
    """Return whether a word looks like a verb in the plural or in the past: "are", "go", "recovered", not "goes"."""
    small = word.lower()
    return small in _AUXILIARIES or is_participle(small) or (small in VERBS and not small.endswith(("s", "ing")))


def _lowered(word: str) -> str:
    """Return a word in lower case, but keep abbreviations: "US" is no pronoun."""
    return word if len(word) > 1 and word.isupper() else word.lower()


def _singular(word: str) -> str:
    """Return the singular of an English noun in the plural; empty for other words.

    >>> [_singular(word) for word in ("universities", "buses", "boxes", "women", "series", "ship")]
    ['university', 'bus', 'box', 'woman', '', '']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not word.endswith("s") or word.endswith(_NO_ENDINGS) or word in _NO_PLURALS or len(word) < 4:
        return ""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses", "zzes")) else word[:-1]


def _first_noun(phrase: str, language: str) -> str:
    """Return the noun of a phrase: in German the first word with a capital letter, elsewhere the first word."""
    found: list[str] = _WORD.findall(phrase)
    if language == "de":
        found = [word for word in found if word[0].isupper()] or found
    return found[0].lower() if found else ""
