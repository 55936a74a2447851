"""Find the subject that a sentence defines: "The Last Coupon (1932) is a comedy" defines The Last Coupon."""

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
# A full stop after a word of one or two characters is often part of an abbreviation.
_ENDS = re.compile(r"(?<!\b\w)(?<!\b\w\w)\.\s|[;:]\s")
_ANOTHER_NAME = re.compile(r"\s(?:or|oder|ou|o)\s")
_MARKS = ' "“”„«»*_,'
_QUOTED = re.compile(r"""["“„«][^"“”„«»]+["”“»]""")
_MAX_LENGTH, _MAX_WORDS = 120, 10
# Maximum length of lower-case particles within names: "bin", "van", "el", "ap".
_MAX_PARTICLE = 3


def defined(opening: str, language: str, first_name: str) -> str:
    """Return the subject that an opening sentence defines; empty if it is not a definition.

    Parameters
    ----------
    opening
        First few hundred characters of the text.
    language
        ISO 639-1 code; nothing is found in languages without a list of copulas.
    first_name
        First name in the sentence; a subject that begins with it may continue in lower case.

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
    if end is None or end.start() > _MAX_LENGTH:
        return ""
    subject = opening[: end.start()].strip()
    rest = _BRACKETS.sub("", opening[end.start() :], count=1)
    head = _ANOTHER_NAME.split(subject.strip(_MARKS), maxsplit=1)[0]
    if not re.match(rf"[^.;]{{0,80}}?\b(?:{copulas})\s", rest) or _ENDS.search(head):
        return ""
    if rest.startswith(","):
        head = head.partition(",")[0]
    is_name = _QUOTED.fullmatch(subject) or _is_name(head.split(), language, first_name.casefold())
    return head if is_name else ""


def turns(sentences: Iterable[tuple[int, str]], language: str, subject: str = "") -> Iterator[tuple[int, str]]:
    """Yield the offsets at which a text turns to another subject, by a definition, with the subject.

    Parameters
    ----------
    sentences
        Start offset and first few hundred characters of each sentence.
    language
        As for :func:`defined`.
    subject
        Subject of the text before. After Ada Lovelace was defined, Lovelace is the same subject.

    >>> sentences = ["Ada Lovelace was a poet's daughter.", "Lovelace was fond of birds.", "The Engine is a machine."]
    >>> list(turns(enumerate(sentences), "en"))
    [(0, 'Ada Lovelace'), (2, 'The Engine')]
    """
    known = _content_words(subject)
    for start, opening in sentences:
        name = defined(opening, language, "")
        if name and not _content_words(name) <= known:
            known = _content_words(name)
            yield start, name


def _content_words(name: str) -> set[str]:
    """Words of a name without articles."""
    return set(name.casefold().split()) - ARTICLES


def _is_name(words: list[str], language: str, first_name: str) -> bool:
    """Whether words may be a name: capitalized, apart from articles, function words and short particles."""
    if not 0 < len(words) <= _MAX_WORDS:
        return False
    common = function_words(language)
    bare = words[1:] if words[0].casefold() in ARTICLES else words
    if not bare or bare[0].casefold() in common or bare[0][0].islower() or bare[-1] in common:
        return False
    continues_name = first_name and " ".join(bare).casefold().startswith(first_name)
    return bool(continues_name) or all(_may_be_in_name(word, common) for word in bare)


def _may_be_in_name(word: str, common: Collection[str]) -> bool:
    return not word[0].islower() or word in common or len(word) <= _MAX_PARTICLE
