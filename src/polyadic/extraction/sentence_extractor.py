"""The extractor without a model: every sentence is a fact, its names and terms are the participants.

What a sentence is about (see subjects) takes part in its fact, because sentences rarely repeat it; so does what a
list is about in the facts of its items. A sentence with fewer than two names or terms makes no fact; it is found as
part of its passage, and so are headings, code, and what a message quotes.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyadic.extraction.extractor import Extraction
from polyadic.extraction.table_row_facts import LARGE, row_participants, row_text
from polyadic.extraction.table_row_facts import SCORE as ROW_SCORE
from polyadic.extraction.topic_entities import TopicEntities, subjects
from polyadic.loaders.error_isolation import on_one_document
from polyadic.model.identity import entity_key
from polyadic.model.types import Chunk, Document, Evidence, Heading, Participation, Span
from polyadic.text.boilerplate import BoilerplateSentence, boilerplate
from polyadic.text.code_fences import code_blocks
from polyadic.text.headings import headings, is_heading, is_within
from polyadic.text.language import detect_language
from polyadic.text.lists import lead_ins
from polyadic.text.mail_quotes import unsaid_parts
from polyadic.text.named_entities import NamedEntity, NameKind, Vocabulary, names, vocabulary
from polyadic.text.plain_text import plain
from polyadic.text.sentences import sentences
from polyadic.text.setting_lines import setting_name
from polyadic.text.stopwords import PRONOUNS, without_article
from polyadic.text.table_rows import PipeTables, TextCell, pipe_tables, row_cells
from polyadic.text.term_extraction import Termhood, TermIndex
from polyadic.text.words import WORD

_SUBJECT_SCORE = 90.0
_SETTING_SCORE = 75.0
_SCORES = {NameKind.NAME: 60.0, NameKind.TERM: 40.0, NameKind.DATE: 30.0, NameKind.NUMBER: 15.0}
_TERM_SCORES = {Termhood.TERM: 40.0, Termhood.WORD: 30.0, Termhood.NONCE_PHRASE: 20.0, Termhood.NONCE: 15.0}
# Of how many participants at most a term may be one, by its termhood; the best come first.
_ROOM = {Termhood.TERM: 7, Termhood.WORD: 3, Termhood.NONCE_PHRASE: 2, Termhood.NONCE: 2}
_WORDS_OF_A_FULL_NAME = 2
_FULL_NAME_BONUS = 15.0
_COMPLETE, _LEANS_ON_ANOTHER, _FRAGMENT, _BOILERPLATE = 8.0, 6.0, 2.0, 1.0
_WORDS_OF_A_FRAGMENT = 4
_CHARACTERS_OF_A_WORD = 1.5


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read once a document.

    ``context`` are the stretches that state nothing, in order; ``lead_ins`` what announces the items of lists;
    ``tables`` the headers of its tables.
    """

    document: Document
    vocabulary: Vocabulary
    terms: TermIndex
    subjects: TopicEntities
    sentences: Sequence[Span]
    headings: Sequence[Heading]
    context: Sequence[Span]
    lead_ins: Mapping[Span, Sequence[Span]]
    tables: PipeTables

    def states(self, span: Span) -> bool:
        """Whether a sentence may state something: it is no heading, no code, and nobody else's words."""
        if is_within(self.context, span.start):
            return False
        return not is_heading(self.document.text, span.start, span.end) and not is_within(self.headings, span.start)

    def said(self, span: Span) -> str:
        """The words of a sentence; those of an item after what announces it."""
        parts = [plain(self.document.text[part.start : part.end]) for part in (*self.lead_ins.get(span, ()), span)]
        return " ".join(parts) if parts[-1] else ""


