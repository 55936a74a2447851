"""The extractor without a model: every sentence is a fact, its names are the participants.

What a sentence is about (see subjects) takes part in its fact, because sentences rarely repeat it. A sentence that
names fewer than two things makes no fact; it is found as part of its passage.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.construction.extractor import Extraction
from polyadic.construction.subjects import Subjects, subjects
from polyadic.identity import entity_key
from polyadic.knowledge import Chunk, Document, Evidence, Participation, Span
from polyadic.text.function_words import PRONOUNS, without_article
from polyadic.text.language import detect_language
from polyadic.text.names import Name, Sort, Vocabulary, names, vocabulary
from polyadic.text.plain_text import is_heading, plain
from polyadic.text.sentences import sentences
from polyadic.text.words import WORD

_SUBJECT_SCORE = 90.0
_SCORES = {Sort.NAME: 60.0, Sort.TERM: 40.0, Sort.DATE: 30.0, Sort.NUMBER: 15.0}
_WORDS_OF_A_FULL_NAME = 2
_FULL_NAME_BONUS = 15.0
_COMPLETE, _LEANS_ON_ANOTHER, _FRAGMENT = 8.0, 6.0, 2.0
_WORDS_OF_A_FRAGMENT = 4
_CHARACTERS_OF_A_WORD = 1.5


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read once a document: its vocabulary and its subjects."""

    document: Document
    vocabulary: Vocabulary
    subjects: Subjects


class SentenceExtractor:
    """Implements Extractor without a language model.

    Parameters
    ----------
    language
        ISO 639-1, or ``auto`` to tell each document's language from its text.
    """

    name = "sentences-4"
    paid = False

    def __init__(self, language: str = "auto") -> None:
        self._language = language
        self._last: _Reading | None = None

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        """One evidence a sentence from ``chunk.fresh`` on, headings and rules apart."""
        reading = self._read(document)
        start = max(chunk.fresh, chunk.span.start)
        fresh = document.text[start : chunk.span.end]
        spans = (Span(start + s.start, start + s.end) for s in sentences(fresh, reading.vocabulary.language))
        found = (self._evidence(reading, span) for span in spans)
        return Extraction(tuple(evidence for evidence in found if evidence is not None))

    def _read(self, document: Document) -> _Reading:
        """Chunks come document by document, so the last reading is the one that is asked for again."""
        if self._last is None or self._last.document is not document:
            language = detect_language(document.text) if self._language == "auto" else self._language
            known = vocabulary(document.text, language)
            self._last = _Reading(document, known, subjects(document, known))
        return self._last

    def _evidence(self, reading: _Reading, span: Span) -> Evidence | None:
        raw = reading.document.text[span.start : span.end]
        sentence = "" if is_heading(raw) else plain(raw)
        if not sentence:
            return None
        subject = reading.subjects.at(span.start)
        return Evidence(
            text=with_subject(sentence, subject),
            score=completeness(sentence),
            participants=participants(sentence, subject, reading.vocabulary),
            spans=(span,),
            extractor=self.name,
        )


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


def participants(sentence: str, subject: str, known: Vocabulary) -> tuple[Participation, ...]:
    """The subject and the names of a sentence, each entity once; scores say how much a name tells.

    >>> [p.name for p in participants("She met Ada in 1833.", "Mary Somerville", Vocabulary("en"))]
    ['Mary Somerville', 'Ada', '1833']
    >>> [p.name for p in participants("Das Salzmuseum steht in Ulm.", "Das Salzmuseum", Vocabulary("de"))]
    ['Das Salzmuseum', 'Ulm']
    """
    found = {entity_key(subject): Participation(subject, score=_SUBJECT_SCORE)} if subject else {}
    bare = entity_key(without_article(subject, known.language))
    for name in names(sentence, known):
        key = entity_key(name.text)
        if key != bare:
            found.setdefault(key, Participation(name.text, score=_score(name)))
    found.pop("", None)
    return tuple(found.values())


def _score(name: Name) -> float:
    full = name.sort is Sort.NAME and len(name.text.split()) >= _WORDS_OF_A_FULL_NAME
    return _SCORES[name.sort] + (_FULL_NAME_BONUS if full else 0.0)
