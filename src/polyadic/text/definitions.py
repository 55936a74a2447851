"""What a text defines first: "The Last Coupon (1932) is a comedy" is about The Last Coupon."""

import re
from collections.abc import Collection, Iterable, Iterator

from polyadic.text.stopwords import ARTICLES, function_words

_COPULAS = {
    "en": "is|was|are|were",
    "de": "ist|war|sind|waren",
    "es": "es|fue|era|son|fueron|eran",
    "fr": "est|était|fut|sont|étaient",
    "it": "è|era|fu|sono|erano",
    "pt": "é|era|foi|são|eram",
    "nl": "is|was|zijn|waren",
}
_BRACKETS = re.compile(r"(?:\s*[(\[（][^()（）]*(?:\([^()]*\)[^()（）]*)*[)\]）])+")
_OPENS_BRACKETS = r"\s*[(\[（]"
# After a word of one or two letters or digits a full stop is often no end.
_ENDS = re.compile(r"(?<!\b\w)(?<!\b\w\w)\.\s|[;:]\s")
_ANOTHER_NAME = re.compile(r"\s(?:or|oder|ou|o)\s")
_MARKS = ' "“”„«»*_,'
_QUOTED = re.compile(r"""["“„«][^"“”„«»]+["”“»]""")
_LONGEST, _MOST_WORDS = 120, 10
# In small letters, of those within names: "bin", "van", "el", "ap".
_LONGEST_PARTICLE = 3


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
    >>> defined("Mary E. Falk, known as May, was a poet.", "en", ""), defined('"Not Now" is a song.', "en", "")
    ('Mary E. Falk', 'Not Now')
    >>> defined("He was a poet.", "en", ""), defined("In 1815 she was born.", "en", "")
    ('', '')
    """
    copulas = _COPULAS.get(language)
    if copulas is None:
        return ""
    end = re.search(rf"{_OPENS_BRACKETS}|,?\s(?:{copulas})\s", opening)
    if end is None or end.start() > _LONGEST:
        return ""
    said = opening[: end.start()].strip()
    rest = _BRACKETS.sub("", opening[end.start() :], count=1)
    head = _ANOTHER_NAME.split(said.strip(_MARKS), maxsplit=1)[0]
    if not re.match(rf"[^.;]{{0,80}}?\b(?:{copulas})\s", rest) or _ENDS.search(head):
        return ""
    if rest.startswith(","):
        head = head.partition(",")[0]
    is_name = _QUOTED.fullmatch(said) or _is_name(head.split(), language, first_name.casefold())
    return head if is_name else ""


def turns(sentences: Iterable[tuple[int, str]], language: str, subject: str = "") -> Iterator[tuple[int, str]]:
    """Where a text turns to another subject, and to which: where a sentence says what something else is.

    Parameters
    ----------
    sentences
        Where each sentence starts, and its first few hundred characters.
    language
        As for :func:`defined`.
    subject
        What the text is about before. Who was defined as Ada Lovelace is meant by Lovelace.

    >>> told = ["Ada Lovelace was a poet's daughter.", "Lovelace was fond of birds.", "The Engine is a machine."]
    >>> list(turns(enumerate(told), "en"))
    [(0, 'Ada Lovelace'), (2, 'The Engine')]
    """
    known = _telling(subject)
    for start, opening in sentences:
        name = defined(opening, language, "")
        if name and not _telling(name) <= known:
            known = _telling(name)
            yield start, name


def _telling(name: str) -> set[str]:
    """The words of a name, articles apart."""
    return set(name.casefold().split()) - ARTICLES


def _is_name(words: list[str], language: str, first_name: str) -> bool:
    """Whether these words may be a name: articles apart it begins and ends like one, and has small letters as such."""
    if not 0 < len(words) <= _MOST_WORDS:
        return False
    common = function_words(language)
    bare = words[1:] if words[0].casefold() in ARTICLES else words
    if not bare or bare[0].casefold() in common or bare[0][0].islower() or bare[-1] in common:
        return False
    goes_on = first_name and " ".join(bare).casefold().startswith(first_name)
    return bool(goes_on) or all(_may_stand_in_a_name(word, common) for word in bare)


def _may_stand_in_a_name(word: str, common: Collection[str]) -> bool:
    return not word[0].islower() or word in common or len(word) <= _LONGEST_PARTICLE
