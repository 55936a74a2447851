"""Find the topic entity of each part of a document, so that "She was born in London" can be attributed.

A sentence about the topic of its document rarely repeats its name. The topic is the title. In a long document, or one
without a title, it is the innermost heading above the sentence that contains a name. Failing both, it is the term that
the paragraph defines, or else the first name in the paragraph, from the sentence that contains it onwards. In a
changelog the topic is the heading of the entry; in a configuration file, the heading of the section; in a chat, the
speaker of the message.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyadic.model.types import Document, Heading, Span
from polyadic.text.chat_messages import speakers
from polyadic.text.definitions import defined, turns
from polyadic.text.headings import marked_headings, names_release, without_section_number
from polyadic.text.markup import plain
from polyadic.text.named_entities import NameKind, names
from polyadic.text.vocabulary import Vocabulary

LONG_DOCUMENT = 20_000
"""Size in characters from which each section of a document is assumed to have its own subject."""

_PARAGRAPH = re.compile(r"\S(?:.*\S)?(?:\r?\n[^\S\r\n]*\S.*)*")
_LISTED = re.compile(r"[|>]|[-*+•‣]\s|\(?\d{1,3}[.)]\s")
_NEXT_SENTENCE = re.compile(r"""(?:[.!?]["'”’)\]]*[^\S\n]+|\n[^\S\n]*)(?=[^\s])""")
_SECTION_IN_BRACKETS = re.compile(r"\[[^\[\]]+\]")
_MIN_ENTRIES = 2
# Headings of a level are entries if at least this share of them names a release or a configuration section.
_ENTRY_SHARE = 0.5
_OPENING_CHARACTERS = 300
_MAX_SUBJECT_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class TopicEntities:
    """Subjects by position: ``names[i + 1]`` applies from character ``starts[i]`` on, ``names[0]`` before the first."""

    starts: tuple[int, ...]
    names: tuple[str, ...]

    def at(self, character: int) -> str:
        """Return the subject at a character offset; empty if there is none."""
        return self.names[bisect_right(self.starts, character)]


def subjects(document: Document, known: Vocabulary, sentences: Sequence[Span]) -> TopicEntities:
    """Determine the subjects of a document from its text and its sentences (in text order).

    >>> text = "She was rich. Ada died young.\\n\\nBabbage lived longer."
    >>> sentences = [Span(0, 13), Span(14, 29), Span(31, 52)]
    >>> found = subjects(Document("memory:1", "", text), Vocabulary("en"), sentences)
    >>> [found.at(sentence.start) for sentence in sentences]
    ['', 'Ada', 'Babbage']
    """
    headings = [heading for heading in marked_headings(document.text) if len(heading.words) <= _MAX_SUBJECT_CHARACTERS]
    entry_level = _entry_level(headings)
    if document.title and len(document.text) < LONG_DOCUMENT:
        parts = list(_sections(headings, document.title, entry_level, None)) if entry_level else []
    else:
        parts = list(_sections(headings, document.title, entry_level, known))
        if not document.title and not any(name for _, name in parts):
            parts = speakers(document.text) or list(_openings(document.text, known, sentences))
    return TopicEntities(tuple(start for start, _ in parts), (document.title, *(name for _, name in parts)))


def _sections(
    headings: Sequence[Heading], title: str, entry_level: int, known: Vocabulary | None
) -> Iterator[tuple[int, str]]:
    """Yield the start of each section and its subject: the innermost enclosing heading with a name, else the title.

    Everything in an entry has the entry as its subject, whatever its own headings. Without a vocabulary, only entry
    headings count as subjects.
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
    """Return the level of the headings that begin changelog entries or configuration sections; 0 if there are none."""
    levels = Counter(heading.level for heading in headings)
    entries = Counter(heading.level for heading in headings if _is_entry(heading))
    found = [level for level, count in entries.items() if count >= max(_MIN_ENTRIES, _ENTRY_SHARE * levels[level])]
    return min(found, default=0)


def _is_entry(heading: Heading) -> bool:
    return names_release(heading.words) or _SECTION_IN_BRACKETS.fullmatch(heading.words) is not None


def _entry_name(heading: Heading) -> str:
    return heading.words[1:-1] if _SECTION_IN_BRACKETS.fullmatch(heading.words) else heading.words


def _section_name(heading: Heading, known: Vocabulary) -> str:
    """Return the heading of a section without its number, if it contains a name; else an empty string."""
    words = without_section_number(heading.words).rstrip(":")
    return words if names_release(words) or _first_name(words, known) else ""


def _openings(text: str, known: Vocabulary, sentences: Sequence[Span]) -> Iterator[tuple[int, str]]:
    """Yield the positions where paragraphs take up a subject named in their opening; lists and tables have none.

    The subject of a paragraph changes at a sentence that defines something else.
    """
    for paragraph in _PARAGRAPH.finditer(text):
        words, start = paragraph.group(), paragraph.start()
        yield start, ""
        if _LISTED.match(words):
            continue
        first = bisect_left(sentences, start, key=lambda span: span.start)
        last = bisect_left(sentences, min(start + _OPENING_CHARACTERS, paragraph.end()), key=lambda span: span.start)
        named = ((span.start, _subject(text, span, known)) for span in sentences[first:last])
        subject_start, subject = next((candidate for candidate in named if candidate[1]), (start, ""))
        if subject:
            yield subject_start, subject
        ends = (sentence.end() for sentence in _NEXT_SENTENCE.finditer(words, subject_start - start))
        later_sentences = ((start + end, plain(words[end : end + _OPENING_CHARACTERS])) for end in ends)
        yield from turns(later_sentences, known.language, subject)


def _subject(text: str, sentence: Span, known: Vocabulary) -> str:
    first = _first_name(plain(text[sentence.start : sentence.end]), known)
    return defined(plain(text[sentence.start : sentence.start + _OPENING_CHARACTERS]), known.language, first) or first


def _first_name(sentence: str, known: Vocabulary) -> str:
    found = names(sentence, known)
    return next((name.text for kind in (NameKind.NAME, NameKind.TERM) for name in found if name.sort is kind), "")
