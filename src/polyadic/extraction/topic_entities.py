"""What each part of a document is about, so that "She was born in London" can say who.

A sentence about the subject of its document rarely repeats its name. The subject is the title; in a long document,
or in one without a title, the innermost heading above that names something; failing both, what the paragraph defines,
or the first name in it, from the sentence on that has it. In a changelog it is the heading of the entry, in a
configuration that of the section.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyadic.model.types import Document, Heading, Span
from polyadic.text.definitions import defined, turns
from polyadic.text.headings import marked_headings, names_release, without_section_number
from polyadic.text.named_entities import NameKind, Vocabulary, names
from polyadic.text.plain_text import plain

LONG_DOCUMENT = 20_000
"""Characters from which on a document is taken to have a subject a section."""

_PARAGRAPH = re.compile(r"\S(?:.*\S)?(?:\r?\n[^\S\r\n]*\S.*)*")
_LISTED = re.compile(r"[|>]|[-*+•‣]\s|\(?\d{1,3}[.)]\s")
_NEXT_SENTENCE = re.compile(r"""(?:[.!?]["'”’)\]]*[^\S\n]+|\n[^\S\n]*)(?=[^\s])""")
_SECTION_IN_BRACKETS = re.compile(r"\[[^\[\]]+\]")
_FEWEST_ENTRIES = 2
# Of the headings of a level: as many name a release or a section of a configuration where these are entries.
_MOSTLY = 0.5
_OPENING = 300
_LONGEST_SUBJECT = 200


@dataclass(frozen=True, slots=True)
class TopicEntities:
    """``names[i + 1]`` is the subject from character ``starts[i]`` on, ``names[0]`` the one before all of these."""

    starts: tuple[int, ...]
    names: tuple[str, ...]

    def at(self, character: int) -> str:
        """The subject of the part that holds a character; empty where nothing names it."""
        return self.names[bisect_right(self.starts, character)]


def subjects(document: Document, known: Vocabulary, sentences: Sequence[Span]) -> TopicEntities:
    """Read the subjects of a document from its text and its sentences, which come in order.

    >>> text = "She was rich. Ada died young.\\n\\nBabbage lived longer."
    >>> sentences = [Span(0, 13), Span(14, 29), Span(31, 52)]
    >>> found = subjects(Document("memory:1", "", text), Vocabulary("en"), sentences)
    >>> [found.at(sentence.start) for sentence in sentences]
    ['', 'Ada', 'Babbage']
    """
    found = [heading for heading in marked_headings(document.text) if len(heading.words) <= _LONGEST_SUBJECT]
    entry_level = _entry_level(found)
    if document.title and len(document.text) < LONG_DOCUMENT:
        parts = list(_sections(found, document.title, entry_level, None)) if entry_level else []
    else:
        parts = list(_sections(found, document.title, entry_level, known))
        if not document.title and not any(name for _, name in parts):
            parts = list(_openings(document.text, known, sentences))
    return TopicEntities(tuple(start for start, _ in parts), (document.title, *(name for _, name in parts)))


def _sections(
    headings: Sequence[Heading], title: str, entry_level: int, known: Vocabulary | None
) -> Iterator[tuple[int, str]]:
    """Where each section starts, and its subject: the innermost heading above that names something, else the title.

    What stands in an entry has that for its subject, whatever its headings. Without a vocabulary other headings than
    those of entries name nothing.
    """
    open_: list[tuple[int, str]] = []
    for heading in headings:
        while open_ and open_[-1][0] >= heading.level:
            open_.pop()
        if heading.level == entry_level and _is_entry(heading):
            open_.append((heading.level, _entry_name(heading)))
        elif known is not None and not any(level == entry_level and name for level, name in open_):
            open_.append((heading.level, _section_name(heading, known)))
        yield heading.start, next((name for _, name in reversed(open_) if name), title)


def _entry_level(headings: Sequence[Heading]) -> int:
    """The level of the headings that each begin an entry of a changelog or a section of a configuration; 0: none."""
    levels = Counter(heading.level for heading in headings)
    entries = Counter(heading.level for heading in headings if _is_entry(heading))
    found = [level for level, count in entries.items() if count >= max(_FEWEST_ENTRIES, _MOSTLY * levels[level])]
    return min(found, default=0)


def _is_entry(heading: Heading) -> bool:
    return names_release(heading.words) or _SECTION_IN_BRACKETS.fullmatch(heading.words) is not None


def _entry_name(heading: Heading) -> str:
    return heading.words[1:-1] if _SECTION_IN_BRACKETS.fullmatch(heading.words) else heading.words


def _section_name(heading: Heading, known: Vocabulary) -> str:
    """The heading of a section if it names something, without the number of the section."""
    words = without_section_number(heading.words).rstrip(":")
    return words if names_release(words) or _first_name(words, known) else ""


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
    return next((name.text for sort in (NameKind.NAME, NameKind.TERM) for name in found if name.sort is sort), "")
