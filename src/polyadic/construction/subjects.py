"""What each part of a document is about, so that "She was born in London" can say who.

A sentence about the subject of its document rarely repeats its name. The subject is the title; in a long document,
or in one without a title, the nearest heading that names something; failing both, what the paragraph defines, or the
name with which it begins.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from polyadic.construction.definitions import defined, turns
from polyadic.knowledge import Document
from polyadic.text.headings import marked_headings
from polyadic.text.names import Sort, Vocabulary, names
from polyadic.text.plain_text import plain

LONG_DOCUMENT = 20_000
"""Characters from which on a document is taken to have a subject a section."""

_PARAGRAPH = re.compile(r"\S(?:.*\S)?(?:\r?\n[^\S\r\n]*\S.*)*")
_LISTED = re.compile(r"[|>]|[-*+•‣]\s|\(?\d{1,3}[.)]\s")
_NEXT_SENTENCE = re.compile(r"""(?:[.!?]["'”’)\]]*[^\S\n]+|\n[^\S\n]*)(?=[^\s])""")
_OPENING = 300
_LONGEST_SUBJECT = 200


@dataclass(frozen=True, slots=True)
class Subjects:
    """``names[i + 1]`` is the subject from character ``starts[i]`` on, ``names[0]`` the one before all of these."""

    starts: tuple[int, ...]
    names: tuple[str, ...]

    def at(self, character: int) -> str:
        """The subject of the part that holds a character; empty where nothing names it."""
        return self.names[bisect_right(self.starts, character)]


def subjects(document: Document, known: Vocabulary) -> Subjects:
    """Read the subjects of a document.

    >>> text = "Ada was born in London. She died young.\\n\\nBabbage lived longer."
    >>> found = subjects(Document("memory:1", "", text), Vocabulary("en"))
    >>> found.at(30), found.at(50)
    ('Ada', 'Babbage')
    """
    if document.title and len(document.text) < LONG_DOCUMENT:
        return Subjects((), (document.title,))
    found = [heading for heading in marked_headings(document.text) if len(heading.words) <= _LONGEST_SUBJECT]
    parts = [(heading.start, heading.words) for heading in found if _first_name(heading.words, known)]
    if not parts and not document.title:
        parts = list(_openings(document.text, known))
    return Subjects(tuple(start for start, _ in parts), (document.title, *(name for _, name in parts)))


def _openings(text: str, known: Vocabulary) -> Iterator[tuple[int, str]]:
    """Where each paragraph starts, and what its opening words are about; none for a list or a table.

    A paragraph turns to another subject where a sentence says what something else is.
    """
    for paragraph in _PARAGRAPH.finditer(text):
        words, start = paragraph.group(), paragraph.start()
        if _LISTED.match(words):
            yield start, ""
            continue
        subject = _subject(plain(words[:_OPENING]), known)
        yield start, subject
        ends = (sentence.end() for sentence in _NEXT_SENTENCE.finditer(words))
        further = ((start + end, plain(words[end : end + _OPENING])) for end in ends)
        yield from turns(further, known.language, subject)


def _subject(opening: str, known: Vocabulary) -> str:
    first = _first_name(opening, known)
    return defined(opening, known.language, first) or first


def _first_name(sentence: str, known: Vocabulary) -> str:
    found = names(sentence, known)
    return next((name.text for sort in (Sort.NAME, Sort.TERM) for name in found if name.sort is sort), "")
