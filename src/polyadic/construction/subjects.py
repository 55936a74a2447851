"""What each part of a document is about, so that "She was born in London" can say who.

A sentence about the subject of its document rarely repeats its name. The subject is the title; in a long document,
or in one without a title, the nearest heading that names something; failing both, what the paragraph defines, or the
first name in it, from the sentence on that has it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyadic.construction.definitions import defined, turns
from polyadic.knowledge import Document, Span
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


def subjects(document: Document, known: Vocabulary, sentences: Sequence[Span]) -> Subjects:
    """Read the subjects of a document from its text and its sentences, which come in order.

    >>> text = "She was rich. Ada died young.\\n\\nBabbage lived longer."
    >>> sentences = [Span(0, 13), Span(14, 29), Span(31, 52)]
    >>> found = subjects(Document("memory:1", "", text), Vocabulary("en"), sentences)
    >>> [found.at(sentence.start) for sentence in sentences]
    ['', 'Ada', 'Babbage']
    """
    if document.title and len(document.text) < LONG_DOCUMENT:
        return Subjects((), (document.title,))
    found = [heading for heading in marked_headings(document.text) if len(heading.words) <= _LONGEST_SUBJECT]
    parts = [(heading.start, heading.words) for heading in found if _first_name(heading.words, known)]
    if not parts and not document.title:
        parts = list(_openings(document.text, known, sentences))
    return Subjects(tuple(start for start, _ in parts), (document.title, *(name for _, name in parts)))


def _openings(text: str, known: Vocabulary, sentences: Sequence[Span]) -> Iterator[tuple[int, str]]:
    """Where each paragraph starts to be about what its opening words name; about nothing in a list or a table.

    A paragraph turns to another subject where a sentence says what something else is.
    """
    for paragraph in _PARAGRAPH.finditer(text):
        words, start = paragraph.group(), paragraph.start()
        yield start, ""
        if _LISTED.match(words):
            continue
        first = bisect_left(sentences, start, key=lambda span: span.start)
        last = bisect_left(sentences, min(start + _OPENING, paragraph.end()), key=lambda span: span.start)
        named = ((span.start, _subject(text, span, known)) for span in sentences[first:last])
        begins, subject = next((found for found in named if found[1]), (start, ""))
        if subject:
            yield begins, subject
        ends = (sentence.end() for sentence in _NEXT_SENTENCE.finditer(words, begins - start))
        further = ((start + end, plain(words[end : end + _OPENING])) for end in ends)
        yield from turns(further, known.language, subject)


def _subject(text: str, sentence: Span, known: Vocabulary) -> str:
    first = _first_name(plain(text[sentence.start : sentence.end]), known)
    return defined(plain(text[sentence.start : sentence.start + _OPENING]), known.language, first) or first


def _first_name(sentence: str, known: Vocabulary) -> str:
    found = names(sentence, known)
    return next((name.text for sort in (Sort.NAME, Sort.TERM) for name in found if name.sort is sort), "")