class SentenceExtractor:
    """Implements Extractor without a language model.

    Parameters
    ----------
    language
        ISO 639-1, or ``auto`` to tell each document's language from its text.
    """

    name = "sentences-6"
    paid = False

    def __init__(self, language: str = "auto") -> None:
        self._language = language
        self._last: _Reading | None = None

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        """One evidence a sentence from ``chunk.fresh`` on, headings, rules, code and quoted messages apart."""
        with on_one_document():
            return self._extraction(document, chunk)

    def _extraction(self, document: Document, chunk: Chunk) -> Extraction:
        reading = self._read(document)
        first = bisect_left(reading.sentences, max(chunk.fresh, chunk.span.start), key=lambda span: span.start)
        last = bisect_right(reading.sentences, chunk.span.end, key=lambda span: span.end)
        spans = reading.sentences[first:last]
        found = (self._evidence(reading, span) for span in spans)
        return Extraction(tuple(evidence for evidence in found if evidence is not None))

    def _read(self, document: Document) -> _Reading:
        """Chunks come document by document, so the last reading is the one that is asked for again."""
        if self._last is None or self._last.document is not document:
            language = detect_language(document.text) if self._language == "auto" else self._language
            known = vocabulary(document.text, language)
            spans = sentences(document.text, language)
            self._last = _Reading(
                document,
                known,
                TermIndex.of(document.text, known),
                subjects(document, known, spans),
                spans,
                headings(document.text),
                _context(document),
                lead_ins(document.text, spans),
                pipe_tables(document.text),
            )
        return self._last

    def _evidence(self, reading: _Reading, span: Span) -> Evidence | None:
        columns = reading.tables.columns(span.start)
        if columns is None or not reading.states(span):
            return None
        if cells := row_cells(reading.document.text[span.start : span.end], columns):
            return self._row(reading, span, cells)
        sentence = reading.said(span)
        furniture = boilerplate(sentence)
        if not sentence or furniture is BoilerplateSentence.CONTENTS:
            return None
        subject = reading.subjects.at(span.start)
        return Evidence(
            text=with_subject(sentence, subject),
            score=_BOILERPLATE if furniture else completeness(sentence),
            participants=participants(sentence, subject, reading.vocabulary, reading.terms),
            spans=(span,),
            extractor=self.name,
        )

    def _row(self, reading: _Reading, span: Span, cells: Sequence[TextCell]) -> Evidence:
        subject = reading.subjects.at(span.start)
        is_large = len(reading.document.text) >= LARGE
        taking_part = row_participants(cells, subject, reading.vocabulary, is_large)
        return Evidence(with_subject(row_text(cells), subject), ROW_SCORE, taking_part, (span,), self.name)


def _context(document: Document) -> tuple[Span, ...]:
    """Code, and of a message what others wrote: found as part of their passages, but nothing that this text states."""
    unsaid = unsaid_parts(document.text) if "from" in document.metadata else ()
    return tuple(sorted((*code_blocks(document.text), *unsaid)))


def with_subject(sentence: str, subject: str) -> str:
    """The sentence, after its subject where it lacks that, so that it can be read alone.

    >>> with_subject("It was never built.", "Analytical Engine"), with_subject("Ada was born.", "Ada")
    ('Analytical Engine: It was never built.', 'Ada was born.')
    """
    return sentence if not subject or subject.casefold() in sentence.casefold() else f"{subject}: {sentence}"


def completeness(sentence: str) -> float:
    """How complete a statement is on its own, in (0, 10].

    >>> [completeness(said) for said in ("asked Ada.", "She was a poet's daughter.", "Ada was born in 1815.")]
    [2.0, 6.0, 8.0]
    >>> completeness("巴贝奇教数学。"), completeness("我爱你。")
    (8.0, 2.0)
    """
    words = WORD.findall(sentence.lower())
    if _count(words) < _WORDS_OF_A_FRAGMENT:
        return _FRAGMENT
    return _LEANS_ON_ANOTHER if words[0] in PRONOUNS else _COMPLETE


def _count(words: Sequence[str]) -> float:
    """How many words; of Chinese and Japanese, where each character comes alone, about as many as they form."""
    characters = sum("\u3040" <= word < "\ua000" for word in words)
    return len(words) - characters + characters / _CHARACTERS_OF_A_WORD


def participants(sentence: str, subject: str, known: Vocabulary, terms: TermIndex) -> tuple[Participation, ...]:
    """The subject, the setting, the names and the terms of a sentence, each once; scores say how much each tells.

    Terms take part as far as there is room for them: those of several words always, single words that recur where
    little else does, and what occurs once only where there would be no fact without it.

    >>> english, german = (Vocabulary(language) for language in ("en", "de"))
    >>> [p.name for p in participants("She met Ada in 1833.", "Mary Somerville", english, TermIndex.of("", english))]
    ['Mary Somerville', 'Ada', '1833']
    >>> told = participants("Das Salzmuseum steht in Ulm.", "Das Salzmuseum", german, TermIndex.of("", german))
    >>> [p.name for p in told]
    ['Das Salzmuseum', 'Ulm']
    """
    found = {entity_key(subject): Participation(subject, score=_SUBJECT_SCORE)} if subject else {}
    bare = entity_key(without_article(subject, known.language))
    if setting := setting_name(sentence):
        found.setdefault(entity_key(setting), Participation(setting, score=_SETTING_SCORE))
    for name in names(sentence, known):
        key = entity_key(name.text)
        if key != bare:
            found.setdefault(key, Participation(name.text, score=_score(name)))
    found.pop("", None)
    said = terms.within(sentence)
    for termhood, most in _ROOM.items():
        for term in said:
            key = entity_key(term.text)
            if term.termhood is termhood and key != bare and len(found) < most:
                found.setdefault(key, Participation(term.text, score=_TERM_SCORES[termhood]))
    return tuple(found.values())


def _score(name: NamedEntity) -> float:
    full = name.sort is NameKind.NAME and len(name.text.split()) >= _WORDS_OF_A_FULL_NAME
    return _SCORES[name.sort] + (_FULL_NAME_BONUS if full else 0.0)
